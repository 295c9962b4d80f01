//! A model's wish to have a tool run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Ties a tool's result to the call it answers. Providers make these up: any text may come.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolCallId(String);

impl ToolCallId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for ToolCallId {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ToolCallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One call. The arguments are the JSON text as the model wrote it, which may not be JSON at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: ToolCallId,
    pub name: String,
    #[serde(default)]
    pub arguments: String,
}
