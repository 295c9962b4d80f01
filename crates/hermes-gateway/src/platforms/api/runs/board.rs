//! The runs of this process: those at work, and a few that have just ended.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_approval::PromptId;
use hermes_proto::consent::Consent;
use hermes_store::runs::Runs;
use hermes_store::{Store, StoreError, Time};
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;

use super::live::LiveRun;
use crate::{DeliveryError, Question};

/// Runs that have ended and whose events can still be read.
const MOST_OVER: usize = 32;
/// Runs that are kept on disk after they have ended.
const MOST_KEPT: usize = 10_000;
/// Days that they are kept.
const KEPT_DAYS: u32 = 30;
/// How long ends of runs are waited for when the gateway stops.
const LAST_CALL: Duration = Duration::from_secs(5);

/// All runs that this process knows by heart.
#[derive(Debug, Default)]
pub(in crate::platforms::api) struct RunBoard {
    runs: Mutex<Known>,
    /// Runs are followed whether or not their callers are still there.
    pub(super) tasks: TaskTracker,
    recovered: OnceCell<()>,
}

#[derive(Debug, Default)]
struct Known {
    all: HashMap<String, Arc<LiveRun>>,
    over: VecDeque<String>,
}

impl RunBoard {
    /// What an earlier process left open has been interrupted. Before anything new is taken, once.
    pub(in crate::platforms::api) async fn recover(&self, store: &Store) -> Result<(), StoreError> {
        let recover = || async {
            let runs = Runs::open(store);
            let recovered = tokio::task::spawn_blocking(move || {
                let interrupted = runs.interrupt_open()?;
                forget(&runs)?;
                Ok(interrupted)
            });
            match recovered.await {
                Ok(Ok(0)) | Err(_) => Ok(()),
                Ok(Ok(count)) => {
                    tracing::warn!(count, "runs were interrupted by the end of an earlier gateway");
                    Ok(())
                }
                Ok(Err(error)) => Err(error),
            }
        };
        self.recovered.get_or_try_init(recover).await.map(drop)
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<LiveRun>> {
        self.known().all.get(id).cloned()
    }

    pub(super) fn add(&self, run: Arc<LiveRun>) {
        self.known().all.insert(run.id.to_string(), run);
    }

    pub(super) fn remove(&self, id: &str) {
        self.known().all.remove(id);
    }

    /// A run is over: its events stay for a while.
    pub(super) fn over(&self, run: &LiveRun) {
        let mut known = self.known();
        known.over.push_back(run.id.to_string());
        if known.over.len() > MOST_OVER
            && let Some(oldest) = known.over.pop_front()
        {
            known.all.remove(&oldest);
        }
    }

    /// Follows something to its end, whether or not its caller is still there.
    pub(in crate::platforms::api) fn follow(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    /// Puts a question to the run whose turn asks it. Other turns of the API have nobody to ask.
    pub(in crate::platforms::api) fn ask(&self, question: &Question) -> Result<(), DeliveryError> {
        let run = question.reply_to.as_ref().and_then(|message| self.get(message.as_str()));
        match run {
            Some(run) if run.key == question.session && !run.is_over() => {
                run.asked(question);
                Ok(())
            }
            _ => Err(DeliveryError::never("nobody can be asked")),
        }
    }

    /// A question is no longer open.
    pub(in crate::platforms::api) fn closed(&self, question: &PromptId, outcome: &Consent) {
        let runs: Vec<_> = self.known().all.values().cloned().collect();
        runs.iter().any(|run| run.settled(question, outcome));
    }

    /// Waits until the ends of all runs are on disk. Their turns have ended before.
    pub(in crate::platforms::api) async fn finish(&self) {
        self.tasks.close();
        if tokio::time::timeout(LAST_CALL, self.tasks.wait()).await.is_err() {
            tracing::warn!(count = self.tasks.len(), "ends of runs were not waited for any longer");
        }
        self.tasks.reopen();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what is too old or too much.
pub(super) fn forget(runs: &Runs) -> Result<usize, StoreError> {
    runs.forget(Time::now().days_before(KEPT_DAYS), MOST_KEPT)
}
