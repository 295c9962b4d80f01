//! The verdict on one command text.

use crate::rules;
use crate::shell::{self, Place};

/// What is known about where the command would run. All of it may be missing.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The home folder of the user.
    pub home: Option<String>,
    /// The Hermes home.
    pub hermes_home: Option<String>,
    /// The working folder.
    pub folder: Option<String>,
    /// Whether there is a password that Hermes may feed to sudo.
    pub sudo_password: SudoPassword,
}

/// Whether Hermes was given a password for sudo.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SudoPassword {
    /// A `sudo -S` can only be somebody guessing.
    #[default]
    Missing,
    Configured,
}

/// How far a command may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Refused, whoever asks and whatever the mode.
    Floor,
    /// Runs with somebody's consent.
    Ask,
    /// Runs.
    Allow,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// What policy says about a command, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub class: Class,
    /// The key of the rule; empty when the command is allowed.
    pub rule: &'static str,
    /// The rule's line for people; empty when the command is allowed.
    pub reason: &'static str,
    /// The simple command that the rule is about, resolved.
    pub command: String,
}

impl Verdict {
    /// Nothing speaks against it.
    pub fn allowed() -> Self {
        Self { class: Class::Allow, rule: "", reason: "", command: String::new() }
    }
}

/// Reads a command text and judges it. Pure, and linear in the text.
///
/// The first finding that is refused decides, else the first that needs consent.
pub fn judge(text: &str, context: &Context) -> Verdict {
    let place = Place::new(context);
    let mut asked = None;
    for event in shell::read(text, &place) {
        for rule in rules::matching(&event, &place) {
            let verdict =
                || Verdict { class: rule.class, rule: rule.key, reason: rule.description, command: event.shown() };
            match rule.class {
                Class::Floor => return verdict(),
                _ if asked.is_none() => asked = Some(verdict()),
                _ => {}
            }
        }
    }
    asked.unwrap_or_else(Verdict::allowed)
}
