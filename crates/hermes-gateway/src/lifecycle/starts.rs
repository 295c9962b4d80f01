//! A gateway that is started again and again is slowed down: a loop of crashes must not become a loop of logins.

use std::path::Path;
use std::time::Duration;

use hermes_home::files::{self, Change, Mode};
use hermes_store::Time;

use super::LifecycleError;

const FILE: &str = "gateway-starts.log";
/// Seconds that are looked back.
const WINDOW: i64 = 120;
/// Starts in that time that are not slowed down.
const FREE: usize = 5;
const LONGEST: Duration = Duration::from_secs(300);
/// Lines that are kept.
const KEPT: usize = 64;

/// Notes a start; how long it should wait.
pub fn pause_before_start(home: &Path) -> Result<Duration, LifecycleError> {
    let now = Time::now().microseconds() / 1_000_000;
    let mut recent = 0;
    files::update(home, FILE, Mode::Private, |current| {
        let text = String::from_utf8_lossy(current.unwrap_or_default()).into_owned();
        let mut starts: Vec<i64> = text.lines().filter_map(|line| line.trim().parse().ok()).collect();
        starts.push(now);
        recent = starts.iter().filter(|start| (0..=WINDOW).contains(&(now - **start))).count();
        let kept = starts.len().saturating_sub(KEPT);
        let lines: String = starts[kept..].iter().map(|start| format!("{start}\n")).collect();
        Ok::<_, LifecycleError>(Change::Replace(lines.into_bytes()))
    })?;
    Ok(pause(recent))
}

fn pause(recent: usize) -> Duration {
    match u32::try_from(recent.saturating_sub(FREE)).unwrap_or(u32::MAX) {
        0 => Duration::ZERO,
        over => LONGEST.min(Duration::from_secs(5) * 2_u32.saturating_pow((over - 1).min(8))),
    }
}

#[cfg(test)]
mod tests {
    use super::{pause, pause_before_start};
    use std::time::Duration;

    #[test]
    fn the_sixth_start_in_two_minutes_waits_and_the_next_ones_longer() {
        let home = tempfile::tempdir().unwrap();
        let pauses: Vec<_> = (0..8).map(|_| pause_before_start(home.path()).unwrap().as_secs()).collect();
        assert_eq!(pauses, [0, 0, 0, 0, 0, 5, 10, 20]);
        assert_eq!(pause(1_000), Duration::from_secs(300));
    }

    #[test]
    fn old_starts_and_nonsense_do_not_count() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("gateway-starts.log"), "1\n2\nnonsense\n3\n4\n5\n6\n").unwrap();
        assert_eq!(pause_before_start(home.path()).unwrap(), Duration::ZERO);
    }
}
