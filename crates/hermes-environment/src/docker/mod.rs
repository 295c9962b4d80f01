//! Commands in a hardened container, found again across processes and cleaned up for certain.
//!
//! Everything that talks to the engine is a bounded call to its client, made on a thread that may
//! block; commands go through an executor in the container, over one `docker exec -i` per session.

mod acquire;
mod arguments;
mod binary;
mod custody;
mod digest;
mod disk_use;
mod engine;
mod environment;
mod error;
mod exec_each;
mod executor_link;
mod executor_mount;
mod find;
mod fingerprint;
mod kept_output;
mod labels;
mod list;
mod lock;
mod orphans;
mod plan;
mod pooled;
mod seat;
mod shown;
mod task;
mod variables;
mod volumes;

pub use acquire::{Container, Origin};
pub use binary::{CLIENT_VARIABLES, Client, Search, VARIABLE};
pub use custody::Custody;
pub use disk_use::disk_use;
pub use environment::{Begun, DockerEnvironment, RECREATED};
pub use error::DockerError;
pub use executor_mount::MOUNT;
pub use labels::{Labels, sanitized};
pub use list::{Listed, folder_of, forget, list, remove, stop};
pub use orphans::OrphanSweep;
pub use plan::{DockerPlan, DockerSettings, ExecutorSource, HostAccount, Reuse};
pub use variables::{ForwardedNames, Variables, normalized, sent};
