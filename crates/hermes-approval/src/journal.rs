//! What is remembered of every action: asked, decided, started, ended.
//!
//! Nothing starts that could not be recorded: a record with holes proves nothing.

use std::fmt;

use hermes_proto::consent::ActionKind;

/// The journal cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("audit record cannot be written: {0}")]
pub struct JournalError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    Requested,
    Decided {
        is_allowed: bool,
        /// `allowed`, `approved once`, `denied`, `timeout`, …
        outcome: String,
        /// What or who decided: `rules`, `person`, `reviewer`, …
        by: String,
    },
    Started,
    Ended {
        outcome: String,
    },
    /// Somebody answered a question, or tried to.
    Answered {
        /// `once`, `deny`, `refused: not authorised`, …
        outcome: String,
        by: String,
    },
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub moment: Moment,
    /// Ties the lines of one action together.
    pub request: String,
    pub session: Option<String>,
    /// The person whose turn it is, where known.
    pub who: Option<String>,
    /// How that person is reached.
    pub surface: &'static str,
    pub place: String,
    pub kind: ActionKind,
    /// What it is about, not yet redacted.
    pub subject: String,
    /// `floor`, `ask` or `allow`.
    pub verdict: &'static str,
    /// The keys of what was found, the first one first, with a comma between them.
    pub rule: String,
}

/// Where the lines go. Blocking, and done when it returns: all of them, or none.
pub trait Journal: fmt::Debug + Send + Sync {
    fn write(&self, entries: &[Entry]) -> Result<(), JournalError>;

    /// Writes them with the next ones, in front of those. Only for what need not be known before something else is done, in a turn
    /// that is settled at its end.
    fn write_soon(&self, entries: &[Entry]) -> Result<(), JournalError> {
        self.write(entries)
    }

    /// Writes what waits to be written.
    fn settle(&self) -> Result<(), JournalError> {
        Ok(())
    }
}
