//! Places where commands run, and the links to them.

mod environment;
mod error;
mod executor_process;
pub mod held;
pub mod link;
mod local;
mod running;

pub use environment::{CommandText, Environment, Surroundings};
pub use error::EnvironmentError;
pub use executor_process::ExecutorProgram;
pub use local::LocalPlan;
pub use running::{RunningCommand, command_result};
