//! The one place where a task begins. All of them share the executor's only thread.

use std::future::Future;

use tokio::task::JoinHandle;

/// Runs `work` beside the caller, until it ends or the executor does.
pub(crate) fn spawn<T: 'static>(work: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    tokio::task::spawn_local(work)
}
