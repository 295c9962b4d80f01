//! tirith, a program of its own that looks at commands: run, never linked.
//!
//! It looks for what the rules do not: look-alike addresses, hidden characters, untrusted downloads. Its answer is its exit
//! code; what it prints only explains. It may be missing, hang or break, and a hostile command may be the reason: so a
//! failure counts against the program only if it also fails on a harmless command, and what failed is said once.

mod report;

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use hermes_home::config::Security;
use hermes_proto::HostEnvironment;
use hermes_sandbox::process::{Ending, Helper, HelperError, HelperOutcome, find_program};
use tokio::sync::Semaphore;

pub use report::Scanned;

/// Failures in a row after which the program is not run again.
const TOLERATED: u32 = 3;
/// Scans at once.
const AT_ONCE: usize = 4;
/// The kernel takes no longer argument; see MAX_ARG_STRLEN.
const LONGEST_COMMAND: usize = 120 << 10;
const OUTPUT: usize = 256 << 10;
/// What it needs of the environment: where its files are. Never `TIRITH`, which switches it off.
const VARIABLES: [&str; 8] =
    ["HOME", "PATH", "LANG", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TIRITH_LOG"];

/// The scanner of this process. Clones share its failures.
#[derive(Debug, Clone)]
pub struct Scanner {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    program: OsString,
    environment: Vec<(OsString, OsString)>,
    time_limit: Duration,
    when_failing: WhenFailing,
    /// In a row.
    failures: AtomicU32,
    is_said: AtomicBool,
    turns: Semaphore,
}

/// What a scan that failed means: `security.tirith_fail_open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFailing {
    /// The built-in rules stand alone.
    RulesStand,
    /// Somebody has to consent.
    Ask,
}

/// What came of a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scan {
    Clean,
    Found(Vec<Scanned>),
    /// It could not look. The text is for people, and there only the first time.
    Failed {
        first: Option<String>,
    },
}

impl Scanner {
    /// The scanner that is configured; `None` when it is switched off.
    pub fn configured(security: &Security, environment: &HostEnvironment) -> Option<Self> {
        if !security.tirith_enabled {
            return None;
        }
        let mut variables: Vec<_> = VARIABLES
            .into_iter()
            .filter_map(|name| environment.get(name).map(|value| (OsString::from(name), value.to_owned())))
            .collect();
        // Nothing about a command leaves the machine because it was scanned.
        variables.push(("TIRITH_OFFLINE".into(), "1".into()));
        let when_failing = if security.tirith_fail_open { WhenFailing::RulesStand } else { WhenFailing::Ask };
        let shared = Shared {
            program: security.tirith_path.clone().into(),
            environment: variables,
            time_limit: Duration::from_secs(security.tirith_timeout.max(1)),
            when_failing,
            failures: AtomicU32::new(0),
            is_said: AtomicBool::new(false),
            turns: Semaphore::new(AT_ONCE),
        };
        Some(Self { shared: Arc::new(shared) })
    }

    pub(crate) fn when_failing(&self) -> WhenFailing {
        self.shared.when_failing
    }

    /// Looks at a command without running it.
    pub(crate) async fn scan(&self, command: &str) -> Scan {
        if self.is_disabled() {
            return Scan::Failed { first: None };
        }
        if command.trim().is_empty() {
            return Scan::Clean;
        }
        if command.len() > LONGEST_COMMAND || command.contains('\0') {
            return Scan::Failed { first: None };
        }
        if self.shared.is_missing() {
            return self.shared.failed(&HelperError::NotFound { program: self.shared.program.clone() });
        }
        let Ok(_turn) = self.shared.turns.acquire().await else { return Scan::Failed { first: None } };
        let (shared, command) = (self.shared.clone(), command.to_owned());
        // The program is waited for by a thread that may block.
        tokio::task::spawn_blocking(move || shared.scan(&command)).await.unwrap_or(Scan::Failed { first: None })
    }

    fn is_disabled(&self) -> bool {
        self.shared.failures.load(Ordering::Relaxed) >= TOLERATED
    }
}

impl Shared {
    /// Whether no program has its name: most machines have none, and it takes no thread to find that out.
    fn is_missing(&self) -> bool {
        let path = self.environment.iter().find(|(name, _)| name == "PATH");
        let is_path = self.program.as_encoded_bytes().contains(&b'/');
        !is_path && find_program(&self.program, path.map_or(OsStr::new(""), |(_, folders)| folders)).is_none()
    }

    fn scan(&self, command: &str) -> Scan {
        match self.ask(command) {
            Ok(scan) => {
                self.failures.store(0, Ordering::Relaxed);
                scan
            }
            Err(error) => self.failed(&error),
        }
    }

    fn ask(&self, command: &str) -> Result<Scan, HelperError> {
        // One argument: what the model wrote can be no option.
        let arguments = ["check", "--json", "--non-interactive", "--shell", "posix", "--", command];
        let helper = Helper::new(&self.program)
            .args(arguments)
            .environment(self.environment.iter().cloned())
            // It reads settings from the folder it is in, and agents write in the current one.
            .folder("/")
            .time_limit(self.time_limit)
            .output_limit(OUTPUT);
        let found = |level, outcome: &HelperOutcome| Scan::Found(report::read(level, &outcome.standard_output.bytes));
        match helper.run() {
            Ok(_) => Ok(Scan::Clean),
            Err(HelperError::Failed { ending: Ending::Code(1), outcome, .. }) => Ok(found("block", &outcome)),
            // 3 is a warning that its own hooks want acknowledged.
            Err(HelperError::Failed { ending: Ending::Code(2 | 3), outcome, .. }) => Ok(found("warn", &outcome)),
            Err(error) => Err(error),
        }
    }

    fn failed(&self, error: &HelperError) -> Scan {
        let may_be_the_command = matches!(error, HelperError::TimedOut { .. } | HelperError::Failed { .. });
        if may_be_the_command && matches!(self.ask("true"), Ok(Scan::Clean)) {
            tracing::warn!(%error, "the command scanner failed on one command");
            return Scan::Failed { first: None };
        }
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        if failures == TOLERATED {
            tracing::warn!("the command scanner failed {TOLERATED} times in a row and is not run any more");
        }
        if self.is_said.swap(true, Ordering::Relaxed) {
            return Scan::Failed { first: None };
        }
        let text = format!("commands are not scanned: {error}; {}", self.consequence());
        tracing::warn!("{text}");
        Scan::Failed { first: Some(text) }
    }

    fn consequence(&self) -> &'static str {
        match self.when_failing {
            WhenFailing::RulesStand => "the built-in rules stand",
            WhenFailing::Ask => "every command needs consent, as security.tirith_fail_open is false",
        }
    }
}
