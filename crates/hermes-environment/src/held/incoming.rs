//! The stream of a caller as whole messages.

use std::io;

use hermes_proto::executor::{
    Frame, FrameDecoder, FrameError, MessageAssembler, PREAMBLE_LENGTH, PreambleError, read_preamble,
};
use tokio::io::{AsyncRead, AsyncReadExt};

const READ_AT_ONCE: usize = 64 * 1024;

/// Why a connection ends before its caller closed it.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectionError {
    #[error(transparent)]
    Foreign(#[from] PreambleError),
    #[error(transparent)]
    Garbage(#[from] FrameError),
    #[error("caller cannot be read: {0}")]
    Read(#[source] io::Error),
    #[error("caller did not say in time what it wants")]
    Late,
    #[error("caller ended before it said what it wants")]
    Closed,
    #[error("{0}")]
    Protocol(String),
}

pub(super) struct Incoming<R> {
    reader: R,
    decoder: FrameDecoder,
    assembler: MessageAssembler,
    bytes: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Incoming<R> {
    pub(super) fn new(reader: R) -> Self {
        let (decoder, assembler) = Default::default();
        Self { reader, decoder, assembler, bytes: vec![0; READ_AT_ONCE] }
    }

    /// Checks the first bytes of the stream.
    pub(super) async fn preamble(&mut self) -> Result<(), ConnectionError> {
        let mut first = [0; PREAMBLE_LENGTH];
        self.reader.read_exact(&mut first).await.map_err(|_| ConnectionError::Closed)?;
        Ok(read_preamble(first)?)
    }

    /// The next message, `None` at the end. Safe to be dropped while waiting: nothing is lost.
    pub(super) async fn next(&mut self) -> Result<Option<Frame>, ConnectionError> {
        loop {
            while let Some(frame) = self.decoder.next_frame()? {
                if let Some(frame) = self.assembler.take(frame)? {
                    return Ok(Some(frame));
                }
            }
            match self.reader.read(&mut self.bytes).await.map_err(ConnectionError::Read)? {
                0 => return self.decoder.finish().map(|()| None).map_err(ConnectionError::from),
                length => self.decoder.extend(&self.bytes[..length]),
            }
        }
    }
}
