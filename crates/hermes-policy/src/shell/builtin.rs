//! Builtins that change what later words mean, and those that run a text.

use super::event::{Event, Field, Simple, UNKNOWN};
use super::parameter::is_name;
use super::path;
use super::scope::Value;
use super::wrapper::Next;
use super::{Outcome, Reader};

/// Builtins that compute the subscripts among their arguments.
const SUBSCRIPTED: &[&str] = &[
    "let", "test", "[", "printf", "read", "unset", "declare", "typeset", "local", "export", "readonly", "mapfile",
    "wait",
];

impl Reader<'_> {
    /// Does what a builtin does to the scope; answers for those that are nothing else.
    pub(super) fn builtin(&mut self, call: &Simple) -> Option<Outcome> {
        if SUBSCRIPTED.contains(&call.name.as_str()) {
            // A subscript is computed, and what is substituted in it runs.
            call.texts().filter(|text| text.contains('[')).for_each(|text| self.arithmetic(text));
        }
        match call.name.as_str() {
            "cd" | "pushd" => self.change_folder(call),
            "popd" => self.scope.folder = None,
            "export" | "declare" | "local" | "readonly" | "typeset" => self.declare(call),
            "unset" => call.operands().for_each(|field| self.scope.unset(&field.text)),
            "alias" => self.define_aliases(call),
            "unalias" => self.scope.aliases.clear(),
            "set" => self.set_words(call),
            "shift" => self.shift(call),
            "read" | "mapfile" | "readarray" => self.read_variables(call),
            "printf" => self.print_into(call),
            "getopts" => self.unknown_variable(call.operand(1)),
            "chmod" => self.make_executable(call),
            "eval" => return Some(self.evaluate(call)),
            "trap" => return Some(self.trap(call)),
            _ => {}
        }
        None
    }

    fn change_folder(&mut self, call: &Simple) {
        let target = call.operands().next().cloned().unwrap_or_else(|| Field::new(self.place.home()));
        let known = target.is_known() && !target.pattern && target.text != "-";
        let absolute = target.text.starts_with(['/', '~']);
        self.scope.folder = match (&self.scope.folder, known) {
            (_, false) => None,
            (None, true) if !absolute => None,
            (folder, true) => Some(path::join(folder.as_deref(), &target.text)),
        };
    }

    fn declare(&mut self, call: &Simple) {
        for field in call.operands() {
            if let Some((name, value)) = field.text.split_once('=')
                && is_name(name)
            {
                self.scope.set(name, Value::scalar(value));
            }
        }
    }

    fn define_aliases(&mut self, call: &Simple) {
        for field in call.operands() {
            if let Some((name, value)) = field.text.split_once('=') {
                self.scope.aliases.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// `set -- a b`
    fn set_words(&mut self, call: &Simple) {
        let mut texts = call.texts().skip_while(|text| *text != "--");
        if texts.next().is_some() {
            self.scope.positional = Some(texts.map(ToOwned::to_owned).collect());
        }
    }

    fn shift(&mut self, call: &Simple) {
        let count = call.operand(0).and_then(|text| text.parse::<usize>().ok()).unwrap_or(1);
        if let Some(words) = &mut self.scope.positional {
            words.drain(..count.min(words.len()));
        }
    }

    fn read_variables(&mut self, call: &Simple) {
        let names: Vec<String> = call.operands().map(|field| field.text.clone()).filter(|name| is_name(name)).collect();
        let words: Vec<String> = match call.feed.text() {
            Some(text) => {
                let own = call.variables.iter().find(|(name, _)| name == "IFS").map_or("", |(_, value)| value);
                let separates = |letter: char| letter.is_whitespace() || own.contains(letter);
                text.split(separates).filter(|word| !word.is_empty()).map(ToOwned::to_owned).collect()
            }
            None => vec![UNKNOWN.to_string()],
        };
        let known = call.feed.text().is_some();
        for (index, name) in names.iter().enumerate() {
            let value = match (known, index + 1 == names.len()) {
                (false, _) => Value::unknown(),
                (true, true) if call.name == "read" && !call.has_letter('a') => {
                    Value::scalar(words.get(index..).unwrap_or_default().join(" "))
                }
                (true, true) => Value { options: vec![words.clone()] },
                (true, false) => Value::scalar(words.get(index).cloned().unwrap_or_default()),
            };
            self.scope.set(name, value);
        }
    }

    /// `printf -v name format words`
    fn print_into(&mut self, call: &Simple) {
        let [flag, name, rest @ ..] = call.arguments.as_slice() else { return };
        if flag.text == "-v" && is_name(&name.text) {
            let printed = Simple { name: "printf".to_owned(), arguments: rest.to_vec(), ..Simple::default() };
            let text = super::output::literal(&printed).unwrap_or_else(|| UNKNOWN.to_string());
            self.scope.set(&name.text, Value::scalar(text));
        }
    }

    /// Remembers what `chmod +x` made runnable.
    fn make_executable(&mut self, call: &Simple) {
        let Some(mode) = call.operand(0) else { return };
        let octal = mode.bytes().all(|byte| byte.is_ascii_digit());
        let runs = if octal { mode.contains(['1', '3', '5', '7']) } else { mode.contains('+') && mode.contains('x') };
        if runs {
            let files = call.operands().skip(1).map(|field| path::collapse(&field.text));
            self.scope.executables.extend(files);
        }
    }

    fn unknown_variable(&mut self, name: Option<&str>) {
        if let Some(name) = name.filter(|name| is_name(name)) {
            self.scope.set(name, Value::unknown());
        }
    }

    /// `eval`: its words are one more text, and what it sets stays.
    fn evaluate(&mut self, call: &Simple) -> Outcome {
        let text = call.texts().collect::<Vec<_>>().join(" ");
        self.events.push(Event::Command(call.clone().into()));
        if text.trim_matches(UNKNOWN).trim().is_empty() && text.contains(UNKNOWN) {
            return self.follow(vec![Next::Unknown], call);
        }
        self.read_text(&text.replace(UNKNOWN, "${__unknown__}"), &call.feed)
    }

    /// `trap 'text' SIGNAL`
    fn trap(&mut self, call: &Simple) -> Outcome {
        self.events.push(Event::Command(call.clone().into()));
        match call.operand(0) {
            Some(text) if call.operands().count() > 1 && text != "-" => {
                let text = text.replace(UNKNOWN, "${__unknown__}");
                self.in_subshell(|reader| reader.read_text(&text, &super::Feed::Nothing))
            }
            _ => Outcome::default(),
        }
    }
}
