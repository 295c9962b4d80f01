//! Everything a person sees and types in a terminal: the chat line by line, the full screen, questions, one answer for a script.
//!
//! What a model says, what its commands print and what a question quotes is not trusted: none of it reaches the
//! terminal except through `text::Piece`, which lets no control character through.

mod approval;
mod command;
mod conversation;
mod draft;
mod error;
mod history;
mod interrupt;
mod keyboard;
mod line;
mod markdown;
mod once;
mod screen;
mod text;
mod tty;
mod tui;
mod turn;

use std::sync::Arc;

use hermes_home::Home;
use hermes_proto::HostEnvironment;
use tokio::sync::mpsc;

pub use approval::{Desk, TerminalApprover, TerminalPerson, approvals};
pub use conversation::{
    Candidates, Control, Conversation, Ending, Headline, Job, News, Opening, Pending, Prompt, Reply, Switch, TurnEnd,
    Watch,
};
pub use error::TerminalError;
pub use line::line_chat;
pub use once::{Narration, OnceError, answer_once, combined_prompt, read_piped_input, write_usage_file};
pub use tty::{Left, is_interactive};
pub use tui::full_screen;

/// What a chat is made of.
#[derive(Debug)]
pub struct Chat {
    pub conversation: Arc<dyn Conversation>,
    /// The receiving end of [`approvals`].
    pub desk: Desk,
    /// What happens outside of turns.
    pub news: mpsc::Receiver<News>,
    pub opening: Opening,
    /// Holds the history of what was typed.
    pub home: Home,
    pub host: HostEnvironment,
}
