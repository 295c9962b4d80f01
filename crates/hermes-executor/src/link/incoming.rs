//! Frames from the runtime, one after the other.

use std::io;

use hermes_proto::executor::{Frame, FrameDecoder, FrameError, MessageAssembler};

use crate::stream::Stream;

/// Read at once.
const CHUNK: usize = 16 * 1024;

/// Why the link is over although the runtime did not close it.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("link cannot be read: {0}")]
    Read(io::Error),
    #[error("link cannot be written: {0}")]
    Write(io::Error),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("runtime broke the protocol: {0}")]
    Protocol(String),
}

/// The receiving side of a link.
#[derive(Debug)]
pub(crate) struct Incoming {
    stream: Stream,
    decoder: FrameDecoder,
    assembler: MessageAssembler,
    buffer: Box<[u8]>,
}

impl Incoming {
    pub(crate) fn new(stream: Stream) -> Self {
        Self {
            stream,
            decoder: FrameDecoder::default(),
            assembler: MessageAssembler::default(),
            buffer: vec![0; CHUNK].into_boxed_slice(),
        }
    }

    /// The next frame, with long messages put together; `None` when the runtime closed the
    /// link between two frames. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> Result<Option<Frame>, LinkError> {
        loop {
            while let Some(frame) = self.decoder.next_frame()? {
                if let Some(frame) = self.assembler.take(frame)? {
                    return Ok(Some(frame));
                }
            }
            match self.stream.read(&mut self.buffer).await.map_err(LinkError::Read)? {
                0 => {
                    self.decoder.finish()?;
                    return Ok(None);
                }
                length => self.decoder.extend(self.buffer.get(..length).unwrap_or_default()),
            }
        }
    }
}
