//! One job, as it stands.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{JobId, JobSnapshot, JobState};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::watch::Watch;
use crate::output::Rolling;
use crate::stream::Stream;
use crate::wardens::Guarded;

/// Characters of output that are kept.
const BUFFER: usize = 200_000;
/// Characters of the command that a snapshot shows.
const SHOWN_COMMAND: usize = 2000;

/// One job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: JobId,
    command: String,
    began: Instant,
    pub(super) guarded: Rc<Guarded>,
    /// Where its input is written to, until that is closed. Writers wait for each other.
    pub(super) input: Mutex<Option<Stream>>,
    pub(super) is_terminal: bool,
    pub(super) record: RefCell<Record>,
    /// Set when it is known whether its shell runs.
    pub(super) started: CancellationToken,
    /// Set when its shell has ended and its output is in the buffer.
    pub(super) ended: CancellationToken,
}

/// What changes about a job.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) state: JobState,
    pub(super) exit_code: Option<i32>,
    pub(super) pid: Option<u32>,
    pub(super) finished: Option<Instant>,
    pub(super) is_being_killed: bool,
    pub(super) buffer: Rolling,
    pub(super) notifies: bool,
    pub(super) watch: Option<Watch>,
    pub(super) notes: Vec<String>,
}

/// What a job is begun with.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) id: JobId,
    pub(super) command: String,
    pub(super) guarded: Rc<Guarded>,
    pub(super) input: Stream,
    pub(super) is_terminal: bool,
    pub(super) notifies: bool,
    pub(super) watch: Option<Watch>,
    pub(super) notes: Vec<String>,
}

impl Job {
    pub(super) fn new(begun: Begun) -> Self {
        let record = Record {
            state: JobState::Running,
            exit_code: None,
            pid: None,
            finished: None,
            is_being_killed: false,
            buffer: Rolling::new(BUFFER),
            notifies: begun.notifies,
            watch: begun.watch,
            notes: begun.notes,
        };
        Self {
            id: begun.id,
            command: begun.command.chars().take(SHOWN_COMMAND).collect(),
            began: Instant::now(),
            guarded: begun.guarded,
            input: Mutex::new(Some(begun.input)),
            is_terminal: begun.is_terminal,
            record: RefCell::new(record),
            started: CancellationToken::new(),
            ended: CancellationToken::new(),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.record.borrow().finished.is_none()
    }

    /// As it is now, with the part of its output that `choose` takes.
    pub(super) fn snapshot(&self, choose: impl FnOnce(&str) -> String) -> JobSnapshot {
        let record = self.record.borrow();
        let until = record.finished.unwrap_or_else(Instant::now);
        JobSnapshot {
            id: self.id.clone(),
            command: self.command.clone(),
            state: record.state,
            exit_code: record.exit_code,
            pid: record.pid,
            runtime_ms: milliseconds(until.duration_since(self.began)),
            output: choose(record.buffer.text()),
            total_characters: record.buffer.total(),
            dropped_characters: record.buffer.dropped(),
            notes: record.notes.clone(),
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
