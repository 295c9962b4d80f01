//! Which names stand for credentials, and whose: data that the home, the policy and the
//! models have to agree on.

mod names;
pub mod providers;

pub use names::is_secret_name;
