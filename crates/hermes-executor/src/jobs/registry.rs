//! All jobs of this session: bounded, with the finished ones kept for a while.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{FrameKind, JobId, JobNotice, JobSnapshot, NoticeCause, RequestFailure, RequestId};
use tokio::time::{Instant, sleep};

use super::breaker::Breaker;
use super::job::Job;
use crate::link::Outbox;
use crate::output::tail;
use crate::tasks;

/// Jobs that are known at once.
const TRACKED: usize = 64;
/// A finished job can be asked about this long.
const FINISHED_KEPT: Duration = Duration::from_secs(1800);
/// Characters of output in a notice.
const NOTICE_TAIL: usize = 2000;

/// The session's jobs, oldest first.
#[derive(Debug)]
pub(crate) struct Jobs {
    tracked: RefCell<VecDeque<Rc<Job>>>,
    breaker: RefCell<Breaker>,
    outbox: Outbox,
}

impl Jobs {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self { tracked: RefCell::default(), breaker: RefCell::default(), outbox }
    }

    pub(super) fn find(&self, id: &JobId) -> Result<Rc<Job>, RequestFailure> {
        let found = self.tracked.borrow().iter().find(|job| job.id == *id).cloned();
        found.ok_or_else(|| RequestFailure::NoSuchJob { id: id.to_string() })
    }

    pub(super) fn list(&self) -> Vec<JobSnapshot> {
        self.tracked.borrow().iter().map(|job| job.snapshot(|_| String::new())).collect()
    }

    /// Makes room for one more: the one that finished longest ago goes.
    pub(super) fn make_room(&self) -> Result<(), RequestFailure> {
        let mut tracked = self.tracked.borrow_mut();
        if tracked.len() < TRACKED {
            return Ok(());
        }
        let finished = |job: &Rc<Job>| job.record.borrow().finished;
        let oldest = tracked.iter().enumerate().filter_map(|(index, job)| Some((finished(job)?, index))).min();
        let Some((_, oldest)) = oldest else {
            return Err(RequestFailure::Busy { detail: format!("{TRACKED} jobs are running; kill one first") });
        };
        tracked.remove(oldest);
        Ok(())
    }

    pub(super) fn add(&self, job: Rc<Job>) {
        self.tracked.borrow_mut().push_back(job);
    }

    /// Forgets a finished job when its time is over.
    pub(super) async fn forget_later(&self, id: &JobId) {
        sleep(FINISHED_KEPT).await;
        self.tracked.borrow_mut().retain(|job| job.id != *id);
    }

    /// Whether a watch notice may be sent now. If so, it counts.
    pub(super) fn admits_notice(&self) -> bool {
        self.breaker.borrow_mut().admits(Instant::now())
    }

    /// Tells the runtime what nobody asked about. Sent on the side: the job goes on meanwhile.
    pub(super) fn notify(&self, job: &Job, cause: NoticeCause) {
        let notice = JobNotice { cause, job: job.snapshot(|text| tail(text, NOTICE_TAIL).to_owned()) };
        let outbox = self.outbox.clone();
        tasks::spawn(async move { outbox.send_message(FrameKind::Notice, RequestId::LINK, &notice).await });
    }
}
