//! Runs of the API: taken once, answered for ever after.
//!
//! A run is on disk before its caller hears of it, so a killed process leaves it open, and the next one says that it was interrupted;
//! it is never unknown. What a run is made of is the gateway's own: here it is text.

mod accept;
mod end;
mod forget;
#[cfg(test)]
mod tests;

use rusqlite::{OptionalExtension, Row};

use crate::{Store, StoreError, Time};

pub use accept::{NewRun, Taken};

/// How a run stands on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It has not ended, or the process that worked on it does not know yet.
    Open,
    Completed,
    Failed,
    Cancelled,
    /// The process that worked on it died.
    Interrupted,
}

impl RunState {
    const ALL: [Self; 5] = [Self::Open, Self::Completed, Self::Failed, Self::Cancelled, Self::Interrupted];

    const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// A state of a newer version is none that this one could go on with.
    fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|state| state.name() == name).unwrap_or(Self::Interrupted)
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: String,
    pub owner: String,
    pub created: Time,
    pub ended: Option<Time>,
    pub state: RunState,
    /// JSON.
    pub detail: String,
}

/// The runs of one store.
#[derive(Debug, Clone)]
pub struct Runs {
    store: Store,
}

const COLUMNS: &str = "id, owner, created, ended, state, detail";

impl Runs {
    pub fn open(store: &Store) -> Self {
        Self { store: store.clone() }
    }

    /// A run of this owner.
    pub fn get(&self, owner: &str, id: &str) -> Result<Option<Run>, StoreError> {
        self.store.read("look for a run", None, |transaction| {
            let query = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1 AND owner = ?2");
            transaction.prepare_cached(&query)?.query_row([id, owner], Run::from_row).optional()
        })
    }
}

impl Run {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let state: String = row.get(4)?;
        Ok(Self {
            id: row.get(0)?,
            owner: row.get(1)?,
            created: row.get(2)?,
            ended: row.get(3)?,
            state: RunState::from_name(&state),
            detail: row.get(5)?,
        })
    }
}
