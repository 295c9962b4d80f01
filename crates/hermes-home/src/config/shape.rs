//! What may stand where: the schema that the declarations of the sections yield.

use std::borrow::Cow;

use serde_json::Value as Json;

/// The kind of value a setting takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    Flag,
    Integer {
        least: u64,
        most: u64,
    },
    Number,
    Text,
    /// Text that is never shown.
    Secret,
    Choice(&'static [&'static str]),
    List,
    /// A map with keys of the person's choosing.
    Table,
    Section(&'static [Field]),
    /// Known, but read by nobody here.
    Anything,
}

/// One setting of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) variable: Variable,
    pub(crate) default: fn() -> Json,
}

/// The variable of the environment that stands in for a setting the file does not have.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Variable {
    None,
    Named(&'static str),
    /// The prefix of the section before the setting's name in capitals.
    Prefixed(&'static str),
}

impl Variable {
    /// The variable's own name, else one by the section's prefix, else none.
    pub(crate) const fn of(named: &[&'static str], prefix: &[&'static str]) -> Self {
        match (named, prefix) {
            ([name, ..], _) => Self::Named(name),
            ([], [prefix, ..]) => Self::Prefixed(prefix),
            ([], []) => Self::None,
        }
    }

    pub(crate) fn name(self, field: &str) -> Option<Cow<'static, str>> {
        match self {
            Self::None => None,
            Self::Named(name) => Some(Cow::Borrowed(name)),
            Self::Prefixed(prefix) => Some(Cow::Owned(format!("{prefix}{}", field.to_ascii_uppercase()))),
        }
    }
}

impl Shape {
    /// What a person is told to write.
    pub(crate) fn expected(&self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Integer { least: 0, most: u64::MAX } => "a whole number, 0 or more".to_owned(),
            Self::Integer { least, most } => format!("a whole number from {least} to {most}"),
            Self::Number => "a number".to_owned(),
            Self::Text | Self::Secret => "text".to_owned(),
            Self::Choice(choices) => format!("one of {}", choices.join(", ")),
            Self::List => "a list".to_owned(),
            Self::Table | Self::Section(_) => "a map".to_owned(),
            Self::Anything => "anything".to_owned(),
        }
    }

    /// Whether a variable holds such a value as JSON rather than as a word.
    pub(crate) fn is_composed(&self) -> bool {
        matches!(self, Self::List | Self::Table | Self::Section(_) | Self::Anything)
    }
}

/// The setting that a path of fixed names leads to. What stands in a table is not
/// found: without the file nobody knows its keys.
pub(crate) fn find(fields: &'static [Field], path: &[String]) -> Option<&'static Field> {
    let (first, rest) = path.split_first()?;
    let field = fields.iter().find(|field| field.name == first)?;
    match (rest, field.shape) {
        ([], _) => Some(field),
        (rest, Shape::Section(fields)) => find(fields, rest),
        _ => None,
    }
}

/// The path of the known setting that looks most like this one.
pub(crate) fn nearest(fields: &'static [Field], path: &[String]) -> Option<String> {
    const ALIKE: f64 = 0.7;
    let asked = path.join(".");
    let last = path.last()?;
    let mut known = Vec::new();
    names(fields, "", &mut known);
    let score = |name: &String| {
        let same_end = name.rsplit('.').next() == Some(last);
        let likeness = strsim::normalized_damerau_levenshtein(name, &asked);
        if same_end { likeness.max(ALIKE) } else { likeness }
    };
    let scored = known.into_iter().map(|name| (score(&name), name));
    scored.filter(|(score, _)| *score >= ALIKE).max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name)
}

fn names(fields: &'static [Field], before: &str, into: &mut Vec<String>) {
    for field in fields {
        let name = format!("{before}{}", field.name);
        if let Shape::Section(fields) = field.shape {
            names(fields, &format!("{name}."), into);
        }
        into.push(name);
    }
}
