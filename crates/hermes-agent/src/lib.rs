//! From a message to tool calls to an answer.

mod agent;
mod clean;
mod compression;
mod delegation;
mod event;
mod injection;
pub mod memory;
mod news;
mod person;
mod prompt;
mod registry;
mod reviewer;
mod session;
mod tool;
pub mod tools;
mod transcript;
mod turn;
mod workshop;

pub use agent::{Agent, AgentParts, Audience, Models, Workshops};
pub use compression::Compressed;
pub use delegation::{ChildReport, ChildStatus, Delegation, Task};
pub use event::{Observer, ToolOutcome, TurnEvent, Unobserved};
pub use hermes_store::sessions::SessionId;
pub use news::{News, Seen};
pub use person::{Answer, NobodyAnswers, PendingAnswer, Person, Question};
pub use prompt::PromptError;
pub use registry::{Registry, Toolset};
pub use reviewer::ModelReviewer;
pub use session::{IncomingPiece, KeepError, NewSession, Piece, Session, SessionError, TransferError, Undone, Which};
pub use tool::{Arguments, BadArguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};
pub use turn::{EndReason, InputImage, TurnEnd, TurnError, UserInput};
pub use workshop::{OpenWorkshop, Opened, Opening, Workshop, WorkshopError};
