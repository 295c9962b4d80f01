//! What a turn tells whoever shows it, as it happens.

use std::fmt;
use std::time::Duration;

use hermes_proto::message::{ToolCallId, Usage};

/// How a tool call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    Done,
    /// It ran and did not work.
    Failed,
    /// Policy or a person said no.
    Refused,
    /// The turn was interrupted.
    Interrupted,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// The model is asked; `round` counts from 1.
    Thinking {
        round: u32,
        model: String,
    },
    Reasoning {
        delta: String,
    },
    Text {
        delta: String,
    },
    /// What was streamed since `Thinking` is void: the provider starts again.
    Restarted {
        reason: String,
    },
    ToolStarted {
        call: ToolCallId,
        tool: String,
        preview: String,
    },
    /// Output of a running tool, as it comes.
    ToolOutput {
        call: ToolCallId,
        text: String,
    },
    ToolFinished {
        call: ToolCallId,
        tool: String,
        outcome: ToolOutcome,
        /// One line.
        summary: String,
        /// Unified, for file changes.
        diff: Option<String>,
        duration: Duration,
    },
    /// The conversation was shortened: messages before and after.
    Compressed {
        before: usize,
        after: usize,
    },
    Used {
        usage: Usage,
    },
    /// Something the person should know.
    Notice {
        text: String,
    },
}

/// Sees the events of a turn. Called on the turn's task: it must not block.
pub trait Observer: fmt::Debug + Send + Sync {
    fn saw(&self, event: TurnEvent);
}

/// For turns that nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn saw(&self, _event: TurnEvent) {}
}
