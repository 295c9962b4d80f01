//! One simple command: its words are resolved, what it is called for is found out,
//! and what it would start in turn is followed.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem as Item, SimpleCommand,
};

use super::event::{Event, Feed, Field, Simple, Trouble, UNKNOWN};
use super::expand::Mode;
use super::parameter::is_name;
use super::scope::Value;
use super::wrapper::Next;
use super::{Manner, Outcome, Reader, output, path, payload, wrapper};

/// How long an assignment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    ForCommand,
    FromHereOn,
}

impl Reader<'_> {
    pub(super) fn simple(&mut self, command: &SimpleCommand, feed: &Feed) -> Outcome {
        let simple = Simple {
            feed: feed.clone(),
            folder: self.scope.folder.clone(),
            background: self.manner == Manner::Background,
            ..Simple::default()
        };
        let outside = std::mem::take(&mut self.substituted);
        let outcome = self.simple_parts(command, simple);
        self.substituted = outside;
        outcome
    }

    fn simple_parts(&mut self, command: &SimpleCommand, mut simple: Simple) -> Outcome {
        let feed = simple.feed.clone();
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let held = if command.word_or_name.is_some() { Held::ForCommand } else { Held::FromHereOn };
        self.before(prefix, &mut simple, held);
        let Some(word) = &command.word_or_name else {
            return self.nameless(simple);
        };
        let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
        if let Some(text) = self.alias(&word.value, command) {
            return self.read_text(&text, &feed);
        }
        if let Some(group) = word.value.strip_prefix('!').filter(|rest| rest.starts_with('(')) {
            // Only with extglob a pattern: else the opposite of what the group answers.
            return self.read_text(group, &feed);
        }
        let readings = self.readings(&word.value);
        self.after(suffix, &mut simple);
        simple.substituted = std::mem::take(&mut self.substituted);
        let mut outcome = Outcome::default();
        for fields in readings {
            let mut call = simple.clone();
            let rest = std::mem::take(&mut call.arguments);
            let words = fields.into_iter().chain(rest).collect();
            outcome = self.invoke(words, call, &word.value);
        }
        outcome
    }

    /// What stands before the name: redirects, and assignments that hold for this command or from here on.
    fn before<'c>(&mut self, items: impl Iterator<Item = &'c Item>, simple: &mut Simple, held: Held) {
        for item in items {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect, simple),
                Item::AssignmentWord(assignment, _) if held == Held::ForCommand => {
                    let text = self.assigned_text(assignment);
                    simple.variables.push((assignment_name(assignment).to_owned(), text));
                }
                Item::AssignmentWord(assignment, _) => self.assign(assignment),
                Item::Word(_) | Item::ProcessSubstitution(..) => {}
            }
        }
    }

    /// What stands behind the name: redirects and arguments.
    fn after<'c>(&mut self, items: impl Iterator<Item = &'c Item>, simple: &mut Simple) {
        for item in items {
            match item {
                Item::IoRedirect(redirect) => self.redirect(redirect, simple),
                Item::Word(word) => simple.arguments.extend(self.fields(&word.value)),
                Item::AssignmentWord(assignment, word) => {
                    simple.arguments.extend(self.assignment_fields(assignment, &word.value));
                }
                Item::ProcessSubstitution(kind, subshell) => {
                    let outcome = self.process_substitution(kind, subshell, simple);
                    self.remember_substituted(&outcome);
                    if let (None, Some(text)) = (simple.feed.text(), outcome.output) {
                        simple.feed = Feed::Pipe { sources: Vec::new(), text: Some(text) };
                    }
                    simple.arguments.push(Self::document_field());
                }
            }
        }
    }

    /// Only assignments and redirects: they hold from here on.
    fn nameless(&mut self, simple: Simple) -> Outcome {
        // `$(< file)` prints the file.
        let output = simple.redirects.is_empty().then(String::new);
        if !simple.redirects.is_empty() {
            self.events.push(Event::Command(simple.into()));
        }
        Outcome { output, sources: Vec::new() }
    }

    fn assign(&mut self, assignment: &Assignment) {
        let name = assignment_name(assignment).to_owned();
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let texts = self.texts(&word.value, Mode::Value);
                Value { options: texts.into_iter().map(|text| vec![text]).collect() }
            }
            AssignmentValue::Array(words) => {
                let fields: Vec<Field> = words.iter().flat_map(|(_, word)| self.fields(&word.value)).collect();
                Value { options: vec![fields.into_iter().map(|field| field.text).collect()] }
            }
        };
        self.run_by_value(&name, &value);
        let plain = matches!(assignment.name, AssignmentName::VariableName(_));
        let value = match (assignment.append, plain) {
            (false, true) => value,
            (true, true) => self.appended(&name, value),
            (_, false) => Value::unknown(),
        };
        self.scope.set(&name, value);
    }

    /// Some variables are programs: bash runs them before each prompt or line, and runs what is
    /// substituted in a subscript wherever it computes with it.
    fn run_by_value(&mut self, name: &str, value: &Value) {
        for text in value.options.iter().flatten() {
            match name {
                "PROMPT_COMMAND" => {
                    self.read_text(text, &Feed::Nothing);
                }
                "PS0" | "PS1" | "PS4" => self.arithmetic(text),
                _ if text.contains("[$(") || text.contains("[`") => self.arithmetic(text),
                _ => {}
            }
        }
    }

    fn appended(&mut self, name: &str, value: Value) -> Value {
        let Some(old) = self.scope.get(name).cloned() else { return value };
        let (Some(before), Some(after)) = (old.options.first(), value.options.first()) else { return value };
        let joined = match (before.as_slice(), after.as_slice()) {
            ([one], [other]) if one.len() + other.len() < super::limits::CHARACTERS => vec![format!("{one}{other}")],
            ([_], [_]) => vec![UNKNOWN.to_string()],
            _ => before.iter().chain(after).take(super::limits::BRACES).cloned().collect(),
        };
        Value { options: vec![joined] }
    }

    fn assigned_text(&mut self, assignment: &Assignment) -> String {
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.text(&word.value, Mode::Value),
            AssignmentValue::Array(_) => UNKNOWN.to_string(),
        }
    }

    /// An assignment as an argument of `export`, `make`, `dd` …
    fn assignment_fields(&mut self, assignment: &Assignment, raw: &str) -> Vec<Field> {
        match &assignment.value {
            AssignmentValue::Scalar(_) => self.fields(raw),
            AssignmentValue::Array(words) => {
                words.iter().for_each(|(_, word)| {
                    self.fields(&word.value);
                });
                vec![Field::new(raw)]
            }
        }
    }

    /// The text that an alias of the same text makes of this command.
    fn alias(&mut self, name: &str, command: &SimpleCommand) -> Option<String> {
        let value = self.scope.aliases.get(name)?.clone();
        if value.split_whitespace().next() == Some(name) {
            return None;
        }
        let mut text = value;
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            text.push(' ');
            text.push_str(&item.to_string());
        }
        Some(text)
    }

    /// A command whose words are known as far as they can be.
    pub(super) fn invoke(&mut self, mut words: Vec<Field>, mut call: Simple, shown: &str) -> Outcome {
        if words.is_empty() {
            return self.nameless(call);
        }
        let skipped = words.iter().take(words.len() - 1).take_while(|word| is_no_program(&word.text)).count();
        words.drain(..skipped);
        let first = words.remove(0);
        let base = first.text.rsplit('/').next().unwrap_or_default().to_owned();
        let in_path = first.text.contains('/');
        if base.is_empty() || base.contains(UNKNOWN) || (first.pattern && is_open(&base)) {
            self.trouble(Trouble::Unresolved, shown);
            call.arguments = words;
            self.events.push(Event::Command(call.into()));
            return Outcome::default();
        }
        call.name = base;
        call.just_made_executable =
            in_path && self.scope.executables.contains(super::path::collapse(&first.text).as_str());
        call.program = first.text;
        call.arguments = words;
        if !in_path
            && call.through.is_empty()
            && let Some(function) = self.scope.functions.get(&call.name).cloned()
        {
            let positional = call.texts().map(ToOwned::to_owned).collect();
            return self.call(&call.name.clone(), &function, Some(positional), &call.feed);
        }
        self.start(&call)
    }

    fn start(&mut self, call: &Simple) -> Outcome {
        if let Some(outcome) = self.builtin(call) {
            return outcome;
        }
        let nexts = wrapper::next(call).or_else(|| payload::next(call)).unwrap_or_default();
        let nexts = if nexts.is_empty() { self.written_script(call) } else { nexts };
        let output = output::literal(call);
        self.remember_written(call, output.as_deref());
        self.events.push(Event::Command(call.clone().into()));
        let inside = self.follow(nexts, call);
        let mut outcome = Outcome { output: output.or(inside.output), sources: Vec::new() };
        outcome.add_sources(call.feed.sources());
        outcome.add_sources([&call.name]);
        outcome.add_sources(&inside.sources);
        outcome
    }

    /// A file whose content stands in the same text, kept for when it is run.
    fn remember_written(&mut self, call: &Simple, output: Option<&str>) {
        let Some(output) = output else { return };
        let opened = call.redirects.iter().filter(|redirect| redirect.writes && !redirect.duplicates);
        let named = if call.name == "tee" { call.arguments.as_slice() } else { &[] };
        for target in opened.map(|redirect| &redirect.target).chain(named) {
            let text = self.scope.files.entry(path::collapse(&target.text)).or_default();
            // Whether it is appended or replaced: all of it may come to run.
            if text.len() + output.len() <= super::limits::CHARACTERS {
                text.push_str(output);
            }
        }
    }

    /// `bash x`, `. x` and `./x`, where the text itself wrote `x`.
    fn written_script(&self, call: &Simple) -> Vec<Next> {
        let file = match payload::script(call) {
            payload::Script::File(file) if call.is(payload::SHELLS) => file,
            payload::Script::File(file) if call.is(&["source", "."]) => file,
            _ if call.program.contains('/') => call.program.clone(),
            _ => return Vec::new(),
        };
        let text = self.scope.files.get(&path::collapse(&file)).filter(|text| payload::is_for_shell(text));
        text.map(|text| Next::Text(text.clone(), None)).into_iter().collect()
    }

    /// What a command would start.
    pub(super) fn follow(&mut self, nexts: Vec<Next>, call: &Simple) -> Outcome {
        let mut outcome = Outcome::default();
        for next in nexts {
            if self.budget.depth == 0 || self.budget.commands == 0 {
                self.trouble(Trouble::TooDeep, "");
                break;
            }
            self.budget.depth -= 1;
            self.budget.commands -= 1;
            outcome = match next {
                Next::Command(words, by) => {
                    let mut inner = Simple { arguments: Vec::new(), redirects: Vec::new(), ..call.clone() };
                    inner.through.push(by);
                    let shown = words.first().map(|word| word.text.replace(UNKNOWN, "…")).unwrap_or_default();
                    self.invoke(words, inner, &shown)
                }
                Next::Text(text, words) => self.script(&text, words, call),
                Next::Unknown => {
                    self.trouble(Trouble::Unresolved, &call.text());
                    Outcome::default()
                }
            };
            self.budget.depth += 1;
        }
        outcome
    }

    /// A program text handed to another shell. What is unknown in it stays an unknown variable.
    fn script(&mut self, text: &str, words: Option<Vec<String>>, call: &Simple) -> Outcome {
        let text = text.replace(UNKNOWN, "${__unknown__}");
        // What fed the shell was its program, and is used up.
        let feed = if words.is_some() { call.feed.clone() } else { Feed::Nothing };
        self.in_subshell(|reader| {
            for (name, value) in &call.variables {
                reader.scope.set(name, Value::scalar(value.clone()));
            }
            if let Some(mut words) = words {
                reader.scope.zero = (!words.is_empty()).then(|| words.remove(0));
                reader.scope.positional = Some(words);
            }
            reader.read_text(&text, &feed)
        })
    }
}

fn assignment_name(assignment: &Assignment) -> &str {
    match &assignment.name {
        AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _) => name,
    }
}

/// `time -- command`, and the descriptor's name in `{name}>file command`.
fn is_no_program(text: &str) -> bool {
    text == "--" || text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(is_name)
}

/// A pattern that files could match, in the place of a program's name.
fn is_open(name: &str) -> bool {
    name != "[" && name.contains(['*', '?', '[', '('])
}
