//! The use of a held session by one connection.

use std::sync::Arc;
use std::time::Duration;

use hermes_proto::executor::JobState;
use hermes_proto::session::SessionKey;
use hermes_proto::turn::TurnContext;
use tokio::time::timeout;

use super::sessions::{Held, Shelf, close};
use crate::environment::Environment;
use crate::jobs::JobQuery;

/// An executor that does not say in this time what it runs is not worth keeping.
const PATIENCE: Duration = Duration::from_secs(5);

/// Counts as a user of the session until dropped.
#[derive(Debug)]
pub(super) struct Lease {
    key: SessionKey,
    held: Arc<Held>,
    shelf: Arc<Shelf>,
}

impl Lease {
    pub(super) fn new(key: SessionKey, held: Arc<Held>, shelf: Arc<Shelf>) -> Self {
        Self { key, held, shelf }
    }

    pub(super) fn key(&self) -> &SessionKey {
        &self.key
    }

    pub(super) fn held(&self) -> &Held {
        &self.held
    }

    /// The environment; `None` while it has not been made.
    pub(super) fn environment(&self) -> Option<&Environment> {
        self.held.environment.get()
    }

    /// Closes the session, unless jobs run in it or somebody has come to use it.
    pub(super) async fn close_if_idle(self, turn: TurnContext) {
        if self.has_running_jobs(&turn).await || !self.shelf.take_out(&self.key, &self.held) {
            return;
        }
        let (key, held) = (self.key.clone(), self.held.clone());
        drop(self);
        close(key, held).await;
    }

    async fn has_running_jobs(&self, turn: &TurnContext) -> bool {
        let Some(environment) = self.environment() else { return false };
        let jobs = timeout(PATIENCE, environment.job(turn, JobQuery::List)).await;
        matches!(jobs, Ok(Ok(jobs)) if jobs.iter().any(|job| job.state == JobState::Running))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shelf.release(&self.key, &self.held);
    }
}
