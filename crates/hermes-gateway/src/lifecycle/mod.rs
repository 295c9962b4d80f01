//! Which gateway serves a home: its files, its owner, its end.

mod error;
mod marker;
mod owner;
mod record;
mod starts;
mod state;
pub mod systemd;
mod takeover;

pub use error::LifecycleError;
pub use marker::{Marker, StopReason};
pub use owner::{Ownership, running};
pub use record::ProcessRecord;
pub use starts::pause_before_start;
pub use state::{GatewayState, Observed, ObservedState};
pub use takeover::{announce, replace, stop};
