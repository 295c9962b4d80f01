//! systemd user units on a host: `hermes-gateway.service` for the default home,
//! `hermes-gateway-<profile>.service` for a profile. Writing them is `gateway install`'s part; here
//! they are started, stopped and asked.

use hermes_home::HomeName;
use hermes_proto::HostEnvironment;
use hermes_sandbox::process::{Helper, find_program};

use crate::manager::{ManagerKind, Registration, ServiceError, ServiceManager, ServiceState, ServiceStatus};

/// What `systemctl --user` needs to find its bus.
const NEEDED: [&str; 5] = ["PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "USER"];
/// A manager in one of these states takes requests.
const USABLE: [&str; 4] = ["running", "degraded", "starting", "initializing"];

/// The user's own systemd.
#[derive(Debug, Clone)]
pub struct SystemdUser {
    environment: Vec<(String, std::ffi::OsString)>,
}

impl SystemdUser {
    /// The user's systemd, if there is one that answers.
    pub fn find(environment: &HostEnvironment) -> Option<Self> {
        find_program("systemctl", environment.get("PATH")?)?;
        let kept = NEEDED.iter().filter_map(|name| Some(((*name).to_owned(), environment.get(name)?.to_owned())));
        let found = Self { environment: kept.collect() };
        found.answers().then_some(found)
    }

    /// The name of a home's unit.
    pub fn unit(home: &HomeName) -> String {
        match home {
            HomeName::Default => "hermes-gateway.service".to_owned(),
            HomeName::Profile(name) => format!("hermes-gateway-{name}.service"),
        }
    }

    fn answers(&self) -> bool {
        // Anything but "running" comes with an exit code that is not zero.
        let answer = match self.control(&["is-system-running"]).run() {
            Ok(outcome) => outcome.standard_output.text(),
            Err(hermes_sandbox::process::HelperError::Failed { outcome, .. }) => outcome.standard_output.text(),
            Err(_) => return false,
        };
        USABLE.contains(&answer.as_str())
    }

    fn control(&self, arguments: &[&str]) -> Helper {
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        Helper::new("systemctl").environment(environment).args(["--user"]).args(arguments.iter().copied())
    }

    fn act(&self, home: &HomeName, action: &'static str) -> Result<(), ServiceError> {
        let service = Self::unit(home);
        match self.control(&[action, &service]).run() {
            Ok(_) => Ok(()),
            Err(source) => Err(ServiceError::Command { service, action, source }),
        }
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
        self.act(home, "start")
    }

    fn stop(&self, home: &HomeName) -> Result<(), ServiceError> {
        self.act(home, "stop")
    }

    fn restart(&self, home: &HomeName) -> Result<(), ServiceError> {
        self.act(home, "restart")
    }

    fn status(&self, home: &HomeName) -> Result<ServiceStatus, ServiceError> {
        let service = Self::unit(home);
        let shown = self.control(&["show", "--property=LoadState,ActiveState,MainPID,Result", &service]).run();
        let text =
            shown.map_err(|source| ServiceError::Command { service, action: "show", source })?.standard_output.text();
        Ok(read_show(&text))
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
    use super::{SystemdUser, read_show};
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

    #[test]
    fn units_are_named_after_their_home() {
        assert_eq!(SystemdUser::unit(&"default".parse().unwrap()), "hermes-gateway.service");
        assert_eq!(SystemdUser::unit(&"coder".parse().unwrap()), "hermes-gateway-coder.service");
    }
}
