//! The sections of config.yaml, each declared once.
//!
//! Names and defaults are the original's, so that an existing file keeps its meaning.

mod agent;
mod approvals;
mod gateway;
mod guardrails;
mod model;
mod root;
mod terminal;

pub use agent::{Agent, CodeExecution, CodeExecutionMode, Delegation, Memory, Skills};
pub use approvals::{Approval, ApprovalMode, Approvals, Security, UnattendedMode};
pub use gateway::{ApiServer, Gateway};
pub use guardrails::{HardStopAfter, ToolLoopGuardrails, WarnAfter};
pub use model::{Auxiliary, Compression, Model, Provider};
pub use root::{Config, Database, Goals, Runtime, Sessions, Streaming, ToolOutput};
pub use terminal::{Backend, Sandbox, SandboxNetwork, Terminal};
