//! A script that is under way: its calls come up, their results go down.

use hermes_proto::executor::{Answer, CallId, FrameKind, ToolCall, ToolResult};

use super::{LinkError, Pending};

/// The near end of a script. Dropped before its answer, it gives the script up.
#[derive(Debug)]
pub struct PendingScript(Pending);

/// What comes back.
#[derive(Debug)]
pub enum Step {
    Output(Vec<u8>),
    /// The script waits until this is answered.
    Call(ToolCall),
    /// The last step.
    Answer(Box<Answer>),
}

impl PendingScript {
    pub(super) fn new(pending: Pending) -> Self {
        Self(pending)
    }

    /// The next step. Safe to be dropped while waiting: nothing is lost.
    pub async fn next(&mut self) -> Result<Step, LinkError> {
        self.0.step().await
    }

    /// Gives the script the result of a call. One that nobody waits for is let go; one that is too long
    /// becomes an error that says so, because the script waits for something.
    pub fn answer(&self, call: CallId, result: String) {
        let told = self.0.give(&ToolResult { call, result }).or_else(|error| {
            let result = serde_json::json!({ "error": error.to_string() }).to_string();
            self.0.give(&ToolResult { call, result })
        });
        if let Err(error) = told {
            tracing::error!(%error, "a script waits for a result that cannot be sent");
        }
    }

    /// Its time stands still from here on.
    pub fn hold(&self) {
        self.0.tell(FrameKind::Hold);
    }

    /// Its time goes on.
    pub fn resume(&self) {
        self.0.tell(FrameKind::Resume);
    }

    /// Asks for its end; the answer still comes.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}
