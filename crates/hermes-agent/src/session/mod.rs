//! One conversation: what was said, where it works, which model answers.

mod control;
mod error;
mod kept;
mod transfer;

use std::sync::{Arc, Mutex};

use hermes_model::Model;
use hermes_proto::message::{Message, Usage};
use hermes_store::sessions::{self, Position, Said, SessionId};

use crate::registry::{Registry, Toolset};
use crate::tools::TodoList;
use crate::transcript::Transcript;
use crate::workshop::Workshop;

pub(crate) use control::Manner;
pub use control::{NewSession, Undone, Which};
pub use error::{KeepError, SessionError};
pub use transfer::{IncomingPiece, Piece, TransferError};

/// A conversation that is being held. One turn at a time: a turn takes it for itself.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: SessionId,
    pub(crate) record: Record,
    pub(crate) title: Option<String>,
    /// Written when the conversation began and never since: a prompt whose bytes change makes every provider's
    /// cache useless.
    pub(crate) prompt: String,
    pub(crate) transcript: Transcript,
    /// The end of the transcript that is not written yet.
    pub(crate) unkept: Vec<Said>,
    /// Held while it is written, which goes on when nobody waits for it any more.
    pub(crate) writing: Arc<tokio::sync::Mutex<()>>,
    pub(crate) tools: Registry,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) workshop: Arc<Workshop>,
    pub(crate) todos: Arc<Mutex<TodoList>>,
    pub(crate) usage: Usage,
    pub(crate) depth: Depth,
    pub(crate) budget: Budget,
    /// How many messages there were after the last compression.
    pub(crate) compressed_at: Option<usize>,
    /// A turn began and did not end: it was given up in the middle.
    pub(crate) is_in_turn: bool,
}

/// Whether the store knows the session.
#[derive(Debug)]
pub(crate) enum Record {
    New(sessions::NewSession),
    Kept {
        /// Where the prompt is, if it was kept.
        prompt: Option<Position>,
    },
}

/// How many agents stand between this one and a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Depth(pub(crate) u32);

/// How often the model may be asked in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget(pub(crate) u32);

impl Session {
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The model that answers.
    pub fn model(&self) -> &Arc<dyn Model> {
        &self.model
    }

    /// The tools the model may use.
    pub fn tools(&self) -> &Registry {
        &self.tools
    }

    /// From here on the model has only the tools of these groups, of those it has.
    pub fn keep_toolsets(&mut self, toolsets: &[Toolset]) {
        self.tools = self.tools.only(toolsets);
    }

    /// What the model is told before the conversation.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// What the model is told of the conversation.
    pub fn messages(&self) -> &[Message] {
        self.transcript.messages()
    }

    /// All tokens so far, of earlier runs too.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// About how many tokens the next request has.
    pub fn context_tokens(&self) -> u64 {
        self.transcript.tokens(&self.prompt)
    }

    /// Whether the store does not know it yet.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.record, Record::New(_))
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.messages().is_empty()
    }

    /// Ends what runs for it. The conversation stays, and can be resumed.
    pub async fn close(self) {
        self.workshop.close().await;
    }

    /// Where its commands run.
    pub fn workshop(&self) -> &Arc<Workshop> {
        &self.workshop
    }
}
