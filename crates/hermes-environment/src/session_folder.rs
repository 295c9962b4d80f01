//! Where a session's shell stands, as far as its last result told.
//!
//! A relative path means another file after a `cd`. Policy judges it by this folder; one that never
//! moved would let `cd / && true` make `rm -rf *` look harmless.

use std::sync::{Arc, Mutex, PoisonError};

/// Shared by an environment and the commands that run in it.
#[derive(Debug, Clone)]
pub(crate) struct SessionFolder(Arc<Mutex<String>>);

impl SessionFolder {
    pub(crate) fn new(folder: impl Into<String>) -> Self {
        Self(Arc::new(Mutex::new(folder.into())))
    }

    pub(crate) fn now(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn moved(&self, folder: &str) {
        folder.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
