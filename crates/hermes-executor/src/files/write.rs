//! Writing a whole file: exactly the text that was given, all of it or nothing.

use hermes_proto::executor::{FileAnswer, FileProblem, WriteFile};

use super::replace::Destination;
use super::{Operation, shown};

pub(super) fn write(request: &WriteFile, operation: &Operation<'_>) -> Result<FileAnswer, FileProblem> {
    let path = operation.resolve(&request.path)?;
    if request.path.ends_with('/') {
        let detail = "this names a folder; name the file to be written".to_owned();
        return Err(FileProblem::BadPath { path: request.path.clone(), detail });
    }
    let destination = Destination::find(&path)?;
    operation.go_on(&path)?;
    let notes = destination.replace(request.content.as_bytes())?;
    Ok(FileAnswer::Written {
        path: shown::path(destination.path()),
        bytes: request.content.len() as u64,
        created: !destination.exists(),
        notes: notes.into_vec(),
    })
}
