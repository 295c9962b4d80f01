//! The command line's end of the control socket.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_proto::{Explain, Fault};
use tokio::io::BufReader;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

use super::line;
use super::message::{Answer, Request};
use super::socket::ControlSocket;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a gateway could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("no gateway answers in {}", home.display())]
    Connect { home: PathBuf, source: io::Error },
    #[error("the gateway did not answer")]
    Talk(#[source] io::Error),
    #[error("the gateway did not answer in time")]
    Silent,
}

impl Explain for ControlError {
    fn fault(&self) -> Fault {
        match self {
            Self::Connect { .. } | Self::Talk(_) => Fault::Failed,
            Self::Silent => Fault::TryAgain,
        }
    }
}

/// A connection to a running gateway.
#[derive(Debug)]
pub struct Client {
    reading: BufReader<OwnedReadHalf>,
    writing: OwnedWriteHalf,
}

impl Client {
    pub async fn connect(home: &Path) -> Result<Self, ControlError> {
        let connected = ControlSocket::connect(home).await;
        let stream = connected.map_err(|source| ControlError::Connect { home: home.to_owned(), source })?;
        let (reading, writing) = stream.into_split();
        Ok(Self { reading: BufReader::new(reading), writing })
    }

    /// Asks one thing.
    pub async fn ask(&mut self, request: &Request) -> Result<Answer, ControlError> {
        self.send(request).await?;
        timeout(PATIENCE, self.next()).await.map_err(|_| ControlError::Silent)?
    }

    pub async fn send(&mut self, request: &Request) -> Result<(), ControlError> {
        line::write(&mut self.writing, request).await.map_err(ControlError::Talk)
    }

    /// The next thing the gateway says.
    pub async fn next(&mut self) -> Result<Answer, ControlError> {
        let read = line::read(&mut self.reading).await.map_err(ControlError::Talk)?;
        read.ok_or_else(|| ControlError::Talk(io::ErrorKind::UnexpectedEof.into()))
    }
}
