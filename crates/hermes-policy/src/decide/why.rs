//! Why a decision is what it is: a word for the record, a sentence for people.

use super::situation::{Absence, Answer};

/// The reason that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    DenyList,
    Floor,
    /// No rule speaks against it.
    NothingFound,
    YoloProcess,
    YoloSession,
    ModeOff,
    Remembered,
    Container,
    TrustedSandbox,
    /// The setting for this kind of absence said so.
    Answered(Absence, Answer),
    /// There should be a person, and there is none.
    NobodyToAsk,
    /// A script whose tool calls are guarded one by one.
    CallsAreGuarded,
}

impl Why {
    /// For the record; stable.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DenyList => "deny-list",
            Self::Floor => "floor",
            Self::NothingFound => "nothing-found",
            Self::YoloProcess => "yolo-process",
            Self::YoloSession => "yolo-session",
            Self::ModeOff => "mode-off",
            Self::Remembered => "remembered",
            Self::Container => "container",
            Self::TrustedSandbox => "trusted-sandbox",
            Self::Answered(Absence::Cron, _) => "cron-mode",
            Self::Answered(Absence::SingleQuery, _) => "single-query-mode",
            Self::Answered(Absence::Unattended, _) => "unattended-mode",
            Self::Answered(Absence::Headless, _) => "headless-mode",
            Self::NobodyToAsk => "nobody-to-ask",
            Self::CallsAreGuarded => "calls-are-guarded",
        }
    }

    /// For people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::DenyList => "a pattern in approvals.deny names it",
            Self::Floor => "it is refused whoever asks and whatever is configured",
            Self::NothingFound => "no rule speaks against it",
            Self::YoloProcess => "asking was switched off when the program started",
            Self::YoloSession => "asking was switched off for this session",
            Self::ModeOff => "approvals.mode is off",
            Self::Remembered => "it was allowed before",
            Self::Container => "it runs in a container that sees nothing of the host",
            Self::TrustedSandbox => "it runs in the sandbox, and approvals.trust_sandbox is true",
            Self::Answered(absence, answer) => answered(absence, answer),
            Self::NobodyToAsk => "it needs consent, and there is nobody to ask",
            Self::CallsAreGuarded => "each tool call of the script is asked about by itself",
        }
    }
}

const fn answered(absence: Absence, answer: Answer) -> &'static str {
    match (absence, answer) {
        (Absence::Cron, Answer::Deny) => "it needs consent, and approvals.cron_mode denies it to scheduled jobs",
        (Absence::Cron, Answer::Approve) => "approvals.cron_mode approves it for scheduled jobs",
        (Absence::SingleQuery, Answer::Deny) => {
            "it needs consent, and approvals.single_query_mode denies it to single queries"
        }
        (Absence::SingleQuery, Answer::Approve) => "approvals.single_query_mode approves it for single queries",
        (Absence::Unattended, Answer::Deny) => {
            "it needs consent, and approvals.unattended_mode denies it to webhooks and the API"
        }
        (Absence::Unattended, Answer::Approve) => "approvals.unattended_mode approves it for webhooks and the API",
        (Absence::Headless, Answer::Deny) => {
            "it needs consent, and approvals.headless_mode denies it where nobody is present"
        }
        (Absence::Headless, Answer::Approve) => "approvals.headless_mode approves it where nobody is present",
    }
}
