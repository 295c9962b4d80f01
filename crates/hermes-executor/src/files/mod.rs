//! File operations, under the same confinement as the commands: one file per verb.
//!
//! The files belong to programs that nobody trusts. A name may hold escape codes, a "file" may
//! be a pipe that never answers or a device that acts on being opened, one line may fill the
//! memory, and `.gitignore` may be a link to `/dev/zero`. So nothing is opened before it is
//! known to be a regular file, nothing is read without a bound, and nothing is shown raw.
//!
//! Everything here blocks: it is called on a thread that may. Long work looks at the
//! cancellation between steps.

mod content_kind;
mod fetch;
mod list;
mod notes;
mod open;
mod patch;
mod place;
mod problem;
mod put;
mod read;
mod read_lines;
mod received;
mod received_name;
mod replace;
mod room;
mod search;
mod shown;
mod similar_names;
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};

use hermes_proto::executor::{FileAnswer, FileProblem, FileRequest, SearchTarget};
use tokio_util::sync::CancellationToken;

pub use place::Place;
pub use received::Received;

/// Does one file operation and answers, whatever the file turns out to be.
///
/// `place` may be just the session's working directory; `~` is then not known.
pub fn handle<'place>(
    request: FileRequest,
    place: impl Into<Place<'place>>,
    cancellation: &CancellationToken,
) -> FileAnswer {
    let operation = Operation { place: place.into(), cancellation };
    let answer = match request {
        FileRequest::Read(request) => read::read(&request, &operation),
        FileRequest::Write(request) => write::write(&request, &operation),
        FileRequest::Patch(request) => patch::patch(&request, &operation),
        FileRequest::Search(request) => match request.target {
            SearchTarget::Content => search::search_content(&request, &operation),
            SearchTarget::Names => search::search_names(&request, &operation),
        },
        FileRequest::List(request) => list::list(&request, &operation),
        FileRequest::Fetch(request) => fetch::fetch(&request, &operation),
        FileRequest::Put(request) => put::put(&request, &operation),
    };
    answer.unwrap_or_else(FileAnswer::Problem)
}

/// What every verb needs besides its request.
#[derive(Debug, Clone, Copy)]
struct Operation<'a> {
    place: Place<'a>,
    cancellation: &'a CancellationToken,
}

impl Operation<'_> {
    fn resolve(&self, typed: &str) -> Result<PathBuf, FileProblem> {
        self.place.resolve(typed)
    }

    /// To be asked between steps; `path` is what the operation is about.
    fn go_on(&self, path: &Path) -> Result<(), FileProblem> {
        match self.cancellation.is_cancelled() {
            true => Err(FileProblem::Cancelled { path: shown::path(path) }),
            false => Ok(()),
        }
    }
}
