//! What every request is answered with. Cheap to clone; nothing in it belongs to one caller.

use std::sync::Arc;

use axum::extract::FromRef;
use hermes_home::Home;
use hermes_home::config::Config;
use hermes_store::{Store, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;
use super::metrics::HttpMetrics;
use super::runs::RunBoard;
use super::settings::ApiSettings;
use crate::{Inbox, Platform};

/// What an API is made of, before it is served.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) platform: Platform,
    pub(super) settings: ApiSettings,
    pub(super) config: Arc<Config>,
    pub(super) store: Store,
    pub(super) home: Home,
    pub(super) board: RunBoard,
    pub(super) http: HttpMetrics,
    /// One place per run; shared by all resources that run turns.
    pub(super) runs: Arc<Semaphore>,
}

/// The state of a served API.
#[derive(Debug, Clone)]
pub(super) struct ApiState {
    pub(super) inbox: Inbox,
    pub(super) parts: Arc<Parts>,
}

/// A place among the runs that go on at once. Given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
}

impl ApiState {
    pub(super) fn settings(&self) -> &ApiSettings {
        &self.parts.settings
    }

    /// A place for one run, or 429.
    pub(super) fn place(&self) -> Result<Place, ApiError> {
        match self.parts.runs.clone().try_acquire_owned() {
            Ok(permit) => Ok(Place { _permit: permit }),
            Err(_) => Err(ApiError::busy(self.parts.settings.most_runs)),
        }
    }

    /// Uses the store on a thread that may wait. What goes wrong there names files of this machine: the log has it.
    pub(super) async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = self.parts.store.clone();
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(error)) => Err(ApiError::internal("the store cannot be used", &error)),
            Err(error) => Err(ApiError::internal("the store failed unexpectedly", &error)),
        }
    }
}

impl FromRef<ApiState> for Inbox {
    fn from_ref(state: &ApiState) -> Self {
        state.inbox.clone()
    }
}
