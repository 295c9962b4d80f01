//! `$name` and `${…}`: what a parameter holds, and the operations on it.

use super::event::{Trouble, UNKNOWN};
use super::expand::Mode;
use super::glob::{Slash, matches};
use super::quote::closing;
use super::scope::{Value, inherited};
use super::{Reader, decode};

/// What an expansion may become.
#[derive(Debug, Clone)]
pub(super) struct Expanded {
    pub(super) options: Vec<Vec<String>>,
    /// `"$@"`: its words stay separate even between quotes.
    pub(super) separate: bool,
}

impl Expanded {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { options: vec![vec![text.into()]], separate: false }
    }

    pub(super) fn unknown() -> Self {
        Self::text(UNKNOWN)
    }

    fn list(words: Vec<String>) -> Self {
        Self { options: vec![words], separate: true }
    }
}

impl Reader<'_> {
    /// `$name`, `$1`, `$@` …
    pub(super) fn variable(&mut self, name: &str) -> Expanded {
        match name {
            "@" | "*" => return self.scope.positional.clone().map_or_else(Expanded::unknown, Expanded::list),
            "0" => return Expanded::text(self.scope.zero.clone().unwrap_or_else(|| "bash".to_owned())),
            "#" | "?" | "$" | "!" | "-" => return Expanded::unknown(),
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            let word = self
                .scope
                .positional
                .as_ref()
                .map(|words| number.checked_sub(1).and_then(|at| words.get(at)).cloned().unwrap_or_default());
            return word.map_or_else(Expanded::unknown, Expanded::text);
        }
        match self.lookup(name) {
            Some(value) => {
                let first = |words: Vec<String>| vec![words.into_iter().next().unwrap_or_default()];
                Expanded { options: value.options.into_iter().map(first).collect(), separate: false }
            }
            None => Expanded::unknown(),
        }
    }

    fn lookup(&self, name: &str) -> Option<Value> {
        match self.scope.get(name) {
            Some(value) => Some(value.clone()),
            None => inherited(name, self.place, self.scope.folder.as_deref()).map(Value::scalar),
        }
    }

    /// The inside of `${…}`.
    pub(super) fn parameter(&mut self, inner: &str) -> Expanded {
        if self.budget.depth == 0 {
            self.trouble(Trouble::TooDeep, "");
            return Expanded::unknown();
        }
        self.budget.depth -= 1;
        let expanded = self.parameter_inside(inner);
        self.budget.depth += 1;
        expanded
    }

    fn parameter_inside(&mut self, inner: &str) -> Expanded {
        if let Some(rest) = inner.strip_prefix('#') {
            return if rest.is_empty() || is_name(rest) { Expanded::unknown() } else { self.parameter(rest) };
        }
        let (indirect, inner) = match inner.strip_prefix('!') {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, inner),
        };
        let length = name_length(inner);
        let (name, rest) = inner.split_at(length);
        let (index, operation) = subscript(rest);
        let mut value = self.element(name, index);
        if indirect {
            value = self.indirect(&value);
        }
        if operation.is_empty() { value } else { self.operate(name, value, operation) }
    }

    fn element(&mut self, name: &str, index: Option<&str>) -> Expanded {
        let Some(index) = index else { return self.variable(name) };
        let Some(value) = self.lookup(name) else { return Expanded::unknown() };
        if matches!(index, "@" | "*") {
            return Expanded { options: value.options, separate: true };
        }
        let pick = |words: &Vec<String>| match index.trim().parse::<usize>() {
            Ok(number) => vec![words.get(number).cloned().unwrap_or_default()],
            Err(_) => vec![UNKNOWN.to_string()],
        };
        Expanded { options: value.options.iter().map(pick).collect(), separate: false }
    }

    fn indirect(&mut self, value: &Expanded) -> Expanded {
        match value.options.first().and_then(|words| words.first()) {
            Some(name) if is_name(name) => self.variable(&name.clone()),
            _ => Expanded::unknown(),
        }
    }

    fn operate(&mut self, name: &str, value: Expanded, operation: &str) -> Expanded {
        let colon = operation.strip_prefix(':').unwrap_or(operation);
        let (letter, word) = match colon.chars().next() {
            Some(letter @ ('-' | '=' | '?' | '+')) => (letter, &colon[1..]),
            _ => return self.transform(value, operation),
        };
        let set_in_text = self.scope.get(name).is_some();
        let empty = value.options.iter().all(|words| words.iter().all(String::is_empty));
        let certain = set_in_text || inherited(name, self.place, None).is_some();
        let default = || Expanded { options: Vec::new(), separate: false };
        match letter {
            '?' => value,
            '+' => {
                let mut both = default();
                both.options.extend(self.texts(word, Mode::Value).into_iter().map(|text| vec![text]));
                if !certain || empty {
                    both.options.push(vec![String::new()]);
                }
                both
            }
            _ if certain && !empty => value,
            _ => {
                let texts = self.texts(word, Mode::Value);
                if letter == '=' {
                    self.scope.set(name, Value { options: texts.iter().map(|text| vec![text.clone()]).collect() });
                }
                let mut both =
                    Expanded { options: texts.into_iter().map(|text| vec![text]).collect(), separate: false };
                if !certain {
                    // The environment may hold another value.
                    both.options.push(vec![UNKNOWN.to_string()]);
                }
                both
            }
        }
    }

    /// `:offset:length`, `#pattern`, `%pattern`, `/from/to`, `^^`, `,,`, `@Q`.
    fn transform(&mut self, value: Expanded, operation: &str) -> Expanded {
        let Some(letter) = operation.chars().next() else { return value };
        let argument = operation[letter.len_utf8()..].to_owned();
        let (first, second) = match letter {
            '/' => replacement_parts(&argument),
            ':' => argument.split_once(':').map_or((argument.as_str(), ""), |parts| parts),
            _ => (argument.as_str(), ""),
        };
        let resolved = (self.text(first, Mode::Value), self.text(second, Mode::Value));
        let change = |text: &String| transformed(text, letter, &resolved.0, &resolved.1);
        let options = value.options.iter().map(|words| words.iter().map(change).collect()).collect();
        Expanded { options, separate: value.separate }
    }
}

