//! What can be allowed, as three different types: one text, texts of one form, one rule.
//!
//! Hazard: kept as plain strings in one list, an exact command that holds a `*` becomes a
//! pattern, and a pattern that happens to be a rule's name becomes the rule. Each type says by
//! itself how it is written down, and what is written down is read back as the same type.

use std::borrow::Cow;
use std::fmt;

use super::aliases;
use crate::shell::glob::{Slash, matches};
use crate::{Findings, FoundBy, rules, shell};

/// Marks an entry as an exact command whatever it looks like.
const EXACT: &str = "exact:";
/// Marks an entry as a rule's key.
const RULE: &str = "rule:";

/// One command text, letter by letter; only the white space around it does not count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExactCommand(String);

/// A shell pattern over a whole command text; `*` stands for spaces and slashes too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommandGlob(String);

/// A rule: everything it finds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RuleKey(Cow<'static, str>);

/// Something that was allowed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grant {
    Command(ExactCommand),
    Glob(CommandGlob),
    Rule(RuleKey),
}

/// Why an entry of a list is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    #[error("is empty")]
    Empty,
    #[error("would allow everything")]
    Everything,
    #[error("names no program before its first pattern")]
    NoProgram,
    #[error("holds a set of characters that is read differently elsewhere")]
    UnclearSet,
    #[error("names no rule; `hermes approvals rules` lists them")]
    UnknownRule,
    #[error("is a finding of the scanner, which is never allowed for good")]
    Scanner,
    #[error("comes after more entries than are kept")]
    TooMany,
}

impl ExactCommand {
    pub fn new(text: &str) -> Result<Self, Unusable> {
        match text.trim() {
            "" => Err(Unusable::Empty),
            text => Ok(Self(text.to_owned())),
        }
    }

    fn covers(&self, findings: &Findings) -> bool {
        findings.text().trim() == self.0
    }
}

impl CommandGlob {
    /// A pattern of the deny list or the like: it may be as wide as it wants.
    pub(super) fn forbidding(text: &str) -> Result<Self, Unusable> {
        match text.trim() {
            "" => Err(Unusable::Empty),
            text => Ok(Self(text.to_owned())),
        }
    }

    /// A pattern that allows: its program is named, so that it cannot stand for any other.
    pub fn new(text: &str) -> Result<Self, Unusable> {
        let text = text.trim();
        let program = text.split_whitespace().next().ok_or(Unusable::Empty)?;
        if text.chars().all(|letter| matches!(letter, '*' | '?') || letter.is_whitespace()) {
            return Err(Unusable::Everything);
        }
        if is_pattern(program) {
            return Err(Unusable::NoProgram);
        }
        // A class and a negation by `^` mean different things to fnmatch and to a shell.
        if text.contains("[^") || text.split('[').skip(1).any(|set| set.contains(':')) {
            return Err(Unusable::UnclearSet);
        }
        Ok(Self(text.to_owned()))
    }

    /// Never a text of several commands: the rest of it would ride along behind the `*`.
    fn covers(&self, findings: &Findings) -> bool {
        self.names(findings.text().trim()) && is_plain(findings)
    }

    pub(super) fn names(&self, text: &str) -> bool {
        matches(&self.0, text, Slash::Same)
    }
}

/// One simple command, and nothing that runs beside or below it.
fn is_plain(findings: &Findings) -> bool {
    findings.events.len() == 1
        && findings.is_resolved()
        && findings.found().iter().all(|found| !rules::is_about_code(&found.key))
        && shell::is_one_plain_command(findings.text())
}

impl RuleKey {
    /// A rule of the table.
    pub fn of_table(key: &str) -> Option<Self> {
        rules::by_key(key).map(|rule| Self(Cow::Borrowed(rule.key)))
    }

    /// A rule of the external scanner, `tirith:<rule>`; for sessions only.
    pub fn of_scanner(key: &str) -> Option<Self> {
        let rule = key.strip_prefix("tirith:").filter(|rule| !rule.is_empty())?;
        Some(Self(Cow::Owned(format!("tirith:{rule}"))))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Grant {
    /// Reads an entry of `command_allowlist`.
    pub fn parse(entry: &str) -> Result<Self, Unusable> {
        if let Some(text) = entry.strip_prefix(EXACT) {
            return ExactCommand::new(text).map(Self::Command);
        }
        let entry = entry.trim();
        if let Some(key) = entry.strip_prefix(RULE) {
            return RuleKey::of_table(key.trim()).map(Self::Rule).ok_or(Unusable::UnknownRule);
        }
        if entry.starts_with("tirith:") {
            return Err(Unusable::Scanner);
        }
        if let Some(rule) = unmistakable_rule(entry) {
            return Ok(Self::Rule(rule));
        }
        if is_pattern(entry) {
            CommandGlob::new(entry).map(Self::Glob)
        } else {
            ExactCommand::new(entry).map(Self::Command)
        }
    }

    /// What is written to `command_allowlist`; parsing it gives the same again.
    pub fn entry(&self) -> String {
        match self {
            Self::Command(ExactCommand(text)) => match Self::parse(text) {
                Ok(read) if read == *self => text.clone(),
                _ => format!("{EXACT}{text}"),
            },
            Self::Glob(CommandGlob(text)) => text.clone(),
            Self::Rule(RuleKey(key)) => format!("{RULE}{key}"),
        }
    }

    /// In words, for a prompt: what saying yes would allow from then on.
    pub fn allows(&self) -> String {
        match self {
            Self::Command(ExactCommand(text)) => format!("exactly this text again, in any folder: {text}"),
            Self::Glob(CommandGlob(text)) => format!("any single command of the form: {text}"),
            Self::Rule(RuleKey(key)) => match rules::by_key(key) {
                Some(rule) => format!("every command that {} ({key})", rule.description),
                None => format!("everything that the scanner calls {key}"),
            },
        }
    }

    /// Whether it speaks for one of the findings.
    pub(super) fn covers(&self, findings: &Findings, key: &str, by: FoundBy) -> bool {
        match (self, by) {
            (Self::Command(command), _) => command.covers(findings),
            (Self::Glob(glob), FoundBy::Rule | FoundBy::Scanner) => glob.covers(findings),
            (Self::Rule(rule), FoundBy::Rule | FoundBy::Scanner) => rule.0 == key,
            (Self::Glob(_) | Self::Rule(_), FoundBy::Setting) => false,
        }
    }
}

/// A key with a hyphen, or what the original wrote for a rule. `dd` and `crontab` are commands.
fn unmistakable_rule(entry: &str) -> Option<RuleKey> {
    let key = aliases::key(entry).or_else(|| entry.contains('-').then_some(entry))?;
    RuleKey::of_table(key)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

impl fmt::Display for CommandGlob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.entry())
    }
}
