//! What is said in a conversation, as the store keeps it and as providers are told it.
//!
//! Two crates that each had their own idea of a message would need a translation that loses something: a tool call's id, an
//! image, the provider's own data about its reasoning. These types are stored: a field that is added later has a default,
//! and a field that this version does not know is skipped.

mod content;
mod said;
mod tool_call;
mod usage;

pub use content::{ContentPart, ImageSource};
pub use said::{Message, Reasoning, Role};
pub use tool_call::{ToolCall, ToolCallId};
pub use usage::Usage;
