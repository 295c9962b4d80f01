//! A link: one byte stream to one executor, shared by many requests.
//!
//! The executor's side of the stream belongs to a process that hostile commands run beside.
//! Whatever it sends is checked: more output than was granted, frames for requests
//! nobody made, or garbage end the link, and every request on it is told why.

mod dispatch;
mod error;
mod inbox;
mod pending;
mod script;
mod table;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use hermes_proto::executor::{
    Frame, FrameDecoder, FrameKind, JobNotice, PREAMBLE_LENGTH, Ready, Request, RequestId, RunScript, Started,
    encode_message, preamble, read_preamble,
};
use hermes_proto::turn::TurnContext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub use error::LinkError;
pub use pending::{Event, Input, Pending};
pub use script::{PendingScript, Step};

use self::inbox::CallsBack;
use self::table::Table;

/// Notices that may wait to be taken; the executor limits how fast they come.
const WAITING_NOTICES: usize = 256;

/// An open link. Of this crate only: outside, everything that could be sent over it takes a permit.
#[derive(Debug)]
pub(crate) struct Link {
    table: Arc<Table>,
    outgoing: Outgoing,
    /// Reader and writer; they end with the link.
    _tasks: JoinSet<()>,
}

/// The way to the writer. Unbounded, because everything in it is paid for: input by the credit
/// the executor gave, credit by output that was taken, the rest by an open request.
type Outgoing = mpsc::UnboundedSender<Frame>;

/// What an executor says that nobody asked for.
pub type Notices = mpsc::Receiver<JobNotice>;

impl Link {
    /// Opens the link: preambles, what the far end is told first, and its answer to it.
    pub(crate) async fn open(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        open: &impl Serialize,
    ) -> Result<(Self, Ready, Notices), LinkError> {
        let (link, answer, notices) = Self::open_with(reader, writer, open).await?;
        match answer {
            Started::Ready(ready) => Ok((link, ready, notices)),
            Started::Refused(refused) => Err(LinkError::Refused { reason: refused.reason, hint: refused.hint }),
        }
    }

    /// Opens a link whose far end answers in words of its own.
    pub(crate) async fn open_with<A: DeserializeOwned>(
        mut reader: impl AsyncRead + Unpin + Send + 'static,
        mut writer: impl AsyncWrite + Unpin + Send + 'static,
        open: &impl Serialize,
    ) -> Result<(Self, A, Notices), LinkError> {
        let mut bytes = preamble().to_vec();
        Frame::new(FrameKind::Handshake, RequestId::LINK, json(open)?).encode(&mut bytes);
        writer.write_all(&bytes).await.map_err(|error| LinkError::write(&error))?;
        writer.flush().await.map_err(|error| LinkError::write(&error))?;
        let mut decoder = FrameDecoder::default();
        let answer = receive_answer(&mut reader, &mut decoder).await?;
        let table = Arc::new(Table::new());
        let (outgoing, frames) = mpsc::unbounded_channel();
        let (notice, notices) = mpsc::channel(WAITING_NOTICES);
        let mut tasks = JoinSet::new();
        tasks.spawn(dispatch::read(reader, decoder, table.clone(), notice));
        tasks.spawn(dispatch::write(writer, frames, table.clone()));
        Ok((Self { table, outgoing, _tasks: tasks }, answer, notices))
    }

    /// Sends a request of this turn. Dropping the answer gives the request up.
    pub(crate) fn request(&self, _turn: &TurnContext, request: &Request) -> Result<Pending, LinkError> {
        self.send(request, CallsBack::Never)
    }

    /// Asks for a script of this turn, which will call tools.
    pub(crate) fn request_script(&self, _turn: &TurnContext, script: RunScript) -> Result<PendingScript, LinkError> {
        self.send(&Request::Script(script), CallsBack::Tools).map(PendingScript::new)
    }

    fn send(&self, request: &Request, calls_back: CallsBack) -> Result<Pending, LinkError> {
        let message = json(request)?;
        let (id, inbox) = self.table.register(calls_back)?;
        for frame in encode_message(FrameKind::Request, id, &message) {
            // A writer that has ended has told the table, and the table tells the request.
            let _ = self.outgoing.send(frame);
        }
        Ok(Pending::new(id, inbox, self.outgoing.clone()))
    }

    /// Why the link ended, if it has.
    pub(crate) fn ended(&self) -> Option<LinkError> {
        self.table.ended()
    }
}

fn json(message: &impl Serialize) -> Result<Vec<u8>, LinkError> {
    serde_json::to_vec(message).map_err(|source| LinkError::Encode { detail: source.to_string() })
}

async fn receive_answer<A: DeserializeOwned>(
    reader: &mut (impl AsyncRead + Unpin),
    decoder: &mut FrameDecoder,
) -> Result<A, LinkError> {
    let mut first = [0; PREAMBLE_LENGTH];
    reader.read_exact(&mut first).await.map_err(|error| LinkError::no_greeting(&error))?;
    read_preamble(first)?;
    let mut bytes = vec![0; 16 * 1024];
    loop {
        if let Some(frame) = decoder.next_frame()? {
            if frame.kind != FrameKind::Handshake {
                return Err(LinkError::Unexpected { kind: frame.kind, request: frame.request });
            }
            return serde_json::from_slice(&frame.payload)
                .map_err(|error| LinkError::Decode { detail: error.to_string() });
        }
        match reader.read(&mut bytes).await.map_err(|error| LinkError::read(&error))? {
            0 => return Err(LinkError::Closed { reason: None }),
            length => decoder.extend(&bytes[..length]),
        }
    }
}
