//! Slash commands in chats: what they are, who may use them, what they do.
//!
//! Only a message that begins with a slash and a known word is a command. A plain "yes" is conversation.

mod beside;
mod parse;
mod session;

pub(crate) use beside::{answer_beside, word};
pub(crate) use parse::{Command, Parsed, Switch, is_known, menu, parse};
pub(crate) use session::run;
