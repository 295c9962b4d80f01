//! Language models: providers, streaming, retries, fallback, and a model that is built in.
//!
//! A thin client over `reqwest`, because `genai` 0.7 drops fragments of tool calls that have no index and sizes a list by an
//! index the server chooses, `async-openai` speaks OpenAI's dialect only, and in `rig-core` 0.44 no limit on a server's silence
//! was found. Tools are only names and schemas here: what they do is the agent's.

mod chain;
mod dialect;
mod endpoint;
mod error;
mod event;
mod images;
mod key_command;
mod keys;
mod model;
pub mod offline;
mod request;
pub mod resolve;
mod server;
mod sse;
mod tls;

pub use chain::Chain;
pub use dialect::Dialect;
pub use endpoint::{Delivery, Endpoint, KeyNeed, Proxies, Retries, Timeouts};
pub use error::{ModelError, Phase, Said, Status, Transport};
pub use event::{Event, EventStream, FinishReason, Finished, ModelId};
pub use key_command::KeyCommand;
pub use model::Model;
pub use request::{Effort, Request, ToolSchema};
pub use tls::{TlsError, tls};
