//! YAML as people write it: read with positions, changed without touching the rest.
//!
//! Reading goes through `saphyr-parser` into a tree that knows lines and columns;
//! changing goes through `yaml-edit`, which keeps every other byte. The two do not
//! have to be believed: each change is read back and compared before it is handed out.

mod edit;
mod node;
mod parse;
mod render;
mod scalar;
mod splice;

pub use edit::EditError;
pub use node::Position;
pub use parse::ParseError;

pub(crate) use edit::{push, set, unset};
pub(crate) use node::{Content, Entry, Node};
pub(crate) use parse::parse;
pub(crate) use render::{block, natural};
pub(crate) use scalar::{Kind, Scalar};

#[cfg(test)]
mod tests;
