//! Where the home is, and which one of a root is meant.

pub(crate) mod active;
mod error;
mod name;
mod root;

pub use error::{HomeError, NamedBy};
pub use name::{Asked, HomeName};
pub use root::{Home, HomeRoot};
