//! Words: quotes, escapes, tilde, variables and substitutions resolved as far as the
//! text allows.
//!
//! A word has as many readings as the text has ways to reach it (a variable that a
//! branch or a loop sets has several values). Readings are bounded; past the bound
//! an unknown one stands for the rest.

use super::event::{Field, Trouble, UNKNOWN};
use super::limits::ALTERNATIVES;
use super::parameter::Expanded;
use super::quote::{ansi_c, closing};
use super::{Feed, Reader, brace};

/// One reading of a word: the fields it becomes.
pub(super) type Fields = Vec<Field>;

/// How the characters of a text are to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word of a command: split, and quotes are quotes.
    Word,
    /// The value of an assignment: not split.
    Value,
    /// Between double quotes.
    Quoted,
    /// A here-document: quotes are plain characters.
    Document,
}

/// One reading while it is being put together.
#[derive(Debug, Clone, Default)]
struct Reading {
    done: Fields,
    current: Field,
    started: bool,
}

impl Reading {
    fn finish(mut self) -> Fields {
        if self.started {
            self.done.push(self.current);
        }
        self.done
    }

    fn cut(&mut self) {
        if std::mem::take(&mut self.started) {
            self.done.push(std::mem::take(&mut self.current));
        }
    }
}

impl Reader<'_> {
    /// The readings of a word in a command.
    pub(super) fn readings(&mut self, raw: &str) -> Vec<Fields> {
        if is_plain(raw) {
            return vec![vec![Field::new(raw)]];
        }
        let Some(words) = brace::expand(raw) else {
            self.trouble(Trouble::TooWide, raw);
            return vec![vec![Field::unknown()]];
        };
        if let [word] = words.as_slice() {
            return self.scan(word, Mode::Word).into_iter().map(Reading::finish).collect();
        }
        let fields = words.iter().flat_map(|word| self.scan(word, Mode::Word)).flat_map(Reading::finish).collect();
        vec![fields]
    }

    /// All fields that a word could become.
    pub(super) fn fields(&mut self, raw: &str) -> Fields {
        let mut readings = self.readings(raw);
        if readings.len() == 1 { readings.pop().unwrap_or_default() } else { readings.concat() }
    }

    /// The texts that an unsplit word could become.
    pub(super) fn texts(&mut self, raw: &str, mode: Mode) -> Vec<String> {
        let join = |reading: Reading| {
            let texts: Vec<_> = reading.finish().into_iter().map(|field| field.text).collect();
            texts.join(" ")
        };
        self.scan(raw, mode).into_iter().map(join).collect()
    }

    /// The first text that an unsplit word could become.
    pub(super) fn text(&mut self, raw: &str, mode: Mode) -> String {
        self.texts(raw, mode).swap_remove(0)
    }

    fn scan(&mut self, raw: &str, mode: Mode) -> Vec<Reading> {
        let mut readings = vec![Reading::default()];
        self.scan_into(raw, mode, &mut readings);
        if !matches!(mode, Mode::Word) {
            readings.iter_mut().for_each(|reading| reading.started = true);
        }
        readings
    }

    fn scan_into(&mut self, raw: &str, mode: Mode, readings: &mut Vec<Reading>) {
        let bytes = raw.as_bytes();
        let mut at = self.tilde(raw, mode, readings);
        while at < bytes.len() {
            let quotes = matches!(mode, Mode::Word | Mode::Value);
            at = match bytes[at] {
                b'\\' => self.escape(raw, at, mode, readings),
                b'\'' if quotes => {
                    let end = raw[at + 1..].find('\'').map_or(raw.len(), |end| at + 1 + end);
                    self.literal(&raw[at + 1..end], readings);
                    end + 1
                }
                b'"' if quotes => {
                    let end = closing(raw, at + 1, b'"').unwrap_or(raw.len());
                    self.literal("", readings);
                    self.scan_into(&raw[at + 1..end], Mode::Quoted, readings);
                    end + 1
                }
                b'$' if quotes && bytes.get(at + 1) == Some(&b'\'') => {
                    let (text, end) = ansi_c(raw, at + 2);
                    self.literal(&text, readings);
                    end
                }
                b'$' if quotes && bytes.get(at + 1) == Some(&b'"') => at + 1,
                b'$' => self.dollar(raw, at, mode, readings),
                b'`' => self.backquote(raw, at, mode, readings),
                _ => self.run(raw, at, mode, readings),
            };
        }
    }

    /// `~` and `~name` at the start; answers where to go on.
    fn tilde(&mut self, raw: &str, mode: Mode, readings: &mut [Reading]) -> usize {
        if !raw.starts_with('~') || !matches!(mode, Mode::Word | Mode::Value) {
            return 0;
        }
        let end = raw.find(['/', ':']).unwrap_or(raw.len());
        let home = match &raw[1..end] {
            "" => match self.scope.get("HOME") {
                Some(value) => value.options.first().and_then(|words| words.first()).cloned().unwrap_or_default(),
                None => self.place.home().to_owned(),
            },
            "+" => self.scope.folder.clone().unwrap_or_else(|| UNKNOWN.to_string()),
            "root" => "/root".to_owned(),
            name if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) => {
                format!("/home/{name}")
            }
            _ => return 0,
        };
        self.literal(&home, readings);
        end
    }

    fn escape(&mut self, raw: &str, at: usize, mode: Mode, readings: &mut [Reading]) -> usize {
        let Some(letter) = raw[at + 1..].chars().next() else {
            self.literal("\\", readings);
            return at + 1;
        };
        let end = at + 1 + letter.len_utf8();
        let kept = match mode {
            Mode::Word | Mode::Value => false,
            Mode::Quoted => !matches!(letter, '$' | '`' | '"' | '\\' | '\n'),
            Mode::Document => !matches!(letter, '$' | '`' | '\\' | '\n'),
        };
        if kept {
            self.literal(&raw[at..end], readings);
        } else if letter != '\n' {
            self.literal(&raw[at + 1..end], readings);
        }
        end
    }

    /// Plain characters up to the next special one.
    fn run(&mut self, raw: &str, at: usize, mode: Mode, readings: &mut [Reading]) -> usize {
        let special: &[char] = match mode {
            Mode::Word | Mode::Value => &['\\', '\'', '"', '$', '`'],
            Mode::Quoted | Mode::Document => &['\\', '$', '`'],
        };
        let first = raw[at..].chars().next().map_or(1, char::len_utf8);
        let end = raw[at + first..].find(special).map_or(raw.len(), |end| at + first + end);
        let text = &raw[at..end];
        self.literal(text, readings);
        if mode == Mode::Word && is_pattern(text) {
            readings.iter_mut().for_each(|reading| reading.current.pattern = true);
        }
        end
    }

    fn dollar(&mut self, raw: &str, at: usize, mode: Mode, readings: &mut Vec<Reading>) -> usize {
        let bytes = raw.as_bytes();
        match bytes.get(at + 1) {
            Some(b'(') => {
                let end = closing(raw, at + 2, b')').unwrap_or(raw.len());
                let inner = raw.get(at + 2..end).unwrap_or_default();
                let text = self.substitution(inner);
                self.append(Expanded::text(text), mode, readings);
                end + 1
            }
            Some(b'{') => {
                let end = closing(raw, at + 2, b'}').unwrap_or(raw.len());
                let inner = raw.get(at + 2..end).unwrap_or_default();
                let expanded = self.parameter(inner);
                self.append(expanded, mode, readings);
                end + 1
            }
            Some(b'[') => {
                let end = raw[at..].find(']').map_or(raw.len(), |end| at + end);
                self.arithmetic(raw.get(at + 2..end).unwrap_or_default());
                self.append(Expanded::unknown(), mode, readings);
                end + 1
            }
            Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {
                let length =
                    bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                let expanded = self.variable(&raw[at + 1..at + 1 + length]);
                self.append(expanded, mode, readings);
                at + 1 + length
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?$!-".contains(byte) => {
                let expanded = self.variable(&raw[at + 1..at + 2]);
                self.append(expanded, mode, readings);
                at + 2
            }
            _ => {
                self.literal("$", readings);
                at + 1
            }
        }
    }

    fn backquote(&mut self, raw: &str, at: usize, mode: Mode, readings: &mut Vec<Reading>) -> usize {
        let mut inner = String::new();
        let mut characters = raw[at + 1..].char_indices();
        let mut end = raw.len();
        while let Some((index, letter)) = characters.next() {
            match letter {
                '`' => {
                    end = at + 1 + index;
                    break;
                }
                '\\' => match characters.next() {
                    Some((_, escaped @ ('`' | '\\' | '$'))) => inner.push(escaped),
                    Some((_, other)) => inner.extend(['\\', other]),
                    None => inner.push('\\'),
                },
                letter => inner.push(letter),
            }
        }
        let text = self.substitution(&inner);
        self.append(Expanded::text(text), mode, readings);
        end + 1
    }

    /// What `$(…)` prints, where that is plain; its commands are read either way.
    fn substitution(&mut self, inner: &str) -> String {
        if inner.starts_with('(') && inner.ends_with(')') {
            self.arithmetic(&inner[1..inner.len() - 1]);
            return UNKNOWN.to_string();
        }
        let outcome = self.in_subshell(|reader| reader.read_text(inner, &Feed::Nothing));
        self.remember_substituted(&outcome);
        match outcome.output {
            Some(text) => text.trim_end_matches('\n').to_owned(),
            None => UNKNOWN.to_string(),
        }
    }

    /// An arithmetic expression runs what is substituted in it, and nothing else.
    pub(super) fn arithmetic(&mut self, expression: &str) {
        if expression.contains(['`', '$']) {
            self.text(expression, Mode::Document);
        }
    }

    fn literal(&mut self, text: &str, readings: &mut [Reading]) {
        for reading in readings {
            if !self.budget.spend(text.len()) {
                break;
            }
            reading.current.text.push_str(text);
            reading.started = true;
        }
        if self.budget.expansion == 0 {
            self.trouble(Trouble::TooWide, text);
        }
    }

    /// Puts a value into every reading; each of its options makes readings of its own.
    fn append(&mut self, value: Expanded, mode: Mode, readings: &mut Vec<Reading>) {
        let separators = if mode == Mode::Word { self.separators() } else { Vec::new() };
        let manner = Splitting { mode, separate: value.separate, separators: &separators };
        let room = ALTERNATIVES / readings.len().max(1);
        let mut options = value.options;
        if options.len() > room.max(1) {
            options.truncate(room.saturating_sub(1));
            options.push(vec![UNKNOWN.to_string()]);
        }
        let last = options.pop().unwrap_or_default();
        let mut copies = Vec::new();
        for option in &options {
            let mut copy = readings.clone();
            self.push_into(&mut copy, option, manner);
            copies.extend(copy);
        }
        self.push_into(readings, &last, manner);
        // In the order of the options: where one text is wanted, the first is taken.
        copies.append(readings);
        *readings = copies;
    }

    fn push_into(&mut self, readings: &mut [Reading], words: &[String], manner: Splitting<'_>) {
        let length: usize = words.iter().map(|word| word.len() + 1).sum();
        for reading in readings {
            if !self.budget.spend(length) {
                self.trouble(Trouble::TooWide, "");
                break;
            }
            push_option(reading, words, manner);
        }
    }

    fn separators(&self) -> Vec<char> {
        let set = self.scope.get("IFS").and_then(|value| value.options.first()).and_then(|words| words.first());
        match set {
            // Whatever else IFS says, an attacker's spaces are still looked at.
            Some(text) => text.chars().chain([' ', '\t', '\n']).collect(),
            None => vec![' ', '\t', '\n'],
        }
    }
}

