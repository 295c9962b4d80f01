//! The environments that are held, one per session key.
//!
//! Two callers that come first at the same time must get one environment, and a caller that comes
//! while an unused one is being closed must get a whole one. So a session is found, made, counted
//! and taken out in one place, and only somebody who counts as its last user may close it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::{AttachRefused, RefusalCause};
use hermes_proto::session::SessionKey;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use tokio::sync::{Notify, OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::lease::Lease;
use crate::environment::Environment;

/// How an environment for a new session comes into being.
pub trait MakeEnvironment: Send + Sync + 'static {
    fn make(&self, workspace: &Path) -> impl Future<Output = Result<Environment, AttachRefused>> + Send;
}

/// How many sessions are held, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    pub most_sessions: usize,
    /// How long one is kept that nobody uses.
    pub lifetime: Duration,
}

/// A session as its users share it.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) environment: OnceCell<Environment>,
    /// Freed when the environment is gone, not when it is merely to be closed.
    room: OwnedSemaphorePermit,
}

#[derive(Debug)]
struct Record {
    held: Arc<Held>,
    users: usize,
    unused_since: Instant,
}

/// All sessions of a holder.
#[derive(Debug)]
pub(super) struct Sessions<M> {
    make: M,
    terms: Terms,
    room: Arc<Semaphore>,
    shelf: Arc<Shelf>,
}

/// Where the sessions are; also known to every lease.
#[derive(Debug)]
pub(super) struct Shelf {
    records: Mutex<HashMap<SessionKey, Record>>,
    /// Somebody has ended using a session.
    released: Notify,
}

impl<M: MakeEnvironment> Sessions<M> {
    pub(super) fn new(make: M, terms: Terms) -> Self {
        let shelf = Arc::new(Shelf { records: Mutex::default(), released: Notify::new() });
        Self { make, terms, room: Arc::new(Semaphore::new(terms.most_sessions)), shelf }
    }

    /// The session of this key, made if it is new. It is not closed while the lease lives.
    pub(super) async fn lease(
        &self,
        key: SessionKey,
        workspace: PathBuf,
    ) -> Result<(Lease, Vec<String>), AttachRefused> {
        let had_ended = self.shelf.discard_ended(&key);
        let lease = self.enter(key)?;
        lease.held().environment.get_or_try_init(|| self.make.make(&workspace)).await?;
        let notes = had_ended.then(|| "the session's executor had ended: its state is lost".to_owned());
        Ok((lease, notes.into_iter().collect()))
    }

    fn enter(&self, key: SessionKey) -> Result<Lease, AttachRefused> {
        let mut records = self.shelf.records();
        let record = match records.get_mut(&key) {
            Some(record) => record,
            None => {
                let room = self.room.clone().try_acquire_owned().map_err(|_| self.no_room())?;
                let held = Arc::new(Held { environment: OnceCell::new(), room });
                records.entry(key.clone()).or_insert(Record { held, users: 0, unused_since: Instant::now() })
            }
        };
        record.users += 1;
        Ok(Lease::new(key, record.held.clone(), self.shelf.clone()))
    }

    fn no_room(&self) -> AttachRefused {
        let Terms { most_sessions, lifetime } = self.terms;
        AttachRefused {
            reason: format!("{most_sessions} sessions are held, which is the most (max_concurrent_sessions)"),
            hint: Some(format!("one that nobody uses is closed after {} seconds", lifetime.as_secs())),
            cause: RefusalCause::TryAgain,
        }
    }

    /// Closes sessions that nobody has used for long. Ends only by being dropped; what is then
    /// still being closed is in `closing`.
    pub(super) async fn close_unused(&self, hosting: &Hosting, closing: &mut JoinSet<()>) {
        loop {
            for lease in self.shelf.lease_expired(Instant::now(), self.terms.lifetime) {
                closing.spawn(lease.close_if_idle(arrived(hosting, CancellationToken::new())));
            }
            tokio::select! {
                () = self.shelf.released.notified() => {}
                () = until(self.shelf.next_expiry(self.terms.lifetime)) => {}
                Some(_) = closing.join_next() => {}
            }
        }
    }

    /// Begins to close all of them.
    pub(super) fn close(&self, closing: &mut JoinSet<()>) {
        for (key, record) in std::mem::take(&mut *self.shelf.records()) {
            closing.spawn(close(key, record.held));
        }
    }
}

/// The turn of a request that has just come in. Behind it is a program, and nobody to ask.
pub(super) fn arrived(hosting: &Hosting, cancellation: CancellationToken) -> TurnContext {
    TurnContext::arrived(hosting, Edge { cancellation, ..Edge::new(Surface::Headless, Arc::new(NobodyToAsk)) })
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

impl Shelf {
    fn records(&self) -> MutexGuard<'_, HashMap<SessionKey, Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a session whose executor is gone. Whoever still uses it will be told by it.
    fn discard_ended(&self, key: &SessionKey) -> bool {
        let mut records = self.records();
        let has_ended = |record: &Record| record.held.environment.get().is_some_and(Environment::has_ended);
        if !records.get(key).is_some_and(has_ended) {
            return false;
        }
        records.remove(key).is_some()
    }

    /// Takes a lease on every session that nobody has used for long enough.
    fn lease_expired(self: &Arc<Self>, now: Instant, lifetime: Duration) -> Vec<Lease> {
        let mut records = self.records();
        let expired =
            records.iter_mut().filter(|(_, record)| record.users == 0 && record.unused_since + lifetime <= now);
        let lease = |(key, record): (&SessionKey, &mut Record)| {
            record.users += 1;
            Lease::new(key.clone(), record.held.clone(), self.clone())
        };
        expired.map(lease).collect()
    }

    fn next_expiry(&self, lifetime: Duration) -> Option<Instant> {
        let records = self.records();
        records.values().filter(|record| record.users == 0).map(|record| record.unused_since + lifetime).min()
    }

    /// One user less. A session that was never made is forgotten by its last one.
    pub(super) fn release(&self, key: &SessionKey, held: &Arc<Held>) {
        let mut records = self.records();
        let Some(record) = records.get_mut(key).filter(|record| Arc::ptr_eq(&record.held, held)) else { return };
        record.users -= 1;
        record.unused_since = Instant::now();
        if record.users == 0 && record.held.environment.get().is_none() {
            records.remove(key);
        }
        drop(records);
        self.released.notify_one();
    }

    /// Takes a session out if the one user left is the one who asks.
    pub(super) fn take_out(&self, key: &SessionKey, held: &Arc<Held>) -> bool {
        let mut records = self.records();
        let is_last = records.get(key).is_some_and(|record| record.users == 1 && Arc::ptr_eq(&record.held, held));
        is_last && records.remove(key).is_some()
    }
}

/// Ends an environment, and says in the log what did not go well.
pub(super) async fn close(key: SessionKey, held: Arc<Held>) {
    // Another user would be one who has just been told that it ends: it closes when he is gone.
    let Some(Held { environment, room: _room }) = Arc::into_inner(held) else { return };
    let Some(environment) = environment.into_inner() else { return };
    match environment.close().await {
        Ok(()) => tracing::info!(session = %key, "session closed"),
        Err(error) => tracing::warn!(session = %key, %error, "session closed badly"),
    }
}
