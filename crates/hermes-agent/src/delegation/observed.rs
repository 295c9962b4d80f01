//! What a child does, retold to whoever watches its parent.

use std::sync::Arc;

use hermes_proto::message::ToolCallId;

use crate::event::{Observer, TurnEvent};

/// Tells the tool calls of a child as output of the call that started it.
#[derive(Debug)]
pub(super) struct Retold {
    observer: Arc<dyn Observer>,
    call: ToolCallId,
    /// Counted from one, for people.
    number: usize,
}

impl Retold {
    pub(super) fn new(observer: Arc<dyn Observer>, call: ToolCallId, index: usize) -> Self {
        Self { observer, call, number: index + 1 }
    }
}

impl Observer for Retold {
    fn saw(&self, event: TurnEvent) {
        let number = self.number;
        let text = match event {
            TurnEvent::ToolStarted { tool, preview, .. } => format!("[{number}] {tool}: {preview}\n"),
            TurnEvent::Notice { text } => format!("[{number}] {text}\n"),
            _ => return,
        };
        self.observer.saw(TurnEvent::ToolOutput { call: self.call.clone(), text });
    }
}
