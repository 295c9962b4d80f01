//! A piece of a file as it is, for whoever takes the file out of this place.
//!
//! What is readable here is what the commands can read: nothing else is given away, whatever the path says.

use std::io::{Read, Seek, SeekFrom};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_proto::executor::{FetchFile, FileAnswer, FileProblem};

use super::{Operation, open, problem};

/// Bytes of one piece: as base64 they fit one frame.
const PIECE: u64 = 512 * 1024;

pub(super) fn fetch(request: &FetchFile, operation: &Operation<'_>) -> Result<FileAnswer, FileProblem> {
    let path = operation.resolve(&request.path)?;
    let (mut file, metadata) = open::open_regular(&path)?;
    let failed = |error| problem::from_io(&path, "cannot be read", &error);
    // Behind the end there is nothing, however far behind; the kernel would call some of it an error.
    file.seek(SeekFrom::Start(request.offset.min(metadata.len()))).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(PIECE).read_to_end(&mut bytes).map_err(failed)?;
    Ok(FileAnswer::Piece { bytes: STANDARD.encode(bytes), size: metadata.len() })
}