/// How a value becomes fields.
#[derive(Debug, Clone, Copy)]
struct Splitting<'s> {
    mode: Mode,
    /// Its words stay apart even between quotes.
    separate: bool,
    separators: &'s [char],
}

fn push_option(reading: &mut Reading, words: &[String], manner: Splitting<'_>) {
    let Splitting { mode, separate, separators } = manner;
    for (index, word) in words.iter().enumerate() {
        if index > 0 && (separate || mode == Mode::Word) {
            reading.cut();
        } else if index > 0 {
            reading.current.text.push(' ');
        }
        if mode != Mode::Word {
            reading.current.text.push_str(word);
            reading.started = true;
            continue;
        }
        for (index, part) in word.split(separators).enumerate() {
            if index > 0 {
                reading.cut();
            }
            if !part.is_empty() {
                reading.current.text.push_str(part);
                reading.current.pattern |= is_pattern(part);
                reading.started = true;
            }
        }
    }
}

/// Nothing in it means anything but itself.
fn is_plain(raw: &str) -> bool {
    !raw.bytes().any(|byte| b"\\'\"$`~*?[{(".contains(&byte))
}

fn is_pattern(text: &str) -> bool {
    text != "["
        && text != "[["
        && (text.contains(['*', '?']) || text.contains('[') || text.contains("@(") || text.contains("!("))
}
