//! systemd, asked through its own program.

use std::path::PathBuf;

use hermes_gateway::lifecycle::systemd::unit_name;
use hermes_home::Home;
use hermes_proto::Fault;
use hermes_sandbox::process::{Helper, find_program};

use crate::context::Context;
use crate::exit::Failure;

/// The unit of one home, and the way to its manager.
#[derive(Debug)]
pub(super) struct Systemctl {
    program: PathBuf,
    unit: String,
    environment: Vec<(&'static str, String)>,
}

/// Where units of this account are.
pub(super) fn unit_path(home: &Home, context: &Context) -> Option<PathBuf> {
    let config = context.environment.path("XDG_CONFIG_HOME");
    let config = config.or_else(|| context.environment.path("HOME").map(|home| home.join(".config")))?;
    Some(config.join("systemd").join("user").join(unit_name(home.name())))
}

impl Systemctl {
    /// systemd, if it can be asked.
    pub(super) fn found(home: &Home, context: &Context) -> Option<Self> {
        let path = context.environment.text("PATH")?;
        let program = find_program("systemctl", path.as_ref())?;
        let passed = ["PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"];
        let environment =
            passed.into_iter().filter_map(|name| Some((name, context.environment.text(name)?.to_owned()))).collect();
        Some(Self { program, unit: unit_name(home.name()), environment })
    }

    /// The same, if the gateway of this home was installed there.
    pub(super) fn installed(home: &Home, context: &Context) -> Option<Self> {
        unit_path(home, context).filter(|path| path.exists())?;
        Self::found(home, context)
    }

    /// `start`, `stop`, `restart`, `enable`, `disable` of the unit.
    pub(super) fn run(&self, verb: &str) -> Result<(), Failure> {
        let unit = self.unit.clone();
        self.ask(&["--user", verb, &unit])
    }

    /// Reads the units again.
    pub(super) fn reload(&self) -> Result<(), Failure> {
        self.ask(&["--user", "daemon-reload"])
    }

    pub(super) fn is_active(&self) -> bool {
        self.ask(&["--user", "--quiet", "is-active", &self.unit]).is_ok()
    }

    fn ask(&self, words: &[&str]) -> Result<(), Failure> {
        let helper = Helper::new(&self.program).args(words.iter().copied()).environment(self.environment.clone());
        let outcome = helper.time_limit(std::time::Duration::from_secs(120)).run();
        outcome.map(drop).map_err(|error| {
            Failure::new(Fault::Failed, format_args!("systemctl {}: {error}", words.join(" ")))
                .hint(format_args!("see: journalctl --user -u {}", self.unit))
        })
    }
}
