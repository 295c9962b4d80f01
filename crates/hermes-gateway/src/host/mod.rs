//! One process, many conversations.

mod activity;
mod adapters;
mod asking;
mod busy;
mod dispatch;
mod front;
mod jobs;
mod kept;
mod mailbox;
mod open;
mod order;
mod recover;
mod report;
mod shared;
mod steering;
mod task;
mod toolsets;
mod turn;
mod watching;

use std::sync::Arc;
use std::time::Duration;

use hermes_store::ledger::Ledger;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use busy::BusyMode;
use dispatch::{Dispatcher, Manners};
use task::Task;

use crate::Inbox;
use crate::delivery::Pump;

pub use adapters::{AdapterHealth, AdapterState};
pub(crate) use front::Front;
pub use order::{SessionState, SessionStatus, Steered};
pub(crate) use shared::Shared;
pub use shared::{HostParts, LedgerError};
pub(crate) use toolsets::configured_toolsets;

/// Orders that wait for the dispatcher.
const WAITING_ORDERS: usize = 1_024;
/// Turns at once where nothing is configured.
const DEFAULT_LIMIT: u32 = 256;
/// How long deliveries are waited for at the end. What is not delivered then is delivered by the next gateway.
const LAST_DELIVERIES: Duration = Duration::from_secs(10);

/// A gateway that has not begun.
#[derive(Debug)]
pub struct Host {
    shared: Arc<Shared>,
    front: Arc<Front>,
    orders: mpsc::Receiver<order::Order>,
    closing: CancellationToken,
    health: watch::Sender<AdapterHealth>,
}

/// How a running host is asked about. Cheap to clone.
#[derive(Debug, Clone)]
pub struct HostView {
    front: Arc<Front>,
    health: watch::Receiver<AdapterHealth>,
}

impl HostView {
    /// The conversations that have something to do.
    pub async fn sessions(&self) -> Vec<SessionStatus> {
        self.front.sessions().await
    }

    /// How the adapters are.
    pub fn health(&self) -> AdapterHealth {
        self.health.borrow().clone()
    }

    /// Ends when the adapters' health has changed.
    pub async fn changed(&mut self) {
        // A host that is gone changes no more.
        if self.health.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    pub fn inbox(&self) -> Inbox {
        Inbox::new(self.front.clone())
    }
}

impl Host {
    pub fn new(parts: HostParts) -> Self {
        let shared = Arc::new(Shared::new(parts));
        let (sender, orders) = mpsc::channel(WAITING_ORDERS);
        let closing = CancellationToken::new();
        let health = watch::Sender::new(AdapterHealth::default());
        let front = Arc::new(Front::new(shared.clone(), sender, closing.clone(), health.subscribe()));
        Self { shared, front, orders, closing, health }
    }

    /// The way in, for adapters and callers.
    pub fn inbox(&self) -> Inbox {
        Inbox::new(self.front.clone())
    }

    pub fn view(&self) -> HostView {
        HostView { front: self.front.clone(), health: self.health.subscribe() }
    }

    /// Serves until `shutdown`: then accepts nothing more, lets turns end within `drain`, delivers what can be delivered, and ends every
    /// place that it has opened. Finished when this returns.
    pub async fn run(self, shutdown: CancellationToken, drain: Duration) -> Result<(), LedgerError> {
        let Self { shared, front, orders, closing, health } = self;
        let waiting = recover::recover(&shared).await?;
        front.open();
        let config = &shared.config;
        let limit = usize::try_from(config.max_concurrent_sessions.unwrap_or(DEFAULT_LIMIT).max(1)).unwrap_or(1);
        let manners = Manners { limit, busy: BusyMode::configured(config), drain };

        let adapters_stop = CancellationToken::new();
        let mut adapters = JoinSet::new();
        for adapter in shared.adapters.values() {
            let inbox = Inbox::new(front.clone());
            adapters.spawn(adapters::keep_running(adapter.clone(), inbox, adapters_stop.clone(), health.clone()));
        }
        let pumps_stop = CancellationToken::new();
        let mut pumps = JoinSet::new();
        for (platform, adapter) in &shared.adapters {
            if let Some(bell) = shared.post.bell(platform) {
                let pump = Pump::new(Ledger::open(&shared.store), adapter.clone(), bell, shared.metrics.clone());
                pumps.spawn(pump.run(pumps_stop.clone()));
            }
        }
        let mut dispatcher = Dispatcher::new(shared.clone(), manners);
        waiting.into_iter().for_each(|task: Task| dispatcher.recovered(task));
        let dispatching = dispatcher.run(orders, shutdown.clone());
        tokio::pin!(dispatching);
        tokio::select! {
            () = &mut dispatching => {}
            () = shutdown.cancelled() => {
                closing.cancel();
                dispatching.await;
            }
        }
        shared.broker.close_all();
        adapters_stop.cancel();
        let _ = tokio::time::timeout(LAST_DELIVERIES, async { while adapters.join_next().await.is_some() {} }).await;
        pumps_stop.cancel();
        let _ = tokio::time::timeout(LAST_DELIVERIES, async { while pumps.join_next().await.is_some() {} }).await;
        let unfinished = shared.kept.close_all().await;
        if !unfinished.is_empty() {
            tracing::warn!(count = unfinished.len(), "places did not end in time");
        }
        Ok(())
    }
}
