//! Permits for tests, from a real guard that remembers in memory what it would have recorded.
//!
//! What a floor rule forbids has no permit here either: a test that attacks with such a command hands the
//! shell a file with it, as an attacker would.

// This crate is for tests only, where a panic is the report.
#![expect(clippy::expect_used, reason = "a test tool reports by panicking")]

use std::sync::{Arc, Mutex, PoisonError};

use hermes_approval::{
    Action, Entry, Guard, GuardParts, GuardSettings, Journal, JournalError, Moment, PermanentGrants, Permit, Place,
};
use hermes_proto::turn::TurnContext;

/// A journal that can be read.
#[derive(Debug, Default)]
pub struct MemoryJournal(Mutex<Vec<Entry>>);

impl MemoryJournal {
    /// What was recorded so far.
    pub fn entries(&self) -> Vec<Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often something was started.
    pub fn starts(&self) -> usize {
        self.entries().iter().filter(|entry| entry.moment == Moment::Started).count()
    }

    /// How everything that has ended did, in that order.
    pub fn ends(&self) -> Vec<String> {
        let end = |entry: Entry| match entry.moment {
            Moment::Ended { outcome } => Some(outcome),
            _ => None,
        };
        self.entries().into_iter().filter_map(end).collect()
    }
}

impl Journal for MemoryJournal {
    fn write(&self, entries: &[Entry]) -> Result<(), JournalError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(entries);
        Ok(())
    }
}

/// A guard and its journal.
#[derive(Debug)]
pub struct Permits {
    pub guard: Guard,
    pub journal: Arc<MemoryJournal>,
}

impl Permits {
    #[expect(clippy::new_without_default, reason = "two of them do not share a journal")]
    pub fn new() -> Self {
        let journal = Arc::new(MemoryJournal::default());
        let parts = GuardParts::new(GuardSettings::default(), journal.clone(), PermanentGrants::none());
        Self { guard: Guard::new(parts), journal }
    }

    /// A permit as one who typed the action has it.
    pub fn of<A: Action>(&self, turn: &TurnContext, place: &Place, action: A) -> Permit<A> {
        self.guard.permit_typed(turn, place, action).expect("the action is permitted")
    }
}

/// A permit from a guard of its own.
pub fn permit<A: Action>(turn: &TurnContext, place: &Place, action: A) -> Permit<A> {
    Permits::new().of(turn, place, action)
}
