//! Results of tool calls that a script waits for.

use std::cell::RefCell;
use std::collections::HashMap;

use hermes_proto::executor::{CallId, ToolResult};
use tokio::sync::oneshot;

/// Who waits for which call.
#[derive(Debug, Default)]
pub(crate) struct Returns(RefCell<HashMap<CallId, oneshot::Sender<String>>>);

impl Returns {
    /// To be called before the call is sent: its result may come at once.
    pub(crate) fn expect(&self, call: CallId) -> oneshot::Receiver<String> {
        let (sender, receiver) = oneshot::channel();
        self.0.borrow_mut().insert(call, sender);
        receiver
    }

    /// Hands a result to whoever waits. One that nobody waits for means nothing: the script has ended, or
    /// the runtime answers twice.
    pub(crate) fn deliver(&self, result: ToolResult) {
        if let Some(waiting) = self.0.borrow_mut().remove(&result.call) {
            let _ = waiting.send(result.result);
        }
    }
}
