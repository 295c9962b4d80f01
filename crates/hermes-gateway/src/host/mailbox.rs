//! The messages of one conversation that are not done yet.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use hermes_proto::session::SessionKey;
use tokio_util::sync::CancellationToken;

use super::activity::Activity;
use super::order::{SessionState, SessionStatus};
use super::steering::Steering;
use super::task::{Task, TaskRoute};

/// One turn at a time; the rest waits.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    pub(crate) queue: VecDeque<Task>,
    pub(crate) running: Option<Running>,
    /// It stands in the line of those that wait for a place.
    pub(crate) is_in_line: bool,
}

/// A turn that is under way.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) reins: Reins,
    pub(crate) route: TaskRoute,
    pub(crate) since: Instant,
}

impl Running {
    /// Takes a message as the answer to what the turn asks; gives it back if it is none. Only the turn's own person can answer.
    pub(crate) fn answered_by(&self, task: Task) -> Result<(), Box<Task>> {
        let said = &task.incoming;
        let is_answer = said.person.id == self.route.incoming.person.id
            && said.attachments.is_empty()
            && !said.text.trim().is_empty();
        if is_answer { self.reins.steering.answer(task) } else { Err(Box::new(task)) }
    }
}

/// How a running turn is held.
#[derive(Debug, Clone)]
pub(crate) struct Reins {
    pub(crate) cancellation: CancellationToken,
    pub(crate) steering: Arc<Steering>,
    pub(crate) activity: Arc<Activity>,
    /// Why it was stopped, if it was.
    pub(crate) stopped: Arc<std::sync::OnceLock<StopCause>>,
}

/// Why a turn was stopped from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// `/stop`, `/new` or the control socket.
    Asked,
    /// A newer message took its place.
    NewerMessage,
    /// The gateway is stopping.
    Shutdown,
}

impl Reins {
    pub(crate) fn new(cancellation: CancellationToken) -> Self {
        Self { cancellation, steering: Arc::default(), activity: Arc::new(Activity::begun()), stopped: Arc::default() }
    }

    pub(crate) fn stop(&self, cause: StopCause) {
        // The first cause is the one that stopped it.
        let _ = self.stopped.set(cause);
        self.cancellation.cancel();
    }
}

impl Mailbox {
    pub(crate) fn status(&self, key: &SessionKey) -> SessionStatus {
        SessionStatus {
            key: key.clone(),
            state: if self.running.is_some() { SessionState::Running } else { SessionState::Waiting },
            queued: self.queue.len(),
            running_seconds: self.running.as_ref().map(|running| running.since.elapsed().as_secs()),
            quiet_seconds: self.running.as_ref().map(|running| running.reins.activity.quiet().as_secs()),
        }
    }
}
