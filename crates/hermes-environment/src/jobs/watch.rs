//! The record of jobs: each start has its end, whoever learns of it first.
//!
//! A job outlives the turn that started it, and nobody has to ask about it again. Its ticket is
//! kept here until a notice or an answer shows that it has ended, or the environment ends.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_approval::Ticket;
use hermes_proto::executor::{JobId, JobNotice, JobSnapshot};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::link::Notices;
use crate::outcome;

const WAITING_NOTICES: usize = 256;
/// Twice what an executor keeps track of: more can only be jobs that have long ended.
const MOST: usize = 128;
/// Ends that were told before the answer to the start was read.
const MOST_EARLY: usize = 16;

/// Watches the jobs of one environment. Dropped, it records the end of those that are left.
#[derive(Debug)]
pub(crate) struct JobWatch {
    tickets: Arc<Tickets>,
    /// Passes notices on.
    _passing: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Tickets(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: VecDeque<(JobId, Ticket)>,
    early: VecDeque<(JobId, String)>,
}

impl JobWatch {
    /// Looks at the notices on their way.
    pub(crate) fn start(heard: Notices) -> (Self, Notices) {
        let (sender, notices) = mpsc::channel(WAITING_NOTICES);
        let tickets = Arc::new(Tickets::default());
        let mut passing = JoinSet::new();
        passing.spawn(pass_on(heard, sender, tickets.clone()));
        (Self { tickets, _passing: passing }, notices)
    }

    /// Keeps the ticket of a job that was started.
    pub(crate) fn keep(&self, job: &JobSnapshot, ticket: Ticket) {
        match outcome::of_job(job) {
            Some(ended) => ticket.ended(ended),
            None => {
                if let Some((settled, ended)) = self.tickets.add(&job.id, ticket) {
                    settled.ended(ended);
                }
            }
        }
    }

    /// Notes what an answer shows.
    pub(crate) fn see(&self, jobs: &[JobSnapshot]) {
        jobs.iter().for_each(|job| self.tickets.see(job));
    }
}

impl Drop for JobWatch {
    fn drop(&mut self) {
        let left = std::mem::take(&mut self.tickets.state().open);
        left.into_iter().for_each(|(_, ticket)| ticket.ended("its environment ended"));
    }
}

impl Tickets {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers one to be ended: this one if its end was told already, the oldest if there are too many.
    fn add(&self, id: &JobId, ticket: Ticket) -> Option<(Ticket, String)> {
        let mut state = self.state();
        if let Some(index) = state.early.iter().position(|(early, _)| early == id) {
            return state.early.remove(index).map(|(_, ended)| (ticket, ended));
        }
        state.open.push_back((id.clone(), ticket));
        let oldest = if state.open.len() > MOST { state.open.pop_front() } else { None };
        oldest.map(|(_, ticket)| (ticket, "no longer watched".to_owned()))
    }

    fn see(&self, job: &JobSnapshot) {
        let Some(ended) = outcome::of_job(job) else { return };
        let mut state = self.state();
        match state.open.iter().position(|(id, _)| *id == job.id) {
            Some(index) => {
                let removed = state.open.remove(index);
                // Writing takes a while, and others may want to look.
                drop(state);
                if let Some((_, ticket)) = removed {
                    ticket.ended(ended);
                }
            }
            None => {
                state.early.push_back((job.id.clone(), ended));
                if state.early.len() > MOST_EARLY {
                    state.early.pop_front();
                }
            }
        }
    }
}

async fn pass_on(mut heard: Notices, notices: mpsc::Sender<JobNotice>, tickets: Arc<Tickets>) {
    while let Some(notice) = heard.recv().await {
        tickets.see(&notice.job);
        if notices.try_send(notice).is_err() {
            tracing::warn!("a notice of a background job was dropped: nobody takes them");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hermes_approval::{Place, PlaceId, Ticket};
    use hermes_policy::{Context, Isolation};
    use hermes_proto::consent::NobodyToAsk;
    use hermes_proto::executor::{CommandText, JobId, JobNotice, JobSnapshot, JobState, NoticeCause};
    use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
    use hermes_testkit::Permits;
    use tokio::sync::mpsc;

    use super::{JobWatch, MOST};

    fn ticket(permits: &Permits) -> Ticket {
        let turn = TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
        let (id, context) = (PlaceId::unique(), Context::default());
        let place = Place { id, name: "here".to_owned(), isolation: Isolation::None, context };
        permits.of(&turn, &place, CommandText::new("true")).redeem(&turn, id).unwrap().1
    }

    fn job(number: usize, state: JobState) -> JobSnapshot {
        JobSnapshot {
            id: JobId::from(format!("proc_{number}")),
            command: "true".to_owned(),
            state,
            exit_code: Some(5),
            pid: None,
            runtime_ms: 0,
            output: String::new(),
            total_characters: 0,
            dropped_characters: 0,
            notes: Vec::new(),
        }
    }

    #[tokio::test]
    async fn an_end_that_is_told_before_the_start_is_not_lost() {
        let permits = Permits::new();
        let (sender, heard) = mpsc::channel(8);
        let (watch, mut notices) = JobWatch::start(heard);
        sender.send(JobNotice { cause: NoticeCause::Completed, job: job(1, JobState::Exited) }).await.unwrap();
        notices.recv().await.unwrap();
        watch.keep(&job(1, JobState::Running), ticket(&permits));
        assert_eq!(permits.journal.ends(), ["exit 5"]);
        drop(watch);
        assert_eq!(permits.journal.ends().len(), 1);
    }

    #[tokio::test]
    async fn no_more_are_kept_than_can_be_running_and_all_have_an_end() {
        let permits = Permits::new();
        let (_sender, heard) = mpsc::channel(8);
        let (watch, _notices) = JobWatch::start(heard);
        for number in 0..=MOST {
            watch.keep(&job(number, JobState::Running), ticket(&permits));
        }
        assert_eq!(permits.journal.ends(), ["no longer watched"]);
        watch.see(&[job(0, JobState::Exited), job(1, JobState::Exited), job(2, JobState::Running)]);
        assert_eq!(permits.journal.ends()[1..], ["exit 5"]);
        drop(watch);
        assert_eq!(permits.journal.ends().len(), MOST + 1);
        assert_eq!(permits.journal.ends()[2..], vec!["its environment ended"; MOST - 1]);
    }
}
