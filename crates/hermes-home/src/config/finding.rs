//! What is wrong in a configuration, each with its place.
//!
//! A person mends a file faster from a list than from one complaint at a time, so
//! reading collects findings and goes on.

use std::fmt;
use std::path::Path;

use super::shape::{self, Field};
use super::{Config, KeyPath};
use crate::yaml::Position;

/// One thing a reader of the configuration should know.
#[derive(Debug, Clone)]
pub struct Finding {
    pub origin: Origin,
    pub key: KeyPath,
    pub problem: Problem,
}

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    File(Position),
    /// A variable of the environment or of `.env`.
    Variable(String),
}

/// Whether the configuration can be used all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Warning,
    Error,
}

#[derive(Debug, Clone)]
pub enum Problem {
    UnknownKey(Siblings),
    WrongType { expected: String, found: &'static str },
    NotAChoice { value: String, choices: &'static [&'static str] },
    Repeated { ignored: Position },
    UnsetVariable { name: String },
}

/// The keys that may stand where an unknown one does. Finding the nearest is slow
/// next to reading, so it waits until somebody looks.
#[derive(Debug, Clone, Copy)]
pub struct Siblings(pub(super) &'static [Field]);

impl Siblings {
    /// The key beside this one that looks like it, else any setting that does.
    fn nearest(self, key: &KeyPath) -> Option<String> {
        let (name, above) = key.segments().split_last()?;
        let sibling = shape::nearest(self.0, std::slice::from_ref(name));
        let in_section = sibling.map(|sibling| [above, &[sibling]].concat().join("."));
        in_section.or_else(|| shape::nearest(Config::FIELDS, key.segments()))
    }
}

impl Finding {
    pub fn severity(&self) -> Severity {
        match self.problem {
            Problem::WrongType { .. } | Problem::NotAChoice { .. } => Severity::Error,
            Problem::UnknownKey(_) | Problem::Repeated { .. } | Problem::UnsetVariable { .. } => Severity::Warning,
        }
    }

    /// The finding as one line, in the form editors jump to: `path:line:column: message`.
    pub fn at<'a>(&'a self, path: &'a Path) -> impl fmt::Display + 'a {
        Placed { finding: self, path }
    }
}

struct Placed<'a> {
    finding: &'a Finding,
    path: &'a Path,
}

impl fmt::Display for Placed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.finding.origin {
            Origin::File(Position { line, column }) => {
                write!(formatter, "{}:{line}:{column}: {}", self.path.display(), self.finding)
            }
            Origin::Variable(name) => write!(formatter, "variable {name}: {}", self.finding),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        match &self.problem {
            Problem::UnknownKey(siblings) => match siblings.nearest(key) {
                None => write!(formatter, "unknown key {key}"),
                Some(nearest) => write!(formatter, "unknown key {key}, did you mean {nearest}?"),
            },
            Problem::WrongType { expected, found } => write!(formatter, "{key}: expected {expected}, found {found}"),
            Problem::NotAChoice { value, choices } => {
                write!(formatter, "{key}: {value:?} is none of {}", choices.join(", "))
            }
            Problem::Repeated { ignored } => {
                write!(formatter, "{key} appears again, so the one in line {} is ignored", ignored.line)
            }
            Problem::UnsetVariable { name } => {
                write!(formatter, "{key}: variable {name} is not set, so ${{{name}}} stays as it is")
            }
        }
    }
}
