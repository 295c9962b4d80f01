//! What is told to a chat: what must arrive, what is asked, and what is only shown meanwhile.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_approval::PromptId;
use hermes_proto::consent::{Consent, ConsentRequest};
use hermes_proto::session::SessionKey;
use serde::{Deserialize, Serialize};

use crate::{Address, Identifier};

/// The number of a delivery in the ledger. It stays the same however often it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeliveryId(pub i64);

/// The message that a turn works on, by its number in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageNumber(pub i64);

/// Whether something was handed to the platform before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempt {
    First,
    /// It was tried and failed: it has not arrived.
    Again,
    /// The gateway died while it was tried: it may have arrived. Only given to adapters whose platform
    /// knows deliveries by their id; others get it with a mark in its text.
    Doubtful,
}

/// Which part of a long text this is, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub number: u32,
    pub of: u32,
}

/// Something that must arrive once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    pub id: DeliveryId,
    pub to: Address,
    pub session: SessionKey,
    /// The turn's message; its drafts have the same.
    pub turn: Option<MessageNumber>,
    /// The platform's message that this answers.
    pub reply_to: Option<Identifier>,
    pub content: Content,
    pub attempt: Attempt,
}

/// What it is. Texts are markdown, no longer than the adapter's longest message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// The answer of a turn. If drafts were shown, it takes their place.
    Reply { text: String, part: Part },
    /// Something else that the chat should know.
    Notice { text: String },
    /// A file of an answer. Only given to adapters that can send files.
    File { file: OutgoingFile, caption: Option<String> },
    /// What the agent wants to know from the person of its turn. The text says everything; `choices` are for buttons. A
    /// button that is pressed is handed over as a message of whoever pressed it, with the choice's number (from 1) as its text.
    Clarify { text: String, choices: Vec<String> },
}

impl Content {
    pub fn text(&self) -> &str {
        match self {
            Self::Reply { text, .. } | Self::Notice { text } | Self::Clarify { text, .. } => text,
            Self::File { file, caption } => caption.as_deref().unwrap_or(&file.name),
        }
    }

    /// Says something before what it says.
    pub(crate) fn put_before(&mut self, mark: &str) {
        match self {
            Self::Reply { text, .. } | Self::Notice { text } | Self::Clarify { text, .. } => text.insert_str(0, mark),
            Self::File { caption, .. } => *caption = Some(mark.trim_end().to_owned()),
        }
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File { file, .. } => Some(&file.path),
            Self::Reply { .. } | Self::Notice { .. } | Self::Clarify { .. } => None,
        }
    }
}

/// A file to be sent. It is removed when it was delivered or given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingFile {
    /// For people: the last part of the path that the agent gave, without anything that is no name.
    pub name: String,
    /// For example `image/png`, by the name.
    pub media_type: String,
    pub size: u64,
    /// A private copy of this machine.
    pub path: PathBuf,
}

/// A question to the people of a turn. An answer goes to [`crate::Inbox::answer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub id: PromptId,
    pub to: Address,
    pub session: SessionKey,
    pub reply_to: Option<Identifier>,
    /// For people, with what they can type.
    pub text: String,
    /// For buttons: what each answer allows.
    pub request: ConsentRequest,
    /// Who may answer. Whoever else presses a button is refused; asked again at [`crate::Inbox::answer`].
    pub people: Vec<Identifier>,
    pub remaining: Duration,
}

/// Something that is only worth showing now. Nobody misses it if it does not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Work goes on.
    Typing,
    /// The message waits until others are done: this many conversations come first.
    Waiting { ahead: usize },
    /// Nothing has happened for this long; the turn goes on.
    Quiet { seconds: u64 },
    /// The answer so far, whole.
    Draft { text: String },
    /// One line about a tool that was started.
    Tool { line: String },
    /// A question is no longer open.
    QuestionClosed { id: PromptId, outcome: Consent },
}

/// Where progress is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    pub to: Address,
    pub turn: MessageNumber,
    pub reply_to: Option<Identifier>,
}
