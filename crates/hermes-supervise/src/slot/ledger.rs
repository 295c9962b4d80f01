//! The recent crashes of a service, and how long the next start waits because of them.
//!
//! A supervisor that restarts at once turns a broken configuration into a busy loop that nobody
//! sees. The first crashes cost nothing; a storm of them waits longer each time, and says why.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Ended;

/// The file in the slot: one line a crash, `seconds ending`.
const FILE: &str = "crashes";
/// Crashes older than this are forgotten.
const WINDOW: i64 = 120;
/// So many within the window are bad luck; more are a storm.
const TOLERATED: usize = 5;
const FIRST_PAUSE: i64 = 5;
const LONGEST_PAUSE: i64 = 300;
/// Lines kept. A pause of five minutes must not make the storm before it forgotten.
const KEPT: usize = 20;

/// The ledger of one slot.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
}

/// A start that has to wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    pub time: Duration,
    /// What a person is told.
    pub reason: String,
}

impl Ledger {
    pub fn of(slot: &Path) -> Self {
        Self { path: slot.join(FILE) }
    }

    /// Notes a crash at this second.
    pub fn note(&self, ended: Ended, now: i64) -> io::Result<()> {
        let mut lines = self.lines();
        lines.push((now, ended.to_string()));
        let first = lines.len().saturating_sub(KEPT);
        let text: String = lines[first..].iter().map(|(when, how)| format!("{when} {how}\n")).collect();
        let new = self.path.with_extension("new");
        std::fs::write(&new, text)?;
        std::fs::rename(new, &self.path)
    }

    /// Forgets all crashes: somebody has looked after the service, or it ended well.
    pub fn clear(&self) -> io::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether a start at this second has to wait.
    pub fn pause(&self, now: i64) -> Option<Pause> {
        let lines = self.lines();
        let storm = storm(&lines, now);
        let (_, last) = lines.last().filter(|_| storm > TOLERATED)?;
        let seconds = seconds_after(storm);
        let reason = format!("crashed {storm} times in a row ({last}); the next start waits {seconds} s");
        Some(Pause { time: Duration::from_secs(seconds.unsigned_abs()), reason })
    }

    fn lines(&self) -> Vec<(i64, String)> {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        let parse = |line: &str| {
            let (when, how) = line.split_once(' ')?;
            Some((when.parse().ok()?, how.to_owned()))
        };
        text.lines().filter_map(parse).collect()
    }
}

/// How many crashes belong to the storm of this second: each came within the window of the one
/// before, not counting the pause that was made between them.
fn storm(lines: &[(i64, String)], now: i64) -> usize {
    let mut found = 0;
    let mut before = None;
    for when in lines.iter().map(|(when, _)| *when).chain([now]) {
        let calm =
            before.is_some_and(|before| when.saturating_sub(before) > WINDOW.saturating_add(seconds_after(found)));
        found = if calm { 1 } else { found + 1 };
        before = Some(when);
    }
    // The last one counted is this second, which is no crash.
    found - 1
}

/// How long the start after so many crashes waits.
fn seconds_after(crashes: usize) -> i64 {
    let Some(doubled) = crashes.checked_sub(TOLERATED + 1) else { return 0 };
    let factor = 2_i64.saturating_pow(u32::try_from(doubled).unwrap_or(u32::MAX));
    FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Ledger, Pause};
    use crate::slot::Ended;

    fn after(crashes: &[i64], now: i64) -> Option<Pause> {
        let slot = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(slot.path());
        for when in crashes {
            ledger.note(Ended::Code(1), *when).unwrap();
        }
        ledger.pause(now)
    }

    #[test]
    fn a_few_crashes_cost_nothing_and_a_storm_waits_longer_each_time() {
        assert_eq!(after(&[], 100), None);
        assert_eq!(after(&[1, 2, 3, 4, 5], 6), None);
        let seconds = |count: i64| {
            let crashes: Vec<i64> = (0..count).collect();
            after(&crashes, count).map(|pause| pause.time.as_secs())
        };
        let expected = [Some(5), Some(10), Some(20), Some(40), Some(80), Some(160), Some(300), Some(300)];
        assert_eq!((6..14).map(seconds).collect::<Vec<_>>(), expected);
        assert_eq!(seconds(1000), Some(300), "the ledger is bounded and the pause is, too");
    }

    #[test]
    fn the_reason_names_how_it_ended() {
        let pause = after(&[1, 2, 3, 4, 5, 6], 7).unwrap();
        assert_eq!(pause.time, Duration::from_secs(5));
        assert_eq!(pause.reason, "crashed 6 times in a row (exit code 1); the next start waits 5 s");
    }

    #[test]
    fn old_crashes_are_forgotten_and_so_is_everything_on_clear() {
        assert_eq!(after(&[1, 2, 3, 4, 5, 6], 1000), None);
        let slot = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(slot.path());
        for when in 0..10 {
            ledger.note(Ended::Signal(9), when).unwrap();
        }
        assert!(ledger.pause(10).is_some());
        ledger.clear().unwrap();
        assert_eq!(ledger.pause(10), None);
        ledger.clear().unwrap();
    }

    #[test]
    fn a_damaged_ledger_stops_nothing() {
        let slot = tempfile::tempdir().unwrap();
        std::fs::write(slot.path().join("crashes"), "x\n\n1\n99999999999999999999 a\n-5 b\n").unwrap();
        assert_eq!(Ledger::of(slot.path()).pause(3), None);
    }
}
