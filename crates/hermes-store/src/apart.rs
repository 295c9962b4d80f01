//! How asynchronous code does what may block.
//!
//! A write may have to wait for another process, and the threads that drive everybody's turns may not; so it gets a thread of its
//! own. A runtime with one thread drives one conversation, which waits for the write anyway: there handing it over and
//! back would cost more than the write itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::{Handle, RuntimeFlavor};

/// The work did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("work on the disk failed unexpectedly")]
pub struct Panicked;

/// Does the work where nobody else waits for it. Work that was begun is done, even if nobody waits for it any more.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Panicked> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked);
    }
    tokio::task::spawn_blocking(work).await.map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use std::thread::{ThreadId, current};

    use tokio::runtime::{Builder, Runtime};

    use super::{Panicked, apart};

    fn check(runtime: &Runtime, is_here: impl Fn(ThreadId) -> bool) {
        let worked_in = runtime.block_on(apart(|| current().id()));
        assert!(worked_in.is_ok_and(is_here));
        assert_eq!(runtime.block_on(apart(|| panic!("as it should"))), Err::<(), _>(Panicked));
    }

    #[test]
    fn only_threads_that_drive_others_too_are_spared() {
        let own = current().id();
        check(&Builder::new_current_thread().build().unwrap(), |worked_in| worked_in == own);
        check(&Builder::new_multi_thread().worker_threads(1).build().unwrap(), |worked_in| worked_in != own);
    }
}
