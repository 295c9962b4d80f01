//! Keeping gateways running: who supervises them, how a slot is made and unmade, and what a
//! container does before, beside and after its main program.
//!
//! Nothing here knows what a gateway does. A service is a program with a home.

pub mod boot;
mod manager;
mod none;
pub mod places;
pub mod ports;
pub mod reconcile;
pub mod redirect;
pub mod s6;
pub mod slot;
pub mod systemd;
mod wait;
pub mod watch;
mod yes;

pub use manager::{
    ManagerKind, Registration, ServiceError, ServiceManager, ServiceState, ServiceStatus, StartAfter, detect,
};
pub use none::NoManager;
pub use places::Places;
pub use s6::S6;
pub use systemd::SystemdUser;
pub use yes::is_yes;
