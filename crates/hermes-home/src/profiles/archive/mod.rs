//! A profile as one file: `<name>.tar.gz` with one folder in it.
//!
//! An archive comes from elsewhere and is not trusted: whatever it claims, nothing
//! is written outside of a folder that is thrown away unless all of it was good.

mod contents;
mod entry;
mod error;
mod export;
mod import;
mod metered;
mod output;
mod unpack;

pub use contents::Class;
pub use error::ArchiveError;
pub use export::{LeftOut, Plan, Secrets, WhyLeftOut, plan};
pub use import::{ImportName, Imported, Limits, import};
pub use output::Overwrite;
