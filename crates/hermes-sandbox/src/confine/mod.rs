//! Confines a process that runs what nobody has vouched for.
//!
//! The process does it to itself, after it was started and while it has one thread; the
//! runtime that started it is never touched. Layers are independent where the kernel lets
//! them be, each claimed one is proven by attempts that must fail, and a claim that does
//! not hold is an error, not a note.

mod enter;
mod error;
mod family;
mod hidden;
mod layers;
mod mounts;
mod outside;
mod places;
mod proof;
mod request;
mod supervise;

pub use enter::{Rehearsal, enter, enter_rehearsed};
pub use error::ConfineError;
pub use hidden::default_hidden;
pub use request::{Confinement, Limits, Mode, Network};
