//! The chat line by line: what was said stays in the terminal's own scrollback.

mod chat;
mod edit_mode;
mod editor;
mod questions;
mod work;

pub use chat::line_chat;
