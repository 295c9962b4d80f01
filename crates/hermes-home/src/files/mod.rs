//! Changing files of the home so that nothing is lost: not by a crash, not by a
//! second writer, not by a full disk, and never outside the home.

mod error;
mod update;

pub use error::FileError;
pub use update::{Change, Mode, UpdateError, read, update};
