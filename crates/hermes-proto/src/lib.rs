//! Words the whole program shares: names, secrets, and how an error explains
//! itself. No I/O happens here.

mod explain;
mod profile_name;
mod secret;

pub use explain::{Explain, Fault};
pub use profile_name::{InvalidProfileName, ProfileName};
pub use secret::Secret;
