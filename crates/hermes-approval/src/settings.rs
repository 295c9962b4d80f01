//! What the operator decided about asking, in the words of policy.

use std::time::Duration;

use hermes_home::config::{ApprovalMode, Approvals, Config, UnattendedMode};
use hermes_policy::allow_list::{ApprovalRequired, DenyList};
use hermes_policy::decide::{Answer, Mode, SandboxTrust, Unattended};
use hermes_proto::turn::Surface;
use hermes_proto::{HostEnvironment, Secret};

use crate::sessions::Yolo;

/// How a guard decides. Fixed when it is made.
#[derive(Debug, Clone)]
pub struct GuardSettings {
    pub mode: Mode,
    pub unattended: Unattended,
    pub sandbox: SandboxTrust,
    pub deny: DenyList,
    pub required: ApprovalRequired,
    /// How long a question waits at a terminal.
    pub patience: Duration,
    /// How long one waits on a chat platform.
    pub gateway_patience: Duration,
    /// What the reviewing model is told besides.
    pub smart_policy: String,
    /// Refusals in a row after which the model is told to stop; 0 for never.
    pub denial_breaker: u32,
    /// Whether asking is off in this process. Frozen: nothing that runs later can switch it on.
    pub process_yolo: Yolo,
    /// The configured password for sudo, even an empty one.
    pub sudo_password: Option<Secret>,
    /// Entries of lists that are not used, each with its key.
    pub problems: Vec<String>,
}

impl GuardSettings {
    pub fn configured(config: &Config, process_yolo: Yolo) -> Self {
        let approvals = &config.approvals;
        let (deny, denying) = DenyList::parse(&approvals.deny);
        let (required, requiring) = ApprovalRequired::parse(&approvals.command_approval_required);
        let lists = [("approvals.deny", denying), ("approvals.command_approval_required", requiring)];
        let told = |(key, problems): (&str, Vec<_>)| {
            problems.into_iter().map(move |problem| format!("{key}: {problem}, and is not used")).collect::<Vec<_>>()
        };
        Self {
            mode: mode(approvals.mode),
            unattended: unattended(approvals),
            sandbox: if approvals.trust_sandbox { SandboxTrust::Trusted } else { SandboxTrust::Guarded },
            deny,
            required,
            patience: Duration::from_secs(approvals.timeout),
            gateway_patience: Duration::from_secs(approvals.gateway_timeout),
            smart_policy: approvals.smart_policy.clone(),
            denial_breaker: approvals.denial_breaker_threshold,
            process_yolo,
            sudo_password: config.terminal.sudo_password.clone(),
            problems: lists.into_iter().flat_map(told).collect(),
        }
    }

    pub(crate) fn patience_on(&self, surface: Surface) -> Duration {
        match surface {
            Surface::Interactive => self.patience,
            Surface::Gateway
            | Surface::Ask
            | Surface::Cron
            | Surface::SingleQuery
            | Surface::Unattended
            | Surface::Headless => self.gateway_patience,
        }
    }
}

impl Default for GuardSettings {
    /// What holds where nothing is configured: people are asked, and where there are none nothing dangerous runs.
    fn default() -> Self {
        Self::configured(&Config::default(), Yolo::Off)
    }
}

impl Yolo {
    /// Whether the process was started with asking off.
    pub fn of_process(environment: &HostEnvironment) -> Self {
        let is_on = environment
            .text("HERMES_YOLO_MODE")
            .is_some_and(|value| matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on"));
        if is_on { Self::On } else { Self::Off }
    }
}

fn mode(mode: ApprovalMode) -> Mode {
    match mode {
        ApprovalMode::Manual => Mode::Manual,
        ApprovalMode::Smart => Mode::Smart,
        ApprovalMode::Off => Mode::Off,
    }
}

fn unattended(approvals: &Approvals) -> Unattended {
    let answer = |mode: UnattendedMode| match mode {
        UnattendedMode::Deny => Answer::Deny,
        UnattendedMode::Approve => Answer::Approve,
    };
    Unattended {
        cron: answer(approvals.cron_mode),
        single_query: answer(approvals.single_query_mode),
        unattended: answer(approvals.unattended_mode),
        headless: answer(approvals.headless_mode),
    }
}
