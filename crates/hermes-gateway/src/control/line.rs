//! Lines of JSON, no longer than a bound.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes of a line.
const LONGEST: usize = 512 * 1024;

/// The next value; `None` at the end.
pub(super) async fn read<T: DeserializeOwned>(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    loop {
        let piece = reader.fill_buf().await?;
        if piece.is_empty() {
            return if line.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |end| end + 1);
        line.extend_from_slice(&piece[..taken]);
        reader.consume(taken);
        if line.len() > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"));
        }
        if end.is_some() {
            return serde_json::from_slice(&line).map(Some).map_err(io::Error::from);
        }
    }
}

pub(super) async fn write(writer: &mut (impl AsyncWrite + Unpin), value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    writer.write_all(&line).await?;
    writer.flush().await
}
