//! A turn as a person follows it: events in, blocks for the transcript and a live view out. Shared by both kinds of chat.

mod block;
mod diff;
mod inbox;
mod narrator;
mod tail;

pub(crate) use block::{Block, elapsed};
pub(crate) use inbox::Inbox;
pub(crate) use narrator::Narrator;
