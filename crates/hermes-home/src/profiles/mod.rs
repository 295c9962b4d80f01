//! Profiles: homes of their own under `profiles/`, one file per verb.
//!
//! A profile is visible or it is not: it is built and taken apart under a name
//! that starts with a dot, and one rename makes the difference, so that a crash
//! at any moment leaves no half profile behind.

mod activate;
pub mod archive;
mod clone;
mod create;
mod delete;
mod describe;
mod error;
mod guard;
mod layout;
mod link;
mod list;
mod owner;
mod rename;
mod staging;
mod tree;

pub use activate::activate;
pub use clone::{CLONED, NotCopied, WhyNotCopied};
pub use create::{Created, Source, create};
pub use delete::{Deleted, Removed, delete};
pub use describe::{Description, describe};
pub use error::ProfileError;
pub use guard::refuse_while_running;
pub use layout::complete as furnish;
pub use list::{Ignored, Listing, WhyIgnored, alike, list};
pub use rename::rename;

/// What a change of profiles did to the active one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveProfile {
    Untouched,
    /// It named the profile that changed and now names what is right.
    Changed,
}
