//! What a command an agent runs may see of an environment.

mod blocklist;
mod child;
mod inherited;
mod script;

pub use blocklist::is_credential;
pub use child::{ChildEnvironment, Configured, Refusal, child_environment};
pub use script::{ScriptVariables, Staged, script_environment};
