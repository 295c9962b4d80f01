//! What has come back for one request and was not taken yet.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_proto::executor::{CallId, FrameKind, INITIAL_WINDOW, MOST_CALLS_AT_ONCE, RequestId, ToolCall};
use tokio::sync::Notify;

use super::LinkError;

/// Filled by the reader of the link, emptied by whoever waits for the request. At most one
/// window of output is in it, because no more is ever granted.
#[derive(Debug)]
pub(super) struct Inbox {
    state: Mutex<State>,
    /// One each for the two that may wait: a shared one could wake the wrong waiter.
    arrived: Notify,
    credited: Notify,
    calls_back: CallsBack,
}

/// Whether what was asked for may ask back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallsBack {
    Never,
    /// It is a script: it calls tools while it runs.
    Tools,
}

#[derive(Debug)]
struct State {
    output: Vec<u8>,
    /// Bytes the executor may still send.
    granted: u32,
    /// Bytes of input the executor still takes.
    input_credit: u32,
    /// Calls that nobody has taken yet.
    calls: VecDeque<ToolCall>,
    /// Calls without a result, taken or not.
    unanswered: HashSet<CallId>,
    end: Option<Result<Vec<u8>, LinkError>>,
    is_ended: bool,
}

/// What was taken out.
#[derive(Debug)]
pub(super) enum Taken {
    Output(Vec<u8>),
    Call(ToolCall),
    /// The bytes of the answer.
    Answer(Vec<u8>),
    Failed(LinkError),
}

impl Inbox {
    pub(super) fn new(calls_back: CallsBack) -> Self {
        let state = State {
            output: Vec::new(),
            granted: INITIAL_WINDOW,
            input_credit: INITIAL_WINDOW,
            calls: VecDeque::new(),
            unanswered: HashSet::new(),
            end: None,
            is_ended: false,
        };
        Self { state: Mutex::new(state), arrived: Notify::new(), credited: Notify::new(), calls_back }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores output that came in.
    pub(super) fn push(&self, request: RequestId, bytes: &[u8]) -> Result<(), LinkError> {
        let mut state = self.state();
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        state.granted = state.granted.checked_sub(length).ok_or(LinkError::Overrun(request))?;
        state.output.extend_from_slice(bytes);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// Stores a call of the script that this request is about.
    pub(super) fn push_call(&self, request: RequestId, call: ToolCall) -> Result<(), LinkError> {
        let mut state = self.state();
        if state.unanswered.len() >= MOST_CALLS_AT_ONCE {
            return Err(LinkError::Overrun(request));
        }
        if self.calls_back == CallsBack::Never || !state.unanswered.insert(call.call) {
            return Err(LinkError::Unexpected { kind: FrameKind::ToolCall, request });
        }
        state.calls.push_back(call);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// Notes that a call gets its result; whether one was waited for.
    pub(super) fn close_call(&self, call: CallId) -> bool {
        let mut state = self.state();
        state.unanswered.remove(&call) && !state.is_ended
    }

    /// Notes that the executor takes more input.
    pub(super) fn add_input_credit(&self, bytes: u32) {
        let mut state = self.state();
        state.input_credit = state.input_credit.saturating_add(bytes);
        drop(state);
        self.credited.notify_one();
    }

    /// Stores the end of the request; the first one counts.
    pub(super) fn end(&self, end: Result<Vec<u8>, LinkError>) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.is_ended, true) {
            state.end = Some(end);
        }
        drop(state);
        self.arrived.notify_one();
        self.credited.notify_one();
    }

    /// The next thing that came in; output before the end. Calls of a script that has ended are late and
    /// come to nothing.
    pub(super) async fn take(&self) -> Taken {
        loop {
            if let Some(taken) = self.take_now() {
                return taken;
            }
            self.arrived.notified().await;
        }
    }

    fn take_now(&self) -> Option<Taken> {
        let mut state = self.state();
        if !state.output.is_empty() {
            let output = std::mem::take(&mut state.output);
            state.granted += output.len() as u32;
            return Some(Taken::Output(output));
        }
        if !state.is_ended {
            return state.calls.pop_front().map(Taken::Call);
        }
        match state.end.take()? {
            Ok(answer) => Some(Taken::Answer(answer)),
            Err(error) => Some(Taken::Failed(error)),
        }
    }

    /// Takes credit that is known to be there.
    pub(super) fn spend_input_credit(&self, bytes: usize) {
        let mut state = self.state();
        state.input_credit = state.input_credit.saturating_sub(u32::try_from(bytes).unwrap_or(u32::MAX));
    }

    /// Waits until some input may be sent, and takes the credit for at most `wanted` bytes.
    /// `None` when the request has ended.
    pub(super) async fn take_input_credit(&self, wanted: usize) -> Option<usize> {
        loop {
            {
                let mut state = self.state();
                if state.is_ended {
                    return None;
                }
                let now = (state.input_credit as usize).min(wanted);
                if now > 0 {
                    state.input_credit -= now as u32;
                    return Some(now);
                }
            }
            self.credited.notified().await;
        }
    }
}
