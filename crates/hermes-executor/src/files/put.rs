//! A piece of a file that comes from outside.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_proto::executor::{FileAnswer, FileProblem, PutFile};

use super::received::{Arriving, PutError};
use super::{Operation, problem, received_name, shown};

pub(super) fn put(request: &PutFile, operation: &Operation<'_>) -> Result<FileAnswer, FileProblem> {
    // Problems are about the name that it would have: the sender's is not for showing.
    let name = received_name::safe(&request.name);
    let other = |detail: String| FileProblem::Other { path: name.clone(), detail };
    let received = operation.place.received.ok_or_else(|| other("no files are taken here".to_owned()))?;
    let bytes = STANDARD.decode(&request.bytes).map_err(|_| other("the piece is not base64".to_owned()))?;
    operation.go_on(name.as_ref())?;
    let arriving = Arriving { name: &name, size: request.size, offset: request.offset, bytes: &bytes };
    match received.put(&arriving) {
        Ok((path, size)) => Ok(FileAnswer::Put { path: shown::path(&path), size }),
        Err(PutError::Write(error)) => Err(other(format!("cannot be written: {}", problem::reason(&error)))),
        Err(error) => Err(other(error.to_string())),
    }
}
