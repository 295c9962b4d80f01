//! systemd user units on a host: `hermes-gateway.service` for the default home,
//! `hermes-gateway-<profile>.service` for a profile. `gateway install` writes them.

mod unit;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use hermes_home::intent::Intent;
use hermes_home::{HomeName, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_sandbox::process::{Helper, HelperError, HelperOutcome, find_program};

use crate::manager::{
    ManagerKind, Registration, ServiceError, ServiceManager, ServiceState, ServiceStatus, keep_intent,
};
pub use unit::{UnitPlan, unit, unit_name};

/// What `systemctl --user` needs to find its bus and the units.
const NEEDED: [&str; 6] = ["PATH", "HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "USER"];
/// A manager in one of these states takes requests.
const USABLE: [&str; 4] = ["running", "degraded", "starting", "initializing"];
/// systemd has limits of its own for starts and stops; this is only longer than those.
const PATIENCE: Duration = Duration::from_secs(600);

/// The user's own systemd.
#[derive(Debug, Clone)]
pub struct SystemdUser {
    environment: Vec<(String, OsString)>,
    root: HomeRoot,
}

/// Where this account's unit of a home is, or would be.
pub fn unit_path(environment: &HostEnvironment, home: &HomeName) -> Option<PathBuf> {
    let config = environment.path("XDG_CONFIG_HOME");
    let config = config.or_else(|| environment.path("HOME").map(|home| home.join(".config")))?;
    Some(config.join("systemd/user").join(unit_name(home)))
}

impl SystemdUser {
    /// The user's systemd, if there is one that answers.
    pub fn find(environment: &HostEnvironment, root: &HomeRoot) -> Option<Self> {
        find_program("systemctl", environment.get("PATH")?)?;
        let kept = NEEDED.iter().filter_map(|name| Some(((*name).to_owned(), environment.get(name)?.to_owned())));
        let found = Self { environment: kept.collect(), root: root.clone() };
        found.answers().then_some(found)
    }

    /// Reads the units again and lets that of a home start with the account.
    pub fn enable(&self, home: &HomeName) -> Result<(), ServiceError> {
        self.reload(home)?;
        self.act(home, "enable")
    }

    /// The opposite, for a unit that is about to be removed.
    pub fn disable(&self, home: &HomeName) -> Result<(), ServiceError> {
        self.act(home, "disable")
    }

    /// Reads the units again, because that of a home has changed.
    pub fn reload(&self, home: &HomeName) -> Result<(), ServiceError> {
        self.ask(home, "daemon-reload", &["daemon-reload"]).map(drop)
    }

    fn answers(&self) -> bool {
        // Anything but "running" comes with an exit code that is not zero.
        let answer = match self.control(&["is-system-running"]).run() {
            Ok(outcome) => outcome.standard_output.text(),
            Err(HelperError::Failed { outcome, .. }) => outcome.standard_output.text(),
            Err(_) => return false,
        };
        USABLE.contains(&answer.as_str())
    }

    fn control(&self, arguments: &[&str]) -> Helper {
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        Helper::new("systemctl").environment(environment).args(["--user"]).args(arguments.iter().copied())
    }

    fn act(&self, home: &HomeName, action: &'static str) -> Result<(), ServiceError> {
        self.ask(home, action, &[action, &unit_name(home)]).map(drop)
    }

    fn ask(&self, home: &HomeName, action: &'static str, words: &[&str]) -> Result<HelperOutcome, ServiceError> {
        let asked = self.control(words).time_limit(PATIENCE).run();
        asked.map_err(|source| ServiceError::Unit { unit: unit_name(home), action, source })
    }
}

impl ServiceManager for SystemdUser {
    fn kind(&self) -> ManagerKind {
        ManagerKind::SystemdUser
    }

    fn supports_registration(&self) -> bool {
        false
    }

    fn start(&self, home: &HomeName) -> Result<(), ServiceError> {
        keep_intent(&self.root, home, Intent::Running)?;
        self.act(home, "start")
    }

    fn stop(&self, home: &HomeName) -> Result<(), ServiceError> {
        keep_intent(&self.root, home, Intent::Stopped)?;
        self.act(home, "stop")
    }

    fn restart(&self, home: &HomeName) -> Result<(), ServiceError> {
        keep_intent(&self.root, home, Intent::Running)?;
        self.act(home, "restart")
    }

    fn status(&self, home: &HomeName) -> Result<ServiceStatus, ServiceError> {
        let unit = unit_name(home);
        let shown = self.ask(home, "show", &["show", "--property=LoadState,ActiveState,MainPID,Result", &unit])?;
        Ok(read_show(&shown.standard_output.text()))
    }

    fn register(&self, _: &HomeName, _: &Registration) -> Result<(), ServiceError> {
        Err(ServiceError::NotSupported { kind: self.kind() })
    }

    fn unregister(&self, _: &HomeName) -> Result<(), ServiceError> {
        Ok(())
    }

    fn list(&self) -> Result<Vec<HomeName>, ServiceError> {
        Ok(Vec::new())
    }
}

/// What `systemctl show` said.
fn read_show(text: &str) -> ServiceStatus {
    let value = |name: &str| {
        text.lines().find_map(|line| line.split_once('=').filter(|(key, _)| *key == name)).map(|(_, value)| value)
    };
    let process = value("MainPID").and_then(|number| number.parse().ok()).unwrap_or(0);
    let active = value("ActiveState");
    let state = match (value("LoadState"), process) {
        (Some("not-found") | None, _) => ServiceState::Absent,
        (_, 0) => ServiceState::Down,
        (_, process) => ServiceState::Running { process },
    };
    let reason = value("Result").filter(|result| active == Some("failed") && *result != "success");
    ServiceStatus { state, wanted: active == Some("active"), reason: reason.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::read_show;
    use crate::manager::{ServiceState, ServiceStatus};

    #[test]
    fn what_show_says_is_understood() {
        let check = |text: &str, state, wanted, reason: Option<&str>| {
            let expected = ServiceStatus { state, wanted, reason: reason.map(str::to_owned) };
            assert_eq!(read_show(text), expected, "{text}");
        };
        let running = "MainPID=71\nResult=success\nLoadState=loaded\nActiveState=active\n";
        check(running, ServiceState::Running { process: 71 }, true, None);
        let failed = "MainPID=0\nResult=exit-code\nLoadState=loaded\nActiveState=failed\n";
        check(failed, ServiceState::Down, false, Some("exit-code"));
        check("MainPID=0\nLoadState=not-found\nActiveState=inactive\n", ServiceState::Absent, false, None);
        check("", ServiceState::Absent, false, None);
    }
}
