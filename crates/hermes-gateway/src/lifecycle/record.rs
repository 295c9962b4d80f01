//! Who a process is, so that a number that was given to another one is not taken for it.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::LifecycleError;

const KIND: &str = "hermes-gateway";

/// A gateway's process, as its files name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRecord {
    pub pid: u32,
    pub kind: String,
    pub argv: Vec<String>,
    /// Field 22 of `/proc/PID/stat`: two processes of one number never share it.
    pub start_time: u64,
    pub hermes_home: String,
}

impl ProcessRecord {
    /// This process, as the gateway of this home.
    pub fn own(home: &Path) -> Result<Self, LifecycleError> {
        let pid = std::process::id();
        let start_time = start_time(pid).map_err(LifecycleError::OwnRecord)?;
        let argv = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok(Self { pid, kind: KIND.to_owned(), argv, start_time, hermes_home: home.display().to_string() })
    }

    /// What a file says; the original also wrote bare numbers.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(pid) = text.parse() {
            let kind = KIND.to_owned();
            return Some(Self {
                pid,
                kind,
                argv: Vec::new(),
                start_time: start_time(pid).ok()?,
                hermes_home: String::new(),
            });
        }
        serde_json::from_str(text).ok().filter(|record: &Self| record.kind == KIND)
    }

    /// Whether this very process still runs. One that has ended and was not waited for is dead.
    pub fn is_alive(&self) -> bool {
        start_time(self.pid).is_ok_and(|started| started == self.start_time)
    }
}

/// When a living process started, in ticks since the machine did.
fn start_time(pid: u32) -> io::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name of the program stands in parentheses and may hold anything, parentheses too.
    let behind = stat.rsplit_once(')').map(|(_, behind)| behind).unwrap_or_default();
    let mut fields = behind.split_whitespace();
    let state = fields.next();
    if matches!(state, Some("Z" | "X")) {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the process has ended"));
    }
    // The state is the third field.
    let started = fields.nth(18).and_then(|field| field.parse().ok());
    started.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no start time"))
}

#[cfg(test)]
mod tests {
    use super::ProcessRecord;

    #[test]
    fn a_number_that_was_given_to_another_process_is_not_taken_for_it() {
        let own = ProcessRecord::own("/home".as_ref()).unwrap();
        assert!(own.is_alive());
        assert!(!ProcessRecord { start_time: own.start_time + 1, ..own.clone() }.is_alive());
        assert!(!ProcessRecord { pid: u32::MAX, ..own.clone() }.is_alive());
        let text = serde_json::to_string(&own).unwrap();
        assert_eq!(ProcessRecord::parse(&text), Some(own.clone()));
        assert_eq!(ProcessRecord::parse(&format!("{}\n", own.pid)).unwrap().start_time, own.start_time);
        assert_eq!(ProcessRecord::parse(&text.replace("hermes-gateway", "other")), None);
        assert_eq!(ProcessRecord::parse("nonsense"), None);
    }
}
