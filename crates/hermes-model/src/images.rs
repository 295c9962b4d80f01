//! Images that are still files, read before they are sent.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_proto::message::{ContentPart, ImageSource, Message};

use crate::{ModelError, Request};

/// Bytes an image may have; no provider takes more.
const LARGEST: u64 = 20 * 1024 * 1024;

/// Whether the request holds images that are still files.
pub(crate) fn are_to_be_read(request: &Request) -> bool {
    request.messages.iter().flat_map(parts).any(|part| path_of(part).is_some())
}

/// The request with every image in it.
pub(crate) async fn read(request: &Request) -> Result<Request, ModelError> {
    let mut request = request.clone();
    // Reading a file blocks: it may be on a slow disk.
    let reading = tokio::task::spawn_blocking(move || {
        request.messages.iter_mut().flat_map(parts_mut).try_for_each(read_part)?;
        Ok(request)
    });
    reading.await.unwrap_or_else(|failed| {
        Err(ModelError::Image { path: Path::new("").to_owned(), source: io::Error::other(failed) })
    })
}

fn read_part(part: &mut ContentPart) -> Result<(), ModelError> {
    let Some(path) = path_of(part) else { return Ok(()) };
    let read = read_file(Path::new(path));
    let bytes = read.map_err(|source| ModelError::Image { path: path.into(), source })?;
    if let ContentPart::Image { source, .. } = part {
        *source = ImageSource::Base64(STANDARD.encode(bytes));
    }
    Ok(())
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // A pipe or a device would never end.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("it has more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

fn path_of(part: &ContentPart) -> Option<&str> {
    match part {
        ContentPart::Image { source: ImageSource::Path(path), .. } => Some(path),
        _ => None,
    }
}

fn parts(message: &Message) -> &[ContentPart] {
    match message {
        Message::User { content } | Message::Tool { content, .. } => content,
        Message::System { .. } | Message::Assistant { .. } => &[],
    }
}

fn parts_mut(message: &mut Message) -> &mut [ContentPart] {
    match message {
        Message::User { content } | Message::Tool { content, .. } => content,
        Message::System { .. } | Message::Assistant { .. } => &mut [],
    }
}
