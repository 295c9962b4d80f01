//! Takes the files of an answer out of the agent's place and keeps a private copy until they are delivered.

use std::io::Write;
use std::path::Path;

use hermes_agent::{Agent, Session, TransferError};
use hermes_home::files::create_private_dir;
use hermes_proto::turn::TurnContext;
use tempfile::NamedTempFile;

use super::mention::Mentioned;
use super::name::{media_type_of, name_of};
use super::{MOST_BYTES, reads_files};
use crate::{Files, OutgoingFile};

/// Bytes of all files of one answer.
const MOST_OF_ANSWER: u64 = 50 * 1024 * 1024;
/// Bytes of all files that wait to be delivered.
const MOST_WAITING: u64 = 1024 * 1024 * 1024;

/// A file that is on disk. Removed again unless it is kept.
#[derive(Debug)]
pub(crate) struct Enclosed {
    file: OutgoingFile,
    written: NamedTempFile,
}

/// Why a file is not sent, for the chat.
#[derive(Debug, thiserror::Error)]
enum NotSent {
    #[error("this chat takes no files")]
    NoFiles,
    #[error("files are not read here")]
    NoTools,
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    #[error("too much waits to be delivered already")]
    Full,
    #[error("{0}")]
    Unreadable(String),
    #[error("it cannot be kept; the gateway's log has the cause")]
    Unkept(#[from] std::io::Error),
}

impl From<TransferError> for NotSent {
    fn from(error: TransferError) -> Self {
        match error {
            // These are about paths as the agent has them.
            TransferError::File(problem) => Self::Unreadable(problem.to_string()),
            TransferError::Refused(refusal) => Self::Unreadable(refusal.to_string()),
            TransferError::Nowhere(_) | TransferError::Place(_) | TransferError::Garbled => {
                tracing::warn!(%error, "a file of an answer cannot be read");
                Self::Unreadable("the place where it is cannot be reached".to_owned())
            }
        }
    }
}

/// What files are taken with.
#[derive(Debug)]
pub(crate) struct Enclosing<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) session: &'a Session,
    pub(crate) turn: &'a TurnContext,
    pub(crate) folder: &'a Path,
    pub(crate) files: Files,
}

impl Enclosing<'_> {
    /// The text of an answer without its files, with what is to be said about those that cannot be sent; and those that can.
    /// `alive` is called as bytes come.
    pub(crate) async fn answer(&self, answer: &str, alive: &(dyn Fn() + Sync)) -> (String, Vec<Enclosed>) {
        let Mentioned { mut text, paths, left_out } = Mentioned::in_answer(answer);
        let (mut enclosed, mut room) = (Vec::new(), MOST_OF_ANSWER);
        let mut remarks = Vec::new();
        for path in &paths {
            match self.file(path, room, alive).await {
                Ok(file) => {
                    room = room.saturating_sub(file.file.size);
                    enclosed.push(file);
                }
                Err(cause) => remarks.push(format!("(the file {} was not sent: {cause})", name_of(path))),
            }
        }
        if left_out > 0 {
            remarks.push(format!("({left_out} more files were not sent: there are too many)"));
        }
        if text.is_empty() && remarks.is_empty() {
            // There is always an answer: it takes the place of what was shown before.
            text = enclosed.iter().map(|enclosed| enclosed.file.name.clone()).collect::<Vec<_>>().join("\n");
        }
        for remark in remarks {
            text = format!("{text}\n\n{remark}").trim_start().to_owned();
        }
        (text, enclosed)
    }

    async fn file(&self, path: &str, room: u64, alive: &(dyn Fn() + Sync)) -> Result<Enclosed, NotSent> {
        let Files::UpTo(most) = self.files else { return Err(NotSent::NoFiles) };
        if !reads_files(self.session) {
            return Err(NotSent::NoTools);
        }
        let most = most.min(MOST_BYTES).min(room);
        let mut written = new_file(self.folder)?;
        let mut size = 0;
        loop {
            let piece = self.agent.fetch(self.session, self.turn, path, size).await?;
            alive();
            if piece.bytes.is_empty() {
                break;
            }
            size += piece.bytes.len() as u64;
            // What the place says of the size is its word; what has come is counted.
            if piece.size.max(size) > most {
                return Err(NotSent::TooLarge(most));
            }
            written.write_all(&piece.bytes)?;
        }
        let name = name_of(path);
        let file =
            OutgoingFile { media_type: media_type_of(&name).to_owned(), name, size, path: written.path().to_owned() };
        Ok(Enclosed { file, written })
    }
}

/// A private file in the folder, which must not grow for ever.
fn new_file(folder: &Path) -> Result<NamedTempFile, NotSent> {
    create_private_dir(folder).map_err(std::io::Error::other)?;
    let sizes = std::fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.metadata().ok()).map(|known| known.len());
    if sizes.sum::<u64>() > MOST_WAITING {
        return Err(NotSent::Full);
    }
    Ok(NamedTempFile::new_in(folder)?)
}

impl Enclosed {
    /// Keeps the file, also after a kill; it belongs to the delivery from here on.
    pub(crate) fn keep(self) -> std::io::Result<OutgoingFile> {
        let (written, _) = self.written.keep().map_err(|error| error.error)?;
        written.sync_all()?;
        if let Some(folder) = self.file.path.parent() {
            std::fs::File::open(folder)?.sync_all()?;
        }
        Ok(self.file)
    }
}
