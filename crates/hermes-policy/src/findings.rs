//! Everything that was found in one text, for those who must know all of it: who asks a person,
//! and who looks up what was allowed before.
//!
//! Hazard: a verdict names one rule. Consent to that rule must not let through what another
//! rule has found in the same text, so lookups work on all findings, never on a verdict.

use std::borrow::Cow;

use crate::allow_list::ApprovalRequired;
use crate::shell::{self, Event, Place, UNKNOWN};
use crate::{Class, Context, Verdict, rules};

/// One reason why consent is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// A rule's key, `tirith:<rule>`, or `approval-required`.
    pub key: Cow<'static, str>,
    /// One line for people.
    pub reason: Cow<'static, str>,
    /// The part it is about, resolved; may be empty.
    pub about: String,
    pub by: FoundBy,
}

/// Who found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoundBy {
    /// The table of rules.
    Rule,
    /// The external scanner: can be allowed for a session at most.
    Scanner,
    /// `approvals.command_approval_required`: only exactly this command can be allowed.
    Setting,
}

/// All that was found in one text.
#[derive(Debug, Clone)]
pub struct Findings {
    text: String,
    class: Class,
    found: Vec<Found>,
    pub(crate) events: Vec<Event>,
}

/// Reads a command text and keeps every rule that it falls under, once each.
///
/// A text that is refused has one finding, the refusing one: nothing else matters then.
pub fn findings(text: &str, context: &Context) -> Findings {
    let place = Place::new(context);
    Findings::of(text.to_owned(), shell::read(text, &place), &place)
}

/// Findings of the external scanner that are kept for one text.
const SCANNED: usize = 32;

impl Findings {
    pub(crate) fn of(text: String, events: Vec<Event>, place: &Place) -> Self {
        let mut found: Vec<Found> = Vec::new();
        for event in &events {
            for rule in rules::matching(event, place) {
                let one = || Found {
                    key: rule.key.into(),
                    reason: rule.description.into(),
                    about: event.shown(),
                    by: FoundBy::Rule,
                };
                if rule.class == Class::Floor {
                    let found = vec![one()];
                    return Self { text, class: Class::Floor, found, events };
                }
                if found.iter().all(|other| other.key != rule.key) {
                    found.push(one());
                }
            }
        }
        let class = if found.is_empty() { Class::Allow } else { Class::Ask };
        Self { text, class, found, events }
    }

    pub fn class(&self) -> Class {
        self.class
    }

    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same in one line: what decided. Equal to what `judge` says, before anything was added.
    pub fn verdict(&self) -> Verdict {
        let Some(first) = self.found.first() else { return Verdict::allowed() };
        let rule = rules::by_key(&first.key);
        Verdict {
            class: self.class,
            rule: rule.map_or(first.by.name(), |rule| rule.key),
            reason: rule.map_or("needs consent by configuration or by the scanner", |rule| rule.description),
            command: first.about.clone(),
        }
    }

    /// Adds what the external scanner found; past a bound nothing more is kept, since one finding
    /// is enough to ask.
    pub fn add_scanned(&mut self, rule: &str, reason: &str) {
        let key = format!("tirith:{rule}");
        if self.found.len() < rules::all().count() + SCANNED && self.found.iter().all(|other| other.key != key) {
            let reason = Cow::Owned(reason.to_owned());
            self.add(Found { key: key.into(), reason, about: String::new(), by: FoundBy::Scanner });
        }
    }

    /// Adds a finding if the settings want consent for this command whatever the rules say.
    pub fn require(&mut self, required: &ApprovalRequired) {
        if let Some(glob) = required.hit(self) {
            let about = glob.to_string();
            let reason = "a pattern in approvals.command_approval_required names it".into();
            self.add(Found { key: FoundBy::Setting.name().into(), reason, about, by: FoundBy::Setting });
        }
    }

    fn add(&mut self, found: Found) {
        self.class = match self.class {
            Class::Floor => Class::Floor,
            Class::Ask | Class::Allow => Class::Ask,
        };
        self.found.push(found);
    }

    /// Whether the text says by itself what it does: running it again does the same again.
    pub fn is_resolved(&self) -> bool {
        self.events.iter().all(|event| match event {
            Event::Trouble(..) => false,
            Event::Command(command) => {
                let feed = command.feed.text().unwrap_or_default();
                let targets = command.redirects.iter().map(|redirect| &redirect.target);
                command.arguments.iter().chain(targets).all(|field| field.is_known())
                    && command.variables.iter().all(|(_, value)| !value.contains(UNKNOWN))
                    && !feed.contains(UNKNOWN)
                    && !rules::runs_foreign_code(command)
            }
        })
    }

    /// Each program with its arguments, as words with spaces between; once by name and once by
    /// path where the path was given.
    pub(crate) fn resolved_commands(&self) -> impl Iterator<Item = String> {
        let commands = self.events.iter().filter_map(|event| match event {
            Event::Command(command) if !command.name.is_empty() => Some(command),
            _ => None,
        });
        commands.flat_map(|command| {
            let words = |first: &str| {
                let mut text = first.to_owned();
                command.texts().for_each(|word| {
                    text.push(' ');
                    text.push_str(word);
                });
                text
            };
            let by_path = (command.program != command.name && !command.program.is_empty()).then_some(&command.program);
            [Some(&command.name), by_path].into_iter().flatten().map(|first| words(first)).collect::<Vec<_>>()
        })
    }
}

impl FoundBy {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Scanner => "tirith",
            Self::Setting => "approval-required",
        }
    }
}

#[cfg(test)]
mod tests;
