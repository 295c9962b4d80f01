//! Files that a gateway which died has left behind, and no delivery needs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use hermes_store::StoreError;
use hermes_store::ledger::Ledger;

use crate::Content;
use crate::stored::StoredDelivery;

/// Removes what no delivery that is due will send. Called before anything new is written there.
pub(crate) fn remove_orphans(ledger: &Ledger, folder: &Path) -> Result<(), StoreError> {
    let needed: HashSet<PathBuf> =
        ledger.due_contents("\"path\"")?.iter().filter_map(|content| path_in(content)).collect();
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| !needed.contains(path)) {
        if let Err(error) = std::fs::remove_file(path) {
            tracing::warn!(%error, "a file that nobody needs cannot be removed");
        }
    }
    Ok(())
}

fn path_in(content: &str) -> Option<PathBuf> {
    let stored: StoredDelivery = serde_json::from_str(content).ok()?;
    match stored.content {
        Content::File { file, .. } => Some(file.path),
        _ => None,
    }
}