fn transformed(text: &str, letter: char, first: &str, second: &str) -> String {
    let known = match letter {
        ':' => substring(text, first, second),
        '^' if first.starts_with('^') => Some(text.to_uppercase()),
        ',' if first.starts_with(',') => Some(text.to_lowercase()),
        '^' => Some(capitalised(text)),
        ',' => Some(uncapitalised(text)),
        '#' => strip(text, first, End::Front),
        '%' => strip(text, first, End::Back),
        '/' => replace(text, first, second),
        '@' => match first {
            "Q" | "K" | "k" | "A" => Some(text.to_owned()),
            "E" => Some(super::quote::unescape(text, super::quote::Escapes::Dollar)),
            "U" => Some(text.to_uppercase()),
            "L" => Some(text.to_lowercase()),
            _ => None,
        },
        _ => None,
    };
    known.unwrap_or_else(|| UNKNOWN.to_string())
}

/// `${x:1:2}` with plain numbers; an unknown part of the text makes what follows it unknown.
fn substring(text: &str, offset: &str, length: &str) -> Option<String> {
    let offset = offset.trim().parse::<i64>().ok()?;
    let from = if offset < 0 { text.chars().count() as i64 + offset } else { offset };
    let from = usize::try_from(from).ok()?;
    let length = if length.trim().is_empty() { usize::MAX } else { length.trim().parse().ok()? };
    let certain = text.find(UNKNOWN).map_or(usize::MAX, |at| text[..at].chars().count());
    if from >= certain || (length != usize::MAX && from.saturating_add(length) > certain) {
        return None;
    }
    Some(text.chars().skip(from).take(length).collect())
}

/// The longest text that a pattern is worked out on.
const MATCHED: usize = 512;

/// `#`, `##`, `%` and `%%`: the shortest or longest part that the pattern stands for is taken off.
fn strip(text: &str, pattern: &str, end: End) -> Option<String> {
    if text.contains(UNKNOWN) || pattern.contains(UNKNOWN) || text.len() > MATCHED {
        return None;
    }
    let mark = if end == End::Front { '#' } else { '%' };
    let (longest, pattern) = match pattern.strip_prefix(mark) {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let taken = |at: &&usize| {
        let part = if end == End::Front { &text[..**at] } else { &text[**at..] };
        matches(pattern, part, Slash::Same)
    };
    let cut = if longest == (end == End::Front) { cuts.iter().rev().find(taken) } else { cuts.iter().find(taken) };
    Some(match (cut, end) {
        (None, _) => text.to_owned(),
        (Some(at), End::Front) => text[*at..].to_owned(),
        (Some(at), End::Back) => text[..*at].to_owned(),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Front,
    Back,
}

fn replace(text: &str, from: &str, to: &str) -> Option<String> {
    if text.contains(UNKNOWN) {
        return None;
    }
    let all = from.starts_with('/');
    let from = from.strip_prefix(['/', '#', '%']).unwrap_or(from);
    if from.contains(['*', '?', '[']) {
        return None;
    }
    if from.is_empty() {
        return Some(text.to_owned());
    }
    Some(if all { decode::replace_bounded(text, from, to) } else { text.replacen(from, to, 1) })
}

fn replacement_parts(argument: &str) -> (&str, &str) {
    let skip = usize::from(argument.starts_with('/'));
    match argument[skip..].find('/') {
        Some(at) => (&argument[..skip + at], &argument[skip + at + 1..]),
        None => (argument, ""),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn subscript(rest: &str) -> (Option<&str>, &str) {
    match rest.strip_prefix('[').and_then(|inside| Some((inside, closing(inside, 0, b']')?))) {
        Some((inside, end)) => (Some(&inside[..end]), &inside[end + 1..]),
        None => (None, rest),
    }
}

fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(byte) if byte.is_ascii_digit() => bytes.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        Some(b'@' | b'*' | b'?' | b'$' | b'!' | b'-') => 1,
        _ => bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count(),
    }
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
