//! What all turns of a gateway use together. Nothing in it belongs to one conversation.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_agent::Agent;
use hermes_approval::{Broker, Guard};
use hermes_environment::pool::Pool;
use hermes_home::Home;
use hermes_home::config::Config;
use hermes_model::resolve::Sources;
use hermes_proto::session::SessionKey;
use hermes_proto::turn::Hosting;
use hermes_store::ledger::Ledger;
use hermes_store::{Store, StoreError};

use super::kept::Kept;
use crate::delivery::Post;
use crate::metrics::Metrics;
use crate::{Adapter, KeyRules, Platform};

/// Everything a host is made of.
#[derive(Debug)]
pub struct HostParts {
    pub agent: Agent,
    pub guard: Guard,
    pub broker: Broker,
    pub store: Store,
    pub home: Home,
    pub config: Arc<Config>,
    /// For `/model`.
    pub sources: Arc<Sources>,
    pub adapters: Vec<Arc<dyn Adapter>>,
}

/// The ledger could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the store failed unexpectedly")]
    Broken,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) agent: Agent,
    pub(crate) guard: Guard,
    pub(crate) broker: Broker,
    pub(crate) store: Store,
    pub(crate) home: Home,
    pub(crate) config: Arc<Config>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) rules: KeyRules,
    pub(crate) hosting: Hosting,
    pub(crate) adapters: HashMap<Platform, Arc<dyn Adapter>>,
    pub(crate) kept: Pool<SessionKey, Kept>,
    pub(crate) post: Post,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) attachments: PathBuf,
    /// Where files wait to be delivered.
    pub(crate) outgoing: PathBuf,
    ledger: Ledger,
}

impl Shared {
    pub(crate) fn new(parts: HostParts) -> Self {
        let ledger = Ledger::open(&parts.store);
        let adapters: HashMap<_, _> =
            parts.adapters.into_iter().map(|adapter| (adapter.platform().clone(), adapter)).collect();
        Self {
            rules: KeyRules::new(parts.home.name(), &parts.config),
            kept: Pool::new(Duration::from_secs(parts.config.terminal.lifetime_seconds)),
            post: Post::new(ledger.clone(), &adapters),
            attachments: parts.home.path().join("cache").join("attachments"),
            outgoing: parts.home.path().join(crate::files::FOLDER),
            hosting: Hosting::new(),
            metrics: Arc::new(Metrics::new()),
            agent: parts.agent,
            guard: parts.guard,
            broker: parts.broker,
            store: parts.store,
            home: parts.home,
            config: parts.config,
            sources: parts.sources,
            adapters,
            ledger,
        }
    }

    /// Uses the ledger on a thread that may wait.
    pub(crate) async fn in_ledger<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Ledger) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let ledger = self.ledger.clone();
        Ok(tokio::task::spawn_blocking(move || work(&ledger)).await.map_err(|_| LedgerError::Broken)??)
    }
}
