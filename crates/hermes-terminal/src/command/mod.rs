//! What a typed line means: a message, or one of the slash commands.

mod complete;
mod read;
mod table;

pub(crate) use complete::completions;
pub(crate) use read::{Meaning, Typed, help, read};
