//! Adapters are kept running: one that fails is started again, with growing pauses, and the others do not notice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{Adapter, AdapterError, Inbox, Platform};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// How an adapter is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum AdapterState {
    Running,
    /// It failed and is started again.
    Retrying {
        error: String,
    },
    /// Somebody has to change something first.
    NeedsAttention {
        error: String,
    },
    Stopped,
}

/// How all adapters are.
pub type AdapterHealth = BTreeMap<Platform, AdapterState>;

/// Runs an adapter until `shutdown`, or until somebody has to change something.
pub(super) async fn keep_running(
    adapter: Arc<dyn Adapter>,
    inbox: Inbox,
    shutdown: CancellationToken,
    health: watch::Sender<AdapterHealth>,
) {
    let platform = adapter.platform().clone();
    let tell = |state: AdapterState| health.send_modify(|health| drop(health.insert(platform.clone(), state)));
    let mut pause = FIRST_PAUSE;
    loop {
        tell(AdapterState::Running);
        let begun = tokio::time::Instant::now();
        // In a task of its own: one that panics is one that failed.
        let mut running = JoinSet::new();
        running.spawn(adapter.clone().run(inbox.clone(), shutdown.clone()));
        let error = match running.join_next().await {
            _ if shutdown.is_cancelled() => return tell(AdapterState::Stopped),
            Some(Ok(Ok(()))) => return tell(AdapterState::Stopped),
            Some(Ok(Err(AdapterError::NeedsAttention(error)))) => {
                tracing::error!(%platform, error, "an adapter needs attention");
                return tell(AdapterState::NeedsAttention { error });
            }
            Some(Ok(Err(AdapterError::Interrupted(error)))) => error,
            Some(Err(error)) => format!("failed unexpectedly: {error}"),
            None => "ended without a word".to_owned(),
        };
        tracing::warn!(%platform, error, "an adapter failed and is started again");
        tell(AdapterState::Retrying { error });
        if begun.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        tokio::select! {
            () = shutdown.cancelled() => return tell(AdapterState::Stopped),
            () = tokio::time::sleep(pause.mul_f64(0.5 + fastrand::f64())) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
