//! Everything that a decision depends on, as words: no flag can be mistaken for another.

use hermes_proto::consent::Reach;
use hermes_proto::turn::Surface;

use crate::{Class, Isolation};

/// What is known when something is to be decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Situation {
    pub class: Class,
    pub surface: Surface,
    pub reach: Reach,
    pub mode: Mode,
    pub isolation: Isolation,
    pub sandbox: SandboxTrust,
    pub remembered: Remembered,
    pub bypass: Bypass,
    pub unattended: Unattended,
    pub denied: Denied,
}

/// Who decides: `approvals.mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A person.
    Manual,
    /// A model first, and a person where it does not clearly approve.
    Smart,
    /// Nobody.
    Off,
}

/// Whether the kernel sandbox is enough: `approvals.trust_sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SandboxTrust {
    /// It is a boundary, and people are asked all the same.
    Guarded,
    Trusted,
}

/// Whether what was allowed earlier covers everything that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Remembered {
    Everything,
    NotAll,
}

/// Whether asking was switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bypass {
    None,
    /// When the program started.
    Process,
    /// By the person of this session.
    Session,
}

/// Whether `approvals.deny` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Denied {
    Named,
    NotNamed,
}

/// The answer given beforehand for where nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    Deny,
    Approve,
}

/// Where nobody is there to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Absence {
    Cron,
    SingleQuery,
    Unattended,
    Headless,
}

impl Absence {
    pub const ALL: [Self; 4] = [Self::Cron, Self::SingleQuery, Self::Unattended, Self::Headless];

    /// The setting that answers.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Cron => "approvals.cron_mode",
            Self::SingleQuery => "approvals.single_query_mode",
            Self::Unattended => "approvals.unattended_mode",
            Self::Headless => "approvals.headless_mode",
        }
    }
}

/// The answers given beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Unattended {
    pub cron: Answer,
    pub single_query: Answer,
    pub unattended: Answer,
    pub headless: Answer,
}

impl Unattended {
    /// What holds where nothing was configured.
    pub const DENY: Self =
        Self { cron: Answer::Deny, single_query: Answer::Deny, unattended: Answer::Deny, headless: Answer::Deny };

    pub const fn answer(&self, absence: Absence) -> Answer {
        match absence {
            Absence::Cron => self.cron,
            Absence::SingleQuery => self.single_query,
            Absence::Unattended => self.unattended,
            Absence::Headless => self.headless,
        }
    }
}
