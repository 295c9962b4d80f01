//! Which turn something belongs to, and whether that turn still goes on.
//!
//! A permission that outlived its turn would let a leftover task act in the name of a person who
//! has long stopped watching.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// One turn of this process. Never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TurnId(u64);

#[derive(Debug)]
pub(super) struct TurnLife {
    id: TurnId,
    is_over: AtomicBool,
    /// The turn that gave this one its task.
    within: Option<Arc<TurnLife>>,
}

impl TurnLife {
    pub(super) fn begin() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self { id: TurnId(LAST.fetch_add(1, Ordering::Relaxed)), is_over: AtomicBool::new(false), within: None }
    }

    /// A turn that is over when `outer` is, if not before.
    pub(super) fn begin_within(outer: &Arc<Self>) -> Self {
        Self { within: Some(outer.clone()), ..Self::begin() }
    }

    pub(super) fn id(&self) -> TurnId {
        self.id
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire) || self.within.as_ref().is_some_and(|outer| outer.is_over())
    }
}
