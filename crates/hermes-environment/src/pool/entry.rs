//! One key's environment and the count of those who use it.

use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::sync::{Mutex, MutexGuard};

use super::{Inner, Pooled};

/// Made empty, filled once, retired once.
#[derive(Debug)]
pub(super) struct Entry<E> {
    slot: Mutex<Slot<E>>,
    users: AtomicUsize,
    /// Counts the uses that have begun: a timer knows whether somebody came back.
    generation: AtomicU64,
}

#[derive(Debug)]
pub(super) enum Slot<E> {
    Empty,
    Filled(Arc<E>),
    Retired,
}

impl<E> Slot<E> {
    pub(super) fn environment(&self) -> Option<Arc<E>> {
        match self {
            Self::Filled(environment) => Some(Arc::clone(environment)),
            Self::Empty | Self::Retired => None,
        }
    }

    pub(super) fn put(&mut self, environment: E) -> Arc<E> {
        let environment = Arc::new(environment);
        *self = Self::Filled(Arc::clone(&environment));
        environment
    }

    pub(super) fn retire(&mut self) {
        *self = Self::Retired;
    }

    pub(super) fn is_retired(&self) -> bool {
        matches!(self, Self::Retired)
    }
}

impl<E: Pooled> Entry<E> {
    pub(super) fn new() -> Self {
        Self { slot: Mutex::new(Slot::Empty), users: AtomicUsize::new(0), generation: AtomicU64::new(0) }
    }

    pub(super) async fn slot(&self) -> MutexGuard<'_, Slot<E>> {
        self.slot.lock().await
    }

    pub(super) fn begin_use(&self) {
        self.users.fetch_add(1, Ordering::AcqRel);
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether no use has begun since this one, and none is under way.
    pub(super) fn is_unused_since(&self, generation: u64) -> bool {
        self.users.load(Ordering::Acquire) == 0 && self.generation.load(Ordering::Acquire) == generation
    }

    pub(super) async fn close(&self) {
        let mut slot = self.slot.lock().await;
        let environment = slot.environment();
        slot.retire();
        drop(slot);
        if let Some(environment) = environment {
            environment.close().await;
        }
    }
}

/// An environment in use; as long as this exists, it is not closed for being idle.
#[derive(Debug)]
pub struct InUse<K: Clone + Eq + Hash + Send + 'static, E: Pooled> {
    pool: Arc<Inner<K, E>>,
    key: K,
    entry: Arc<Entry<E>>,
    environment: Arc<E>,
}

impl<K: Clone + Eq + Hash + Send + 'static, E: Pooled> InUse<K, E> {
    pub(super) fn new(pool: Arc<Inner<K, E>>, key: K, entry: Arc<Entry<E>>, environment: Arc<E>) -> Self {
        Self { pool, key, entry, environment }
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, E: Pooled> Deref for InUse<K, E> {
    type Target = E;

    fn deref(&self) -> &E {
        &self.environment
    }
}

impl<K: Clone + Eq + Hash + Send + 'static, E: Pooled> Drop for InUse<K, E> {
    fn drop(&mut self) {
        let generation = self.entry.generation.load(Ordering::Acquire);
        let is_last = self.entry.users.fetch_sub(1, Ordering::AcqRel) == 1;
        // Outside a runtime nothing can wait; whoever owns the pool closes all at its end.
        if is_last && tokio::runtime::Handle::try_current().is_ok() {
            Arc::clone(&self.pool).retire_later(self.key.clone(), Arc::clone(&self.entry), generation);
        }
    }
}
