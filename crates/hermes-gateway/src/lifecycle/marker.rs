//! Notes beside a signal: a gateway that is told to end reads why.
//!
//! A signal says nothing about who wanted what. Without a note it came from outside, and the gateway should come back.

use std::path::Path;

use hermes_home::files::{self, Change, Mode};
use hermes_store::Time;
use serde::{Deserialize, Serialize};

use super::{LifecycleError, ProcessRecord};

const PLANNED: &str = ".gateway-planned-stop.json";
const TAKEOVER: &str = ".gateway-takeover.json";
/// Seconds for which a note counts.
const LASTS: i64 = 60;

/// Why a gateway ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// An operator stopped it: it stays stopped.
    Planned,
    /// Another gateway takes its place.
    Takeover,
    /// Nobody said why: whoever supervises it should start it again.
    Unexpected,
    /// An operator wants it to start again.
    Restart,
}

/// A note to one gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    target_pid: u32,
    target_start_time: u64,
    stopper_pid: u32,
    /// Seconds since 1970.
    written_at: i64,
}

impl Marker {
    /// Leaves a note for this gateway.
    pub(super) fn leave(home: &Path, target: &ProcessRecord, reason: StopReason) -> Result<(), LifecycleError> {
        let name = if reason == StopReason::Takeover { TAKEOVER } else { PLANNED };
        let marker = Self {
            target_pid: target.pid,
            target_start_time: target.start_time,
            stopper_pid: std::process::id(),
            written_at: now(),
        };
        let text = serde_json::to_vec(&marker);
        files::update(home, name, Mode::Private, |_| match text {
            Ok(text) => Ok(Change::Replace(text)),
            Err(source) => Err(LifecycleError::Malformed { path: home.join(name), source }),
        })?;
        Ok(())
    }

    /// Why this process was told to end. The note is used up.
    pub fn read(home: &Path, own: &ProcessRecord) -> StopReason {
        let found = [(TAKEOVER, StopReason::Takeover), (PLANNED, StopReason::Planned)]
            .into_iter()
            .find(|(name, _)| Self::is_for(home, name, own));
        match found {
            Some((name, reason)) => {
                let removed = files::update(home, name, Mode::Private, |_| Ok::<_, LifecycleError>(Change::Remove));
                if let Err(error) = removed {
                    tracing::warn!(%error, "a note to this gateway cannot be removed");
                }
                reason
            }
            None => StopReason::Unexpected,
        }
    }

    fn is_for(home: &Path, name: &str, own: &ProcessRecord) -> bool {
        let Ok(text) = std::fs::read(home.join(name)) else { return false };
        let Ok(marker) = serde_json::from_slice::<Self>(&text) else { return false };
        let age = now() - marker.written_at;
        (marker.target_pid, marker.target_start_time) == (own.pid, own.start_time) && (-LASTS..=LASTS).contains(&age)
    }
}

fn now() -> i64 {
    Time::now().microseconds() / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::{Marker, PLANNED, ProcessRecord, StopReason};

    #[test]
    fn a_note_counts_once_for_its_process_and_for_a_while() {
        let home = tempfile::tempdir().unwrap();
        let own = ProcessRecord::own(home.path()).unwrap();
        assert_eq!(Marker::read(home.path(), &own), StopReason::Unexpected);
        for reason in [StopReason::Planned, StopReason::Takeover] {
            Marker::leave(home.path(), &own, reason).unwrap();
            let other = ProcessRecord { start_time: own.start_time + 1, ..own.clone() };
            assert_eq!(Marker::read(home.path(), &other), StopReason::Unexpected);
            assert_eq!(Marker::read(home.path(), &own), reason);
            assert_eq!(Marker::read(home.path(), &own), StopReason::Unexpected);
        }
        let old = Marker {
            target_pid: own.pid,
            target_start_time: own.start_time,
            stopper_pid: 1,
            written_at: super::now() - 61,
        };
        std::fs::write(home.path().join(PLANNED), serde_json::to_vec(&old).unwrap()).unwrap();
        assert_eq!(Marker::read(home.path(), &own), StopReason::Unexpected);
    }
}
