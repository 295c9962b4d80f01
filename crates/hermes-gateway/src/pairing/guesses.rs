//! Wrong codes, counted: after a few of them nothing is approved for a while.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::{PairingError, files};
use crate::Platform;

const FILE: &str = "_rate_limits.json";
const MOST_WRONG: u64 = 5;
const LOCKED_FOR: u64 = 3_600;

/// As the file has it; what is not ours in it stays.
type Limits = BTreeMap<String, Value>;

/// How many seconds approving is still locked.
pub(super) fn locked(home: &Path, platform: &Platform, now: u64) -> Result<Option<u64>, PairingError> {
    let limits: Limits = files::read(home, FILE)?;
    let until = limits.get(&lock(platform)).and_then(Value::as_f64).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of an age of the world")]
    let left = (until.max(0.0) as u64).saturating_sub(now);
    Ok((left > 0).then_some(left))
}

/// One more wrong code.
pub(super) fn wrong(home: &Path, platform: &Platform, now: u64) -> Result<(), PairingError> {
    files::update(home, FILE, |limits: &mut Limits| {
        let count = limits.get(&failures(platform)).and_then(Value::as_u64).unwrap_or_default() + 1;
        if count >= MOST_WRONG {
            limits.remove(&failures(platform));
            limits.insert(lock(platform), json!(now + LOCKED_FOR));
        } else {
            limits.insert(failures(platform), json!(count));
        }
        Ok(())
    })
}

/// A right one: the count begins anew.
pub(super) fn right(home: &Path, platform: &Platform) -> Result<(), PairingError> {
    files::update(home, FILE, |limits: &mut Limits| {
        limits.remove(&failures(platform));
        Ok(())
    })
}

fn failures(platform: &Platform) -> String {
    format!("_failures:{platform}")
}

fn lock(platform: &Platform) -> String {
    format!("_lockout:{platform}")
}
