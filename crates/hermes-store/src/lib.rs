//! What has to survive: sessions with their transcripts, and the audit chain, in one SQLite file of the home.
//!
//! What was acknowledged to a person is on disk. So everything that belongs together is one transaction, nothing is cached that
//! another process may change, and a file that cannot be read is an error and never replaced by an empty one.

mod apart;
pub mod audit;
mod denied;
mod error;
pub mod ledger;
pub mod responses;
pub mod runs;
mod schema;
pub mod sessions;
mod settings;
mod store;
mod time;

pub use apart::{Panicked, apart};
pub use error::StoreError;
pub use settings::{Journal, Settings, SettingsError, Synchronous};
pub use store::{FILE, Store};
pub use time::Time;
