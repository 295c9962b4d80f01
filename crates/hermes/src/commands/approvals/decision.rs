//! What would become of a command at one place: the matrix with the settings of this home.

use clap::ValueEnum;
use hermes_approval::{GuardSettings, Yolo};
use hermes_home::config::{self, Config, Overrides, Sandbox};
use hermes_policy::allow_list::{AllowList, Allowed};
use hermes_policy::decide::{Bypass, Decision, Denied, First, Remembered};
use hermes_policy::{Findings, Isolation, Situation, Verdict, decide};
use hermes_proto::consent::Reach;
use hermes_proto::turn;

use crate::context::Context;
use crate::exit::Failure;

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Surface {
    Interactive,
    Gateway,
    Ask,
    Cron,
    SingleQuery,
    Unattended,
    Headless,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Backend {
    Local,
    Docker,
    /// A container with a folder of the host in it
    DockerWithMount,
    Ssh,
}

/// Where it is decided, and by which settings.
#[derive(Debug)]
pub(super) struct At {
    surface: turn::Surface,
    isolation: Isolation,
    settings: GuardSettings,
    /// What was allowed for good.
    allowed: AllowList,
}

impl At {
    /// Reads the configuration, if there is a home: looking at a command creates none.
    pub(super) fn new(surface: Surface, backend: Backend, context: &Context) -> Result<Self, Failure> {
        let is_there = context.root().is_ok_and(|root| root.path().exists());
        let config = match is_there {
            true => config::load(&context.home()?, &context.environment, &Overrides::default())?.config,
            false => Config::default(),
        };
        let settings = GuardSettings::configured(&config, Yolo::Off);
        let (allowed, problems) = AllowList::parse(&config.command_allowlist);
        settings.problems.iter().for_each(|problem| context.note(problem));
        problems.iter().for_each(|problem| context.note(format_args!("command_allowlist: {problem}, and is not used")));
        let isolation = match backend {
            Backend::Local if config.terminal.sandbox == Sandbox::Off => Isolation::None,
            Backend::Local => Isolation::Sandbox,
            Backend::Docker => Isolation::Container,
            Backend::DockerWithMount => Isolation::ContainerWithHostMount,
            Backend::Ssh => Isolation::None,
        };
        Ok(Self { surface: surface.into(), isolation, settings, allowed })
    }

    /// The verdict with what the settings add to it, and what becomes of the command.
    pub(super) fn decide(&self, mut findings: Findings) -> (Verdict, Decision) {
        let settings = &self.settings;
        findings.require(&settings.required);
        let denied = if settings.deny.hit(&findings).is_some() { Denied::Named } else { Denied::NotNamed };
        let session = AllowList::default();
        let remembered = match (Allowed { session: &session, permanent: &self.allowed }).covers(&findings) {
            Some(_) => Remembered::Everything,
            None => Remembered::NotAll,
        };
        let decision = decide(&Situation {
            class: findings.class(),
            surface: self.surface,
            reach: Reach::Person,
            mode: settings.mode,
            isolation: self.isolation,
            sandbox: settings.sandbox,
            remembered,
            bypass: Bypass::None,
            unattended: settings.unattended,
            denied,
        });
        (findings.verdict(), decision)
    }
}

/// Why, in a sentence.
pub(super) fn sentence(decision: Decision) -> &'static str {
    match decision {
        Decision::Run(why) | Decision::Refuse(why) => why.sentence(),
        Decision::Ask(First::Person) => "a person is asked",
        Decision::Ask(First::ReviewerThenPerson) => "a model is asked, and a person unless it clearly approves",
    }
}

impl From<Surface> for turn::Surface {
    fn from(typed: Surface) -> Self {
        match typed {
            Surface::Interactive => Self::Interactive,
            Surface::Gateway => Self::Gateway,
            Surface::Ask => Self::Ask,
            Surface::Cron => Self::Cron,
            Surface::SingleQuery => Self::SingleQuery,
            Surface::Unattended => Self::Unattended,
            Surface::Headless => Self::Headless,
        }
    }
}
