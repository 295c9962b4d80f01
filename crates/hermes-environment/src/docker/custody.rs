//! The container an environment holds, up to its certain end.
//!
//! Cleanup that was started and not waited for used to die with the program, in the middle of
//! `docker stop`. Here it is a thread that runs bounded calls to their end, whoever stops
//! caring, and that can be waited for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::arguments::Files;
use super::binary::Client;
use super::fingerprint;
use super::lock::{self, FolderLock, Lease, Others};
use super::plan::{DockerSettings, Reuse};

/// A container in use.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) client: Client,
    pub(super) id: String,
    pub(super) lease: Lease,
    pub(super) settings: Arc<DockerSettings>,
}

/// What becomes of a container that nobody here uses any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stopped,
    Removed,
}

/// Holds at most one container, and ends the holding once.
#[derive(Debug)]
pub struct Custody {
    held: Mutex<Option<Held>>,
    /// Sends nothing; closes when the cleanup has finished.
    running: Mutex<Option<watch::Receiver<()>>>,
}

impl Custody {
    /// Of nothing: an environment whose start failed.
    pub fn empty() -> Self {
        Self { held: Mutex::new(None), running: Mutex::new(None) }
    }

    pub(super) fn of(held: Held) -> Self {
        Self { held: Mutex::new(Some(held)), running: Mutex::new(None) }
    }

    /// The container, until cleanup has begun.
    pub fn container_id(&self) -> Option<String> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|held| held.id.clone())
    }

    /// Begins the cleanup: a container that others may find again is stopped, any other is
    /// stopped and removed. Does nothing the second time.
    pub fn cleanup(&self) {
        self.begin(|held| match held.settings.reuse {
            Reuse::AcrossProcesses => Fate::Stopped,
            Reuse::ThisProcess => Fate::Removed,
        });
    }

    /// Begins the removal of a container that was made and never worked.
    pub(super) fn discard(&self) {
        self.begin(|_| Fate::Removed);
    }

    fn begin(&self, fate: impl FnOnce(&Held) -> Fate) {
        let Some(held) = self.held.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let fate = fate(&held);
        let (finished, running) = watch::channel(());
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
        let name: String = format!("hermes-cleanup-{}", held.id).chars().take(27).collect();
        let work = move || {
            held.end(fate);
            drop(finished);
        };
        if let Err(error) = std::thread::Builder::new().name(name).spawn(work) {
            tracing::error!(%error, "a container stays behind: no thread for its cleanup");
        }
    }

    /// Lets go of a container that has died. One that is looked for again by its labels is
    /// left as it is; any other has nobody else to remove it.
    pub(super) fn release(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_some_and(|held| held.settings.reuse == Reuse::AcrossProcesses) {
            drop(held.take());
        } else {
            drop(held);
            self.cleanup();
        }
    }

    /// Waits for a cleanup that has begun; true when it has finished, or there is none.
    pub async fn wait_for_cleanup(&self, limit: Duration) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(mut running) = running else { return true };
        // An error means that the other end is gone: the cleanup has finished.
        tokio::time::timeout(limit, running.changed()).await.is_ok()
    }
}

impl Drop for Custody {
    /// Whoever forgot to clean up, or was cancelled before he could.
    fn drop(&mut self) {
        self.cleanup();
    }
}

impl Held {
    /// Nothing here can fail the caller; what goes wrong is logged, and the sweep tries again.
    fn end(self, fate: Fate) {
        let settings = Arc::clone(&self.settings);
        let folder = &settings.folder;
        let _lock = match FolderLock::take(folder) {
            Ok(lock) => Some(lock),
            Err(error) => {
                tracing::warn!(%error, "a container is ended without its lock");
                None
            }
        };
        // Declared after the lock, so given back before it: whoever comes next must not see it.
        let lease = self.lease;
        if lease.others() == Others::Some {
            tracing::debug!(id = self.id, "others use the container: it stays as it is");
            return;
        }
        if let Err(error) = self.client.stop_container(&self.id) {
            tracing::warn!(%error, "cleanup");
        }
        if fate == Fate::Stopped {
            return;
        }
        match self.client.remove_container(&self.id) {
            Ok(()) => lease.remove(),
            Err(error) => tracing::warn!(%error, "cleanup"),
        }
        if settings.spec.files == Files::Temporary {
            fingerprint::remove(folder);
            lock::remove_folder(folder);
        }
    }
}
