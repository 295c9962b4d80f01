//! The end of runs. A run ends once.

use rusqlite::params;

use super::{RunState, Runs};
use crate::{StoreError, Time};

impl Runs {
    /// A run has ended like this; whether it was open until now.
    pub fn end(&self, id: &str, state: RunState, detail: &str) -> Result<bool, StoreError> {
        self.store.write("end a run", |transaction| {
            let update = "UPDATE runs SET state = ?2, ended = ?3, detail = ?4 WHERE id = ?1 AND state = 'open'";
            let values = params![id, state.name(), Time::now(), detail];
            Ok(transaction.prepare_cached(update)?.execute(values)? == 1)
        })
    }

    /// Work on it could not begin. The name of the request is free again.
    pub fn refuse(&self, id: &str, detail: &str) -> Result<(), StoreError> {
        self.store.write("refuse a run", |transaction| {
            let update = "UPDATE runs SET state = 'failed', ended = ?2, detail = ?3, request = NULL
                WHERE id = ?1 AND state = 'open'";
            transaction.prepare_cached(update)?.execute(params![id, Time::now(), detail]).map(drop)
        })
    }

    /// Whoever worked on open runs is gone; how many there were. Only for the one process that owns the home.
    pub fn interrupt_open(&self) -> Result<usize, StoreError> {
        self.store.write("give up runs", |transaction| {
            let update = "UPDATE runs SET state = 'interrupted', ended = ?1 WHERE state = 'open'";
            transaction.execute(update, [Time::now()])
        })
    }
}
