//! The decision matrix: run, ask or refuse, as one function of everything it depends on.
//!
//! Hazard: a guard that is spread over its callers has a caller that forgot a case, and the case
//! that was forgotten runs. Every word of a [`Situation`] is matched exhaustively here, so a new
//! surface or isolation does not compile before it was thought about.

mod situation;
mod why;

use hermes_proto::consent::Reach;
use hermes_proto::turn::Surface;

use crate::{Class, Isolation};

pub use situation::{Absence, Answer, Bypass, Denied, Mode, Remembered, SandboxTrust, Situation, Unattended};
pub use why::Why;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    Run(Why),
    Ask(First),
    Refuse(Why),
}

/// Who is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum First {
    Person,
    /// A model; only its clear approval spares the person.
    ReviewerThenPerson,
}

impl Decision {
    /// One word for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Ask(_) => "ask",
            Self::Refuse(_) => "refuse",
        }
    }
}

/// Decides about a command or the write of a file.
pub fn decide(situation: &Situation) -> Decision {
    if let Some(why) = forbidden(situation) {
        return Decision::Refuse(why);
    }
    match situation.class {
        Class::Allow => return Decision::Run(Why::NothingFound),
        Class::Ask | Class::Floor => {}
    }
    let first = match asked_first(situation) {
        Ok(first) => first,
        Err(why) => return Decision::Run(why),
    };
    match situation.remembered {
        Remembered::Everything => return Decision::Run(Why::Remembered),
        Remembered::NotAll => {}
    }
    if let Some(why) = contained(situation) {
        return Decision::Run(why);
    }
    match present(situation.surface) {
        Ok(_) => ask(situation.reach, first),
        Err(absence) => answered(situation, absence),
    }
}

/// Decides about a whole script of `execute_code`, before its first line runs.
///
/// What the script says is not looked at beyond floor and deny list: any script can do anything.
/// An earlier approval of a script says nothing about the next one, so nothing is remembered. The
/// tool calls it makes are decided one by one, whatever is decided here.
pub fn decide_script(situation: &Situation) -> Decision {
    if let Some(why) = forbidden(situation) {
        return Decision::Refuse(why);
    }
    if let Some(why) = contained(situation) {
        return Decision::Run(why);
    }
    let first = match asked_first(situation) {
        Ok(first) => first,
        Err(why) => return Decision::Run(why),
    };
    match present(situation.surface) {
        Ok(Presence::Terminal) => Decision::Run(Why::CallsAreGuarded),
        Ok(Presence::Messages) => ask(situation.reach, first),
        Err(absence) => answered(situation, absence),
    }
}

/// What nothing overrides, a container neither.
fn forbidden(situation: &Situation) -> Option<Why> {
    match (situation.denied, situation.class) {
        (Denied::Named, _) => Some(Why::DenyList),
        (Denied::NotNamed, Class::Floor) => Some(Why::Floor),
        (Denied::NotNamed, Class::Ask | Class::Allow) => None,
    }
}

/// Who is asked first, or why nobody needs to be.
fn asked_first(situation: &Situation) -> Result<First, Why> {
    match (situation.bypass, situation.mode) {
        (Bypass::Process, _) => Err(Why::YoloProcess),
        (Bypass::Session, _) => Err(Why::YoloSession),
        (Bypass::None, Mode::Off) => Err(Why::ModeOff),
        (Bypass::None, Mode::Manual) => Ok(First::Person),
        (Bypass::None, Mode::Smart) => Ok(First::ReviewerThenPerson),
    }
}

/// Whether the place itself keeps the harm in.
fn contained(situation: &Situation) -> Option<Why> {
    match (situation.isolation, situation.sandbox) {
        (Isolation::Container, _) => Some(Why::Container),
        (Isolation::Sandbox, SandboxTrust::Trusted) => Some(Why::TrustedSandbox),
        (Isolation::Sandbox, SandboxTrust::Guarded) | (Isolation::ContainerWithHostMount | Isolation::None, _) => None,
    }
}

/// How a person follows what happens.
enum Presence {
    Terminal,
    Messages,
}

fn present(surface: Surface) -> Result<Presence, Absence> {
    match surface {
        Surface::Interactive => Ok(Presence::Terminal),
        Surface::Gateway | Surface::Ask => Ok(Presence::Messages),
        Surface::Cron => Err(Absence::Cron),
        Surface::SingleQuery => Err(Absence::SingleQuery),
        Surface::Unattended => Err(Absence::Unattended),
        Surface::Headless => Err(Absence::Headless),
    }
}

/// A question that reaches nobody is not put: the model alone may not decide where a person should.
fn ask(reach: Reach, first: First) -> Decision {
    match reach {
        Reach::Person => Decision::Ask(first),
        Reach::Nobody => Decision::Refuse(Why::NobodyToAsk),
    }
}

/// The answer that was configured stands, in smart mode too: a model's approval is no consent.
fn answered(situation: &Situation, absence: Absence) -> Decision {
    let answer = situation.unattended.answer(absence);
    match answer {
        Answer::Deny => Decision::Refuse(Why::Answered(absence, answer)),
        Answer::Approve => Decision::Run(Why::Answered(absence, answer)),
    }
}

#[cfg(test)]
mod tests;
