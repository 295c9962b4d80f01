//! What a chat in a terminal talks to: the one trait that the binary implements over the agent.
//!
//! The terminal knows no store, no model and no turn context; it hands over what was typed and shows what comes back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hermes_agent::Observer;
use hermes_proto::Fault;
use hermes_proto::message::{ContentPart, Usage};
use tokio_util::sync::CancellationToken;

/// Something that is on its way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One conversation and its session. Turns come one at a time; a control may come while a turn runs only if it is
/// [`Control::Stop`] or [`Control::Background`].
pub trait Conversation: fmt::Debug + Send + Sync {
    /// Runs a turn to its end. Events go to the observer as they happen; cancelling makes it end soon, with
    /// [`Ending::Interrupted`] and a transcript that is whole.
    fn send(&self, prompt: Prompt, watch: Watch) -> Pending<'_, TurnEnd>;

    /// Does what a slash command asks for.
    fn control(&self, control: Control, watch: Watch) -> Pending<'_, Reply>;

    /// What the prompt and the status bar say. Called often: it must not block.
    fn headline(&self) -> Headline;

    /// What could be typed after a command. Called while somebody waits at the keyboard: it must be quick.
    fn candidates(&self, of: Candidates) -> Vec<String>;
}

/// What starts a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    Say(Vec<ContentPart>),
    /// The last message once more, as if its answer had not been given.
    Again,
}

impl Prompt {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Say(vec![ContentPart::text(text)])
    }
}

/// How a turn is followed and ended.
#[derive(Debug, Clone)]
pub struct Watch {
    pub observer: Arc<dyn Observer>,
    pub cancellation: CancellationToken,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    Answered,
    Interrupted,
    /// `--max-turns` was reached.
    OutOfRounds,
    Failed {
        message: String,
        hint: Option<String>,
        /// Whose turn it is now.
        fault: Fault,
    },
}

/// A turn that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    pub ending: Ending,
    /// The model's last words.
    pub answer: String,
    /// Of the whole turn.
    pub usage: Usage,
    pub model: String,
    pub session: String,
    /// How often the model was asked.
    pub rounds: u32,
}

/// What a slash command asks the conversation for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    NewSession,
    /// Takes the last message and its answer back.
    Undo,
    /// Ends running commands and background jobs.
    Stop,
    /// Tells the model, or changes it.
    Model(Option<String>),
    Tools,
    Status,
    Usage,
    Compress,
    /// An id, a title or `latest`; without one, the sessions are listed.
    Resume(Option<String>),
    Sessions,
    /// Without a switch it is turned over.
    Yolo(Option<Switch>),
    Approvals,
    /// A message that is worked on beside the conversation.
    Background(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// What a control has to say, as markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Done(String),
    Failed(String),
}

/// Where the conversation stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Headline {
    pub model: String,
    /// The session's title or id.
    pub session: String,
    /// Where commands run: `local`, `docker`.
    pub place: String,
    /// `yolo`, or empty.
    pub warning: String,
}

/// What an argument of a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Candidates {
    Models,
    Sessions,
}

/// Something that happened outside of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// Markdown.
    Notice(String),
    /// All background jobs there are now.
    Jobs(Vec<Job>),
}

/// A background job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub id: String,
    pub command: String,
    /// `running 12s`, `exited 0`.
    pub state: String,
}

/// How a chat begins.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// Markdown, shown first.
    pub banner: String,
    /// Sent before anything is typed (`-q`).
    pub first: Option<Prompt>,
}
