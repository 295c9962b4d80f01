//! Places where commands run, and the links to them.

pub mod docker;
mod environment;
mod error;
mod executor_process;
pub mod held;
pub mod link;
mod local;
pub mod pool;
mod running;

pub use environment::{CommandText, Environment, Surroundings, TurnVariables};
pub use error::EnvironmentError;
pub use executor_process::ExecutorProgram;
pub use local::LocalPlan;
pub use running::{RunningCommand, command_result};
