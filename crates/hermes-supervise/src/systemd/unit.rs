//! The unit of a home's gateway: its name and its text.

use std::path::Path;
use std::time::Duration;

use hermes_home::HomeName;

/// What a unit is made from.
#[derive(Debug, Clone)]
pub struct UnitPlan<'a> {
    pub program: &'a Path,
    /// The root that holds the home.
    pub root: &'a Path,
    pub home: &'a HomeName,
    /// How long a stop may take.
    pub stop_budget: Duration,
    /// 0 for no watchdog.
    pub watchdog_seconds: u64,
    /// The account, for a unit of the whole system.
    pub account: Option<&'a str>,
}

/// The unit's name, one for each home.
pub fn unit_name(home: &HomeName) -> String {
    match home {
        HomeName::Default => "hermes-gateway.service".to_owned(),
        HomeName::Profile(name) => format!("hermes-gateway-{name}.service"),
    }
}

/// The unit's text. It is restarted after failures only; one that has to be mended first stays down.
pub fn unit(plan: &UnitPlan<'_>) -> String {
    let profile = match plan.home {
        HomeName::Default => "default".to_owned(),
        HomeName::Profile(name) => name.to_string(),
    };
    let watchdog = match plan.watchdog_seconds {
        0 => String::new(),
        seconds => format!("WatchdogSec={seconds}\n"),
    };
    let (account, wanted) = match plan.account {
        Some(account) => (format!("User={account}\n"), "multi-user.target"),
        None => (String::new(), "default.target"),
    };
    format!(
        "[Unit]\n\
         Description=Hermes gateway ({profile})\n\
         After=network-online.target\n\
         Wants=network-online.target\n\
         StartLimitIntervalSec=600\n\
         StartLimitBurst=10\n\
         \n\
         [Service]\n\
         Type=notify\n\
         NotifyAccess=main\n\
         {account}\
         Environment={environment}\n\
         ExecStart={program} -p {profile} gateway run\n\
         KillMode=mixed\n\
         KillSignal=SIGINT\n\
         TimeoutStartSec=360\n\
         TimeoutStopSec={stop}\n\
         {watchdog}\
         Restart=on-failure\n\
         RestartForceExitStatus=75\n\
         RestartPreventExitStatus=78\n\
         RestartSec=5\n\
         \n\
         [Install]\n\
         WantedBy={wanted}\n",
        environment = quoted(&format!("HERMES_HOME={}", plan.root.display())),
        // Only in a command line is a dollar sign more than itself.
        program = quoted(&plan.program.display().to_string()).replace('$', "$$"),
        stop = plan.stop_budget.as_secs(),
    )
}

/// A word of a unit: quoted, with what systemd would expand taken at its word.
fn quoted(word: &str) -> String {
    let escaped: String = word
        .chars()
        .map(|c| match c {
            '\\' => "\\\\".to_owned(),
            '"' => "\\\"".to_owned(),
            '\n' => "\\n".to_owned(),
            '%' => "%%".to_owned(),
            other => other.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use hermes_home::HomeName;

    use super::{UnitPlan, quoted, unit, unit_name};

    #[test]
    fn the_unit_restarts_on_failure_only_and_says_when_it_is_ready() {
        let name: HomeName = "coder".parse().unwrap();
        let plan = UnitPlan {
            program: Path::new("/opt/my tools/hermes"),
            root: Path::new("/home/a/.hermes"),
            home: &name,
            stop_budget: Duration::from_secs(90),
            watchdog_seconds: 30,
            account: None,
        };
        let text = unit(&plan);
        for line in [
            "Type=notify",
            "WatchdogSec=30",
            "Restart=on-failure",
            "RestartPreventExitStatus=78",
            "ExecStart=\"/opt/my tools/hermes\" -p coder gateway run",
            "Environment=\"HERMES_HOME=/home/a/.hermes\"",
            "WantedBy=default.target",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        assert!(!unit(&UnitPlan { watchdog_seconds: 0, ..plan.clone() }).contains("WatchdogSec"));
        assert!(unit(&UnitPlan { account: Some("hermes"), ..plan }).contains("User=hermes\n"));
        assert_eq!(unit_name(&name), "hermes-gateway-coder.service");
        assert_eq!(unit_name(&HomeName::Default), "hermes-gateway.service");
    }

    #[test]
    fn a_word_cannot_become_another_line_or_setting() {
        assert_eq!(quoted("a\"b\\c\nExecStart=x %h $HOME"), r#""a\"b\\c\nExecStart=x %%h $HOME""#);
    }
}
