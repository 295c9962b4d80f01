//! What a command an agent runs may see of an environment.

mod blocklist;
mod child;
mod inherited;

pub use blocklist::is_credential;
pub use child::{ChildEnvironment, Configured, Refusal, child_environment};
