//! Puts the files of a message where the agent's commands can read them, and says to the model where that is.
//!
//! The home, where they are kept, is hidden from commands. The name is a stranger's text: the model sees it in quotes, and the file has
//! another one, which the executor makes.

use std::fs::File;
use std::io::{self, Read};

use hermes_agent::{Agent, IncomingPiece, InputImage, Session, TransferError, UserInput};
use hermes_proto::message::ImageSource;
use hermes_proto::turn::TurnContext;

use super::{MOST_BYTES, reads_files};
use crate::{Attachment, Incoming};

/// Characters of a name.
const LONGEST_NAME: usize = 120;

/// Why a file is not there, for the model.
#[derive(Debug, thiserror::Error)]
enum NotPut {
    #[error("it is larger than {MOST_BYTES} bytes")]
    TooLarge,
    #[error("it is not kept any more")]
    Gone(#[source] io::Error),
    #[error("it changed while it was read")]
    Changed,
    #[error("{0}")]
    Place(String),
}

impl From<TransferError> for NotPut {
    fn from(error: TransferError) -> Self {
        match error {
            // These are about paths as the agent has them.
            TransferError::File(problem) => Self::Place(problem.to_string()),
            TransferError::Refused(refusal) => Self::Place(refusal.to_string()),
            TransferError::Nowhere(_) | TransferError::Place(_) | TransferError::Garbled => {
                tracing::warn!(%error, "a file that came with a message cannot be put where the agent works");
                Self::Place("the place cannot be reached, or takes no files".to_owned())
            }
        }
    }
}

/// What files are put with.
#[derive(Debug)]
pub(crate) struct Arriving<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) session: &'a Session,
    pub(crate) turn: &'a TurnContext,
}

impl Arriving<'_> {
    /// What the model is told of a message. `alive` is called as bytes go.
    pub(crate) async fn input(&self, incoming: &Incoming, alive: &(dyn Fn() + Sync)) -> UserInput {
        let mut input = UserInput::text(incoming.text.clone());
        for attachment in &incoming.attachments {
            if attachment.media_type.starts_with("image/") {
                let source = ImageSource::Path(attachment.path.display().to_string());
                input.images.push(InputImage { media_type: attachment.media_type.clone(), source });
            } else {
                let remark = self.remark(attachment, alive).await;
                input.text.push_str(&format!("\n[a file came with this: {remark}]"));
            }
        }
        input
    }

    async fn remark(&self, attachment: &Attachment, alive: &(dyn Fn() + Sync)) -> String {
        let name: String = attachment.name.chars().take(LONGEST_NAME).collect();
        let kind = &attachment.media_type;
        if !reads_files(self.session) {
            return format!("{name:?} ({kind})");
        }
        match self.put(attachment, &name, alive).await {
            Ok((path, size)) => format!("{name:?} ({kind}, {size} bytes), at {path}"),
            Err(cause) => {
                tracing::warn!(%cause, source = ?std::error::Error::source(&cause), "a file of a message is not there");
                format!("{name:?} ({kind}); it could not be put where you work: {cause}")
            }
        }
    }

    /// Where the file is then, and how large.
    async fn put(
        &self,
        attachment: &Attachment,
        name: &str,
        alive: &(dyn Fn() + Sync),
    ) -> Result<(String, u64), NotPut> {
        let mut file = File::open(&attachment.path).map_err(NotPut::Gone)?;
        let size = file.metadata().map_err(NotPut::Gone)?.len();
        if size > MOST_BYTES {
            return Err(NotPut::TooLarge);
        }
        let mut offset = 0;
        loop {
            let mut bytes = Vec::new();
            file.by_ref().take(IncomingPiece::MOST as u64).read_to_end(&mut bytes).map_err(NotPut::Gone)?;
            if bytes.is_empty() && offset < size {
                return Err(NotPut::Changed);
            }
            let piece = IncomingPiece { name, size, offset, bytes: &bytes };
            let path = self.agent.put(self.session, self.turn, piece).await?;
            alive();
            offset += bytes.len() as u64;
            if offset >= size {
                return Ok((path, size));
            }
        }
    }
}
