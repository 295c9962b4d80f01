//! The environments of a process: one for each key, kept while it is used and for a while after.
//!
//! Nothing here is global: whoever serves sessions owns a pool and hands it on. A key is made
//! once however many ask for it at the same moment, and one that nobody uses any more is closed
//! by a timer of its own, unless jobs are running in it.

mod entry;
mod key;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use entry::Entry;
pub use entry::InUse;
pub use key::{EnvironmentKey, KeyParts};

/// How long the end of one environment is waited for when all are closed.
const CLOSE: Duration = Duration::from_secs(15);

/// What a pool can hold.
pub trait Pooled: Send + Sync + 'static {
    /// Whether something runs in it that must not be ended because nobody is talking to it.
    fn is_busy(&self) -> impl Future<Output = bool> + Send;

    /// Whether it can do nothing more; then the next one who asks gets a new one.
    fn is_dead(&self) -> bool;

    /// Ends it and everything in it; finished when this returns.
    fn close(&self) -> impl Future<Output = ()> + Send;
}

/// The environments.
#[derive(Debug)]
pub struct Pool<K, E>(Arc<Inner<K, E>>);

#[derive(Debug)]
struct Inner<K, E> {
    entries: Mutex<HashMap<K, Arc<Entry<E>>>>,
    /// Timers of environments that nobody uses at the moment.
    timers: Mutex<JoinSet<()>>,
    lifetime: Duration,
}

impl<K: Clone + Eq + Hash + Send + 'static, E: Pooled> Pool<K, E> {
    /// A pool whose environments are kept for this long after their last use.
    pub fn new(lifetime: Duration) -> Self {
        Self(Arc::new(Inner { entries: Mutex::default(), timers: Mutex::default(), lifetime }))
    }

    /// The environment of this key; made by `make` if there is none. Of many that ask at once,
    /// one makes it and the others get the same; if it fails, the next one tries.
    pub async fn get<F, X>(&self, key: &K, make: impl FnOnce() -> F) -> Result<InUse<K, E>, X>
    where
        F: Future<Output = Result<E, X>>,
    {
        loop {
            let entry = Arc::clone(self.0.entries().entry(key.clone()).or_insert_with(|| Arc::new(Entry::new())));
            let mut slot = entry.slot().await;
            // Closed by its timer between our look and our turn: there is a newer one.
            if slot.is_retired() {
                drop(slot);
                self.0.forget(key, &entry);
                continue;
            }
            if let Some(dead) = slot.environment().filter(|environment| environment.is_dead()) {
                slot.retire();
                drop(slot);
                self.0.forget(key, &entry);
                dead.close().await;
                continue;
            }
            let environment = match slot.environment() {
                Some(environment) => environment,
                None => slot.put(make().await?),
            };
            entry.begin_use();
            drop(slot);
            return Ok(InUse::new(Arc::clone(&self.0), key.clone(), entry, environment));
        }
    }

    /// How many keys have an environment, used or not.
    pub fn len(&self) -> usize {
        self.0.entries().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Closes all environments, used or not, at the same time, and waits for each; answers the
    /// keys of those that have not finished in time.
    pub async fn close_all(&self) -> Vec<K> {
        let entries: Vec<(K, Arc<Entry<E>>)> = self.0.entries().drain().collect();
        self.0.timers().abort_all();
        let mut closing = JoinSet::new();
        for (key, entry) in entries {
            closing.spawn(async move {
                let closed = tokio::time::timeout(CLOSE, entry.close()).await;
                closed.err().map(|_| key)
            });
        }
        closing.join_all().await.into_iter().flatten().collect()
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, E: Pooled> Inner<K, E> {
    fn entries(&self) -> MutexGuard<'_, HashMap<K, Arc<Entry<E>>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timers(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.timers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes this entry, and no newer one of its key.
    fn forget(&self, key: &K, entry: &Arc<Entry<E>>) {
        let mut entries = self.entries();
        if entries.get(key).is_some_and(|current| Arc::ptr_eq(current, entry)) {
            entries.remove(key);
        }
    }

    /// Nobody uses this environment any more: closes it after its time, unless somebody came
    /// back or jobs run in it.
    fn retire_later(self: Arc<Self>, key: K, entry: Arc<Entry<E>>, generation: u64) {
        let pool = Arc::clone(&self);
        let mut timers = self.timers();
        // The timers that have run out.
        while timers.try_join_next().is_some() {}
        timers.spawn(async move {
            loop {
                tokio::time::sleep(pool.lifetime).await;
                let mut slot = entry.slot().await;
                if !entry.is_unused_since(generation) {
                    return;
                }
                let Some(environment) = slot.environment() else { return };
                if environment.is_busy().await {
                    continue;
                }
                slot.retire();
                drop(slot);
                pool.forget(&key, &entry);
                environment.close().await;
                return;
            }
        });
    }
}
