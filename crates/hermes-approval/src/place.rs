//! Where an action would happen, as far as consent needs to know.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_policy::{Context, Isolation};

use crate::action::Action;

/// One environment of this process. A permit for one is worth nothing in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlaceId(u64);

impl PlaceId {
    /// One that no other environment has.
    pub fn unique() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// An environment.
#[derive(Debug, Clone)]
pub struct Place {
    pub id: PlaceId,
    /// What people call it: `local sandbox`, `container hermes-…`.
    pub name: String,
    pub isolation: Isolation,
    /// What is known about the world that its commands see.
    pub context: Context,
}

impl Place {
    /// What is known about the world as this action would see it. A relative path is judged by the
    /// folder that it would be relative to.
    pub(crate) fn seen_by(&self, action: &impl Action) -> Context {
        let mut seen = self.context.clone();
        if let Some(folder) = action.folder() {
            seen.folder = match &seen.folder {
                Some(session) if !folder.starts_with(['/', '~']) => Some(format!("{session}/{folder}")),
                _ => Some(folder.to_owned()),
            };
        }
        seen
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.name)
    }
}
