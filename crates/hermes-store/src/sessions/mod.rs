//! Sessions and their transcripts.
//!
//! Messages are written before they are acknowledged, those that belong together in one transaction. What the model no longer sees
//! because a summary took its place stays, and is found by a search. A transcript that ends in the middle of a
//! turn, because the process was killed there, is made valid when it is loaded ([`Transcript::repaired`]), not rewritten.

mod append;
mod change;
mod error;
mod find;
mod fork;
mod id;
pub mod import;
mod index;
mod list;
mod remove;
mod repair;
mod search;
mod session;
mod stats;
#[cfg(test)]
mod tests;
mod title;
mod transcript;

use crate::Store;

pub use append::{Said, Tail};
pub use error::SessionError;
pub use find::LATEST;
pub use id::SessionId;
pub use list::{Keys, Listing};
pub use repair::INTERRUPTED;
pub use search::{Hit, SearchFilter};
pub use session::{NewSession, Session};
pub use stats::{OfSource, Stats};
pub use title::{Title, TitleProblem};
pub use transcript::{Position, Standing, Stored, Transcript};

/// The sessions of one store.
#[derive(Debug, Clone)]
pub struct Sessions {
    store: Store,
}

impl Sessions {
    pub fn open(store: &Store) -> Self {
        Self { store: store.clone() }
    }
}
