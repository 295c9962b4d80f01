//! Words the whole program shares: names, secrets, session identity and the turn's
//! context, messages, what is said over a link, and how an error explains itself. No I/O happens here.

pub mod consent;
pub mod credential;
pub mod executor;
mod explain;
mod host_environment;
pub mod message;
mod profile_name;
mod secret;
pub mod session;
pub mod turn;

pub use explain::{Explain, Fault};
pub use host_environment::HostEnvironment;
pub use profile_name::{InvalidProfileName, ProfileName};
pub use secret::Secret;
