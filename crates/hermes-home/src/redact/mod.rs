//! Removing secrets from text that goes to a log or leaves the machine.
//!
//! Secrets reach texts on ways nobody planned: a command line in an error, a header
//! in a trace, a URL with a password in it. Two nets catch them: the values this
//! program knows, and the shapes that keys and tokens have. What stays around a
//! removed value (a name, a key's prefix) is what one needs to find the leak.
//!
//! Nothing is compiled before the first text is redacted, and all matching takes
//! time linear in the text. A text is taken as a whole: a private key that is spread
//! over several texts is only seen in its first.

mod pair;
mod shapes;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use hermes_proto::Secret;
use regex::Regex;

/// What stands in place of a secret.
const MASK: &str = "****";
/// A shorter value is not looked for: it would be found in ordinary words.
const SHORTEST_KNOWN: usize = 6;
/// A line of a longer value is looked for by itself if it has this length.
const SHORTEST_LINE: usize = 16;

/// Removes secrets from texts.
#[derive(Default)]
pub struct Redactor {
    known: BTreeSet<String>,
    compiled: OnceLock<Option<Regex>>,
}

impl Redactor {
    /// A redactor that removes these values too, besides what looks like a secret.
    pub fn new(known: impl IntoIterator<Item = Secret>) -> Self {
        let known = known.into_iter().flat_map(|secret| spellings(secret.expose())).collect();
        Self { known, compiled: OnceLock::new() }
    }

    /// Compiles what the first text would have to wait for, for whoever has time now.
    pub fn prepare() {
        shapes::prepare();
    }

    /// The text without its secrets; the text itself if there are none.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = match self.known() {
            Some(known) => known.replace_all(text, MASK),
            None => Cow::Borrowed(text),
        };
        match text {
            Cow::Borrowed(text) => shapes::redact(text),
            Cow::Owned(text) => Cow::Owned(shapes::redact(&text).into_owned()),
        }
    }

    fn known(&self) -> Option<&Regex> {
        let compile = || {
            // Longest first: of two values the one that contains the other has to win.
            let mut values: Vec<_> = self.known.iter().map(|value| regex::escape(value)).collect();
            values.sort_by_key(|value| std::cmp::Reverse(value.len()));
            if values.is_empty() { None } else { Regex::new(&values.join("|")).ok() }
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

/// How a value may appear: as it is, inside a JSON string, and line by line.
fn spellings(value: &str) -> Vec<String> {
    let value = value.trim();
    let in_json = serde_json::Value::from(value).to_string();
    let in_json = in_json.trim_matches('"').to_owned();
    let whole = [value.to_owned(), in_json].into_iter().filter(|text| text.chars().count() >= SHORTEST_KNOWN);
    let lines = value.lines().map(str::trim).filter(|line| line.chars().count() >= SHORTEST_LINE);
    whole.chain(lines.map(str::to_owned)).collect()
}

/// How many values, never which.
impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Redactor").field("known", &self.known.len()).finish()
    }
}
