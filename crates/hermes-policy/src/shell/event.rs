//! What the reading of a text yields: simple commands with resolved words, and the
//! places where the reading had to stop.

/// Stands in a word for text that only running could tell. Bash has no such
/// character in its words.
pub(crate) const UNKNOWN: char = '\0';

/// One thing found in a text.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    Command(Box<Simple>),
    Trouble(Trouble, String),
}

impl Event {
    /// What a person is shown of it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Command(simple) => simple.text(),
            Self::Trouble(_, text) => text.replace(UNKNOWN, "…"),
        }
    }
}

/// Why a part of the text could not be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Not a bash program as far as the grammar can tell.
    Unparsable,
    /// Which program runs depends on something outside the text.
    Unresolved,
    /// Processes that start themselves over and over.
    ForkBomb,
    TooLong,
    TooDeep,
    TooMany,
    TooWide,
}

/// One word as the program would get it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) text: String,
    /// It holds an unquoted pattern, so files may take its place.
    pub(crate) pattern: bool,
}

impl Field {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), pattern: false }
    }

    pub(crate) fn unknown() -> Self {
        Self::new(UNKNOWN)
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }
}

/// What a command reads on its standard input.
#[derive(Debug, Clone, Default)]
pub(crate) enum Feed {
    /// Whatever the shell itself has.
    #[default]
    Nothing,
    /// A here-document or here-string.
    Document(String),
    /// The output of earlier programs, and what it is where that is plain.
    Pipe { sources: Vec<String>, text: Option<String> },
    /// A file.
    File,
}

impl Feed {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Document(text) => Some(text),
            Self::Pipe { text, .. } => text.as_deref(),
            Self::Nothing | Self::File => None,
        }
    }

    pub(crate) fn sources(&self) -> &[String] {
        match self {
            Self::Pipe { sources, .. } => sources,
            _ => &[],
        }
    }
}

/// A file that is opened for a command.
#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    pub(crate) target: Field,
    pub(crate) writes: bool,
    /// The target is what the command's standard input or output is duplicated to.
    pub(crate) duplicates: bool,
}

/// One program or builtin that would run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    /// The program's name without its folder; empty when only redirects happen.
    pub(crate) name: String,
    /// The program as it is called, with its folder.
    pub(crate) program: String,
    /// Its arguments.
    pub(crate) arguments: Vec<Field>,
    pub(crate) redirects: Vec<Redirect>,
    /// Variables set for this command alone.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) feed: Feed,
    /// Programs in substitutions among the words.
    pub(crate) substituted: Vec<String>,
    /// Programs that started this one: sudo, xargs, find …
    pub(crate) through: Vec<&'static str>,
    /// The working folder, where the text or the caller says it.
    pub(crate) folder: Option<String>,
    pub(crate) background: bool,
    /// A command before it in the same text made this file executable.
    pub(crate) just_made_executable: bool,
}

impl Simple {
    /// The command as a person would type it, cut to a length for prompts.
    pub(crate) fn text(&self) -> String {
        let mut text = self.name.clone();
        for argument in &self.arguments {
            if !text.is_empty() {
                text.push(' ');
            }
            push_shown(&mut text, &argument.text);
            if text.len() > SHOWN {
                break;
            }
        }
        for redirect in &self.redirects {
            text.push_str(if redirect.writes { " > " } else { " < " });
            push_shown(&mut text, &redirect.target.text);
        }
        shorten(text.trim_start())
    }
}

/// How much of a command is shown.
const SHOWN: usize = 400;

fn push_shown(text: &mut String, word: &str) {
    let word = word.replace(UNKNOWN, "…");
    let plain = !word.is_empty() && !word.contains([' ', '\t', '\n', '"', '\'', ';', '|', '&', '(', ')', '<', '>']);
    if plain {
        text.push_str(&word);
    } else {
        text.push('\'');
        text.push_str(&word.replace('\'', "'\\''"));
        text.push('\'');
    }
}

pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} …", &text[..end]),
    }
}
