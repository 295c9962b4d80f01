//! The caller's side: a session that another process holds.

use std::path::Path;

use hermes_proto::executor::{Attach, Attached, IsolationReport, Stdin};
use hermes_proto::turn::TurnContext;
use rustix::io::Errno;
use rustix::process::geteuid;
use tokio::net::UnixStream;

use super::claim::Folder;
use super::error::HeldError;
use crate::CommandText;
use crate::link::{Link, LinkError};
use crate::running::{self, RunningCommand};

/// A link to a held session. Dropped, it ends the commands that were started over it; the session stays.
#[derive(Debug)]
pub struct Attachment {
    link: Link,
    isolation: IsolationReport,
    notes: Vec<String>,
}

impl Attachment {
    /// Attaches to the session, if a process holds the sessions of this home.
    pub async fn open(home: &Path, attach: &Attach) -> Result<Option<Self>, HeldError> {
        let Some(stream) = connect(home).await? else { return Ok(None) };
        let (reader, writer) = stream.into_split();
        let (link, answer, _notices) = Link::open_with(reader, writer, attach).await.map_err(HeldError::link)?;
        match answer {
            Attached::Ready { session, notes } => Ok(Some(Self { link, isolation: session.isolation, notes })),
            Attached::Refused(refused) => Err(refused.into()),
        }
    }

    /// What keeps its commands in, as proven at its start.
    pub fn isolation(&self) -> &IsolationReport {
        &self.isolation
    }

    /// What the person should know about the session.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Asks for a command whose input the caller sends. Its environment is the holder's business, and so is
    /// the permit: only the holder knows where the session stands, and it trusts no caller's word for
    /// what is allowed. A refusal is the error of the command that was asked for.
    pub fn begin(&self, turn: &TurnContext, command: CommandText, stdin: Stdin) -> Result<RunningCommand, HeldError> {
        let pending = running::begin(&self.link, turn, command, Vec::new(), stdin);
        pending.map(RunningCommand::elsewhere).map_err(HeldError::link)
    }

    /// An error of a command that was started here.
    pub fn error(error: LinkError) -> HeldError {
        HeldError::link(error)
    }
}

/// `None` if nobody listens.
async fn connect(home: &Path) -> Result<Option<UnixStream>, HeldError> {
    let folder = match Folder::open(home) {
        Ok(folder) => folder,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(HeldError::Folder { path: home.to_owned(), source: error.into() }),
    };
    let path = folder.socket_name();
    let stream = match UnixStream::connect(folder.socket()).await {
        Ok(stream) => stream,
        Err(error) => {
            return match error.kind() {
                std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused => Ok(None),
                _ => Err(HeldError::Connect { path, source: error }),
            };
        }
    };
    match stream.peer_cred().map_err(|source| HeldError::Connect { path: path.clone(), source })?.uid() {
        uid if uid == geteuid().as_raw() => Ok(Some(stream)),
        uid => Err(HeldError::ForeignHolder { path, uid }),
    }
}
