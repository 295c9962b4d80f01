//! Whether this process hosts sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the first binding of a session, never reset. One per runtime, handed to every edge.
#[derive(Debug, Clone)]
pub struct Hosting(Arc<AtomicBool>);

impl Hosting {
    #[expect(clippy::new_without_default, reason = "a default would let code make a second, unengaged one by accident")]
    pub fn new() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    pub(super) fn engage(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_engaged(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
