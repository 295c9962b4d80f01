//! Containers that nobody uses any more, left by processes that were killed.
//!
//! Only containers with our label and this profile are looked at. A stopped one goes when it
//! ended long enough ago, and only if it is still stopped at that moment; a running one is
//! stopped when this home's lease on it has been free for as long. What cannot be told stays.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use super::binary::Client;
use super::labels::{AGENT, PROFILE};
use super::lock::{self, FolderLock, unused_since};
use super::plan::{DockerSettings, Reaping};

const LIST: Duration = Duration::from_secs(15);
const QUESTION: Duration = Duration::from_secs(10);
/// A lifetime below this would sweep what a person is about to use.
const SHORTEST_LIFETIME: Duration = Duration::from_secs(60);

/// Makes sure that a process sweeps once. Owned by whoever makes environments.
#[derive(Debug)]
pub struct OrphanSweep(AtomicBool);

impl OrphanSweep {
    #[expect(clippy::new_without_default, reason = "a default would let code make a second one by accident")]
    pub fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Sweeps, the first time it is on; answers how many containers were removed. Never fails.
    pub fn once(&self, settings: &DockerSettings) -> usize {
        if settings.reaping == Reaping::Off || self.0.swap(true, Ordering::AcqRel) {
            return 0;
        }
        match Client::connect(&settings.search) {
            Ok(client) => sweep(&client, settings),
            Err(_) => 0,
        }
    }
}

fn sweep(client: &Client, settings: &DockerSettings) -> usize {
    let age = 2 * settings.lifetime.max(SHORTEST_LIFETIME);
    let Some(before) = SystemTime::now().checked_sub(age) else { return 0 };
    let profile = settings.spec.labels.profile();
    for id in list(client, profile, "running") {
        stop_abandoned(client, &settings.sandboxes, &id, before);
    }
    let is_old = |id: &String| finished_at(client, id).is_some_and(|finished| finished < before);
    let old = list(client, profile, "exited").into_iter().filter(is_old);
    let removed = |id: &String| match client.remove_stopped_container(id) {
        Ok(()) => {
            lock::forget(&settings.sandboxes, id);
            true
        }
        Err(error) => {
            tracing::warn!(%error, "an orphan stays behind");
            false
        }
    };
    old.filter(removed).count()
}

fn list(client: &Client, profile: &str, status: &str) -> Vec<String> {
    let filters = [format!("label={AGENT}=1"), format!("status={status}"), format!("label={PROFILE}={profile}")];
    let filters = filters.into_iter().flat_map(|filter| ["--filter".to_owned(), filter]);
    let arguments = ["ps".to_owned(), "-a".to_owned()].into_iter().chain(filters);
    match client.call(LIST, arguments.chain(["--format".to_owned(), "{{.ID}}".to_owned()])) {
        Ok(outcome) => outcome.standard_output.text().lines().map(str::trim).map(str::to_owned).collect(),
        Err(error) => {
            tracing::warn!(%error, "orphans cannot be looked for");
            Vec::new()
        }
    }
}

/// When a container ended; `None` if that is not known.
fn finished_at(client: &Client, id: &str) -> Option<SystemTime> {
    let answer = client.call(QUESTION, ["inspect", "--format", "{{json .State.FinishedAt}}", id]);
    parse_time(&answer.ok()?.standard_output.text())
}

/// A time as engines write it, in quotes. The zero date means that there was none.
pub(super) fn parse_time(text: &str) -> Option<SystemTime> {
    let time: Timestamp = text.trim().trim_matches('"').parse().ok()?;
    (time > Timestamp::UNIX_EPOCH).then(|| time.into())
}

/// One of this home's that has been running without anybody for long enough.
fn stop_abandoned(client: &Client, sandboxes: &Path, id: &str, before: SystemTime) {
    let Ok(folders) = std::fs::read_dir(sandboxes) else { return };
    for folder in folders.flatten().map(|entry| entry.path()) {
        let is_abandoned = || unused_since(&folder, id).is_some_and(|since| since < before);
        if !is_abandoned() {
            continue;
        }
        let Ok(_lock) = FolderLock::take(&folder) else { continue };
        // Somebody may have come back before we had the lock.
        if is_abandoned()
            && let Err(error) = client.stop_container(id)
        {
            tracing::warn!(%error, "an abandoned container stays behind");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse_time;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn only_real_times_are_times() {
        let check = |text: &str, expected: Option<u64>| {
            let seconds = parse_time(text).map(|time| time.duration_since(UNIX_EPOCH).unwrap());
            assert_eq!(seconds.map(|since| since.as_secs()), expected, "{text}");
        };
        check("\"2025-11-15T09:06:17.123456789Z\"\n", Some(1_763_197_577));
        check("\"2025-11-15T10:06:17.1+01:00\"", Some(1_763_197_577));
        check("\"0001-01-01T00:00:00Z\"", None);
        check("", None);
        check("<no value>", None);
        assert_eq!(parse_time("\"1970-01-01T00:00:01Z\""), Some(UNIX_EPOCH + Duration::from_secs(1)));
    }
}
