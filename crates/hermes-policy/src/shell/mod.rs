//! What a command text would run, found out without running anything.
//!
//! The text is parsed into a tree (`parse`), the tree is walked (`walk`), words are
//! resolved as far as the text itself says (`expand`, `parameter`), and programs
//! that run other programs are seen through (`wrapper`, `payload`). The result is a
//! flat list of events for the rules.
//!
//! Hazard: every place where this reading differs from bash's is a way around the
//! rules. Where it is not sure it says so with a [`Trouble`], it never guesses.

mod arguments;
mod brace;
mod builtin;
mod decode;
mod event;
mod expand;
pub(crate) mod glob;
mod invoke;
mod limits;
mod output;
mod parameter;
mod parse;
mod path;
mod payload;
mod quote;
mod redirect;
mod scope;
mod shape;
mod walk;
mod wrapper;

pub(crate) use arguments::is_cluster;
pub(crate) use event::{Event, Feed, Field, Redirect, Simple, Trouble, UNKNOWN};
pub(crate) use path::{Place, join};
pub(crate) use payload::{SHELLS, Script, script};
pub(crate) use shape::{is_one_plain_command, places_of};

use limits::Budget;
use scope::Scope;

/// Reads one command text into what it would run.
pub(crate) fn read(text: &str, place: &Place) -> Vec<Event> {
    if text.len() > limits::CHARACTERS && text.chars().count() > limits::CHARACTERS {
        return vec![Event::Trouble(Trouble::TooLong, String::new())];
    }
    let text = without_noise(text);
    parse::with_stack_for(&text, |levels| {
        let mut reader = Reader::new(place, levels);
        reader.read_text(&text, &Feed::Nothing);
        reader.events
    })
    .unwrap_or_else(|| vec![Event::Trouble(Trouble::TooDeep, String::new())])
}

/// Bash never sees a NUL, and a carriage return before a newline is meant as one.
fn without_noise(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(['\0', '\r']) { text.replace('\0', "").replace("\r\n", "\n").into() } else { text.into() }
}

/// What walking produces and what it has to keep in mind.
#[derive(Debug)]
struct Reader<'a> {
    place: &'a Place,
    /// How much nesting the stack was made for.
    levels: usize,
    scope: Scope,
    events: Vec<Event>,
    /// What was said already.
    troubles: Vec<Trouble>,
    budget: Budget,
    /// Names of the functions whose bodies are being walked.
    calls: Vec<String>,
    /// How the command being walked is started.
    manner: Manner,
    /// Programs in substitutions of the command being walked.
    substituted: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Alone,
    /// Beside other commands of a pipeline.
    Piped,
    Background,
}

/// How many programs are remembered as the source of some output.
const SOURCES: usize = 24;

/// What a piece of the text leaves for the next one to read.
#[derive(Debug, Clone, Default)]
struct Outcome {
    /// What it prints, where that is plain from the text.
    output: Option<String>,
    /// The programs that produced it.
    sources: Vec<String>,
}

impl Outcome {
    /// Adds programs that took part, up to a bound.
    fn add_sources<'n>(&mut self, names: impl IntoIterator<Item = &'n String>) {
        for name in names {
            if self.sources.len() < SOURCES && !self.sources.contains(name) {
                self.sources.push(name.clone());
            }
        }
    }
}

impl<'a> Reader<'a> {
    fn new(place: &'a Place, levels: usize) -> Self {
        Self {
            place,
            levels,
            scope: Scope::new(place),
            events: Vec::new(),
            troubles: Vec::new(),
            budget: Budget::default(),
            calls: Vec::new(),
            manner: Manner::Alone,
            substituted: Vec::new(),
        }
    }

    /// Keeps the programs that a substitution of the current command ran, up to a bound.
    fn remember_substituted(&mut self, outcome: &Outcome) {
        for name in &outcome.sources {
            if self.substituted.len() < SOURCES && !self.substituted.contains(name) {
                self.substituted.push(name.clone());
            }
        }
    }

    /// Says once that a part could not be read.
    fn trouble(&mut self, trouble: Trouble, text: &str) {
        if !self.troubles.contains(&trouble) {
            self.troubles.push(trouble);
            self.events.push(Event::Trouble(trouble, event::shorten(text)));
        }
    }
}

#[cfg(test)]
mod tests;
