//! What the configuration says about consent, in the words of policy.

use hermes_home::config::{ApprovalMode, Approvals, Config, Sandbox, UnattendedMode};
use hermes_policy::Isolation;
use hermes_policy::allow_list::{AllowList, ApprovalRequired, DenyList};
use hermes_policy::decide::{Answer, Mode, SandboxTrust, Unattended};

/// The settings that decide.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) mode: Mode,
    pub(crate) sandbox: SandboxTrust,
    pub(crate) unattended: Unattended,
    pub(crate) deny: DenyList,
    pub(crate) required: ApprovalRequired,
    pub(crate) allowed: AllowList,
    /// What is around local commands.
    pub(crate) local: Isolation,
    /// Entries of lists that are not used, each with its key.
    pub(crate) problems: Vec<String>,
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        let approvals = &config.approvals;
        let (deny, denied) = DenyList::parse(&approvals.deny);
        let (required, requiring) = ApprovalRequired::parse(&approvals.command_approval_required);
        let (allowed, allowing) = AllowList::parse(&config.command_allowlist);
        let lists = [
            ("approvals.deny", denied),
            ("approvals.command_approval_required", requiring),
            ("command_allowlist", allowing),
        ];
        let told = |(key, problems): (&str, Vec<_>)| {
            problems.into_iter().map(move |problem| format!("{key}: {problem}, and is not used")).collect::<Vec<_>>()
        };
        Self {
            mode: mode(approvals.mode),
            sandbox: if approvals.trust_sandbox { SandboxTrust::Trusted } else { SandboxTrust::Guarded },
            unattended: unattended(approvals),
            deny,
            required,
            allowed,
            local: match config.terminal.sandbox {
                Sandbox::Auto | Sandbox::Strict => Isolation::Sandbox,
                Sandbox::Off => Isolation::None,
            },
            problems: lists.into_iter().flat_map(told).collect(),
        }
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
    Unattended {
        cron: answer(approvals.cron_mode),
        single_query: answer(approvals.single_query_mode),
        unattended: answer(approvals.unattended_mode),
        headless: answer(approvals.headless_mode),
    }
}

fn answer(mode: UnattendedMode) -> Answer {
    match mode {
        UnattendedMode::Deny => Answer::Deny,
        UnattendedMode::Approve => Answer::Approve,
    }
}
