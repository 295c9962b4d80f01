//! Places where commands run, and the links to them.

pub mod docker;
mod environment;
mod error;
mod executor_process;
pub mod held;
mod jobs;
pub mod link;
mod local;
mod outcome;
pub mod pool;
mod redeemed;
mod running;
mod script;
mod session_folder;
mod shown_folders;
mod workplace;

pub use environment::{Environment, Surroundings, TurnVariables};
pub use error::EnvironmentError;
pub use executor_process::ExecutorProgram;
pub use hermes_proto::executor::CommandText;
pub use jobs::JobQuery;
pub use local::LocalPlan;
pub use running::{RunningCommand, command_result};
pub use script::{RunningScript, Script, ScriptEvent};
pub use workplace::{Workplace, WorkplaceError};
