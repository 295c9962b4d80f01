//! The audit chain: what was asked, decided, started and ended, in an order that cannot be changed unnoticed.
//!
//! Each entry carries the hash of the one before it, so an entry that is changed, dropped, reordered or cut off at the end is found
//! and named. This shows tampering, it does not prevent it: who may write the file can write a whole new chain. Against
//! that stands the last hash, noted somewhere else, which [`Audit::verify`] can be asked to find again.

mod append;
mod chain;
mod clean;
mod entry;
mod export;
mod read;
#[cfg(test)]
mod tests;
mod verify;
mod waiting;

use std::sync::{Arc, Mutex};

use hermes_home::redact::Redactor;

use self::waiting::Waiting;
use crate::Store;

pub use chain::Hash;
pub use clean::{LONGEST_DETAIL, LONGEST_FIELD, LONGEST_SUBJECT};
pub use entry::{Entry, Kind, Recorded, RequestId, Sequence, Verdict};
pub use read::Filter;
pub use verify::{Break, Broken, Verified, VerifyError};

/// The chain of one store.
#[derive(Debug, Clone)]
pub struct Audit {
    store: Store,
    redactor: Arc<Redactor>,
    waiting: Arc<Waiting>,
}

impl Audit {
    /// The chain in this store. What the redactor knows and recognises never reaches it.
    pub fn open(store: &Store, redactor: Redactor) -> Self {
        let waiting = Waiting { store: store.clone(), contents: Mutex::default() };
        Self { store: store.clone(), redactor: Arc::new(redactor), waiting: Arc::new(waiting) }
    }
}
