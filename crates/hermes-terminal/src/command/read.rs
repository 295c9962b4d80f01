//! From a typed line to its meaning. A command may be shortened as long as it stays clear which one is meant.

use super::table::{Handler, ROWS, Row};
use crate::conversation::Control;

/// What a line means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    Nothing,
    Message(String),
    Command(Meaning),
    /// A command that is not one; in words.
    Problem(String),
}

/// What a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    Help,
    Retry,
    Quit,
    Control(Control),
}

pub(crate) fn read(line: &str) -> Typed {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    let Some(command) = line.strip_prefix('/') else { return Typed::Message(line.to_owned()) };
    let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    // A path at the start of a message is no command.
    if name.is_empty() || name.contains('/') {
        return Typed::Message(line.to_owned());
    }
    match find(&name.to_lowercase()) {
        Ok(row) => meaning(row, argument.trim()),
        Err(problem) => Typed::Problem(problem),
    }
}

fn meaning(row: &Row, argument: &str) -> Typed {
    if row.arguments.is_empty() && !argument.is_empty() {
        return Typed::Problem(format!("/{} takes no argument", row.name));
    }
    let meaning = match row.handler {
        Handler::Here(read) => read(argument),
        Handler::There(read) => read(argument).map(Meaning::Control),
    };
    match meaning {
        Ok(meaning) => Typed::Command(meaning),
        Err(problem) => Typed::Problem(format!("/{} {}: {problem}", row.name, row.arguments)),
    }
}

/// The command of this name, of this alias, or the only one that begins like this.
fn find(name: &str) -> Result<&'static Row, String> {
    if let Some(row) = ROWS.iter().find(|row| row.name == name || row.aliases.contains(&name)) {
        return Ok(row);
    }
    let begins = |row: &&Row| names(row).any(|full| full.starts_with(name));
    let found: Vec<&Row> = ROWS.iter().filter(begins).collect();
    match found.as_slice() {
        [row] => Ok(row),
        [] => Err(unknown(name)),
        several => {
            let names: Vec<String> = several.iter().map(|row| format!("/{}", row.name)).collect();
            Err(format!("/{name} could be {}", names.join(", ")))
        }
    }
}

pub(super) fn names(row: &Row) -> impl Iterator<Item = &'static str> {
    std::iter::once(row.name).chain(row.aliases.iter().copied())
}

fn unknown(name: &str) -> String {
    const CLOSE: f64 = 0.7;
    let nearest = ROWS
        .iter()
        .flat_map(names)
        .map(|full| (strsim::jaro_winkler(name, full), full))
        .filter(|(similarity, _)| *similarity > CLOSE)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    match nearest {
        Some((_, full)) => format!("there is no /{name}; did you mean /{full}?"),
        None => format!("there is no /{name}; /help lists the commands"),
    }
}

/// The commands and the keys, as markdown.
pub(crate) fn help(keys: &str) -> String {
    let mut text = "| command | |\n|---|---|\n".to_owned();
    for row in ROWS {
        let aliases: String = row.aliases.iter().map(|alias| format!(", /{alias}")).collect();
        let arguments = row.arguments.replace('|', "\\|");
        text.push_str(&format!("| `/{}{aliases} {arguments}` | {} |\n", row.name, row.help).replace(" ` |", "` |"));
    }
    text.push('\n');
    text.push_str(keys);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Switch;

    #[track_caller]
    fn check(line: &str, expected: &Typed) {
        assert_eq!(&read(line), expected, "{line:?}");
    }

    #[test]
    fn commands_are_found_by_name_alias_and_clear_beginning() {
        let control = |control| Typed::Command(Meaning::Control(control));
        for (line, expected) in [
            ("/help", Typed::Command(Meaning::Help)),
            ("/h", Typed::Command(Meaning::Help)),
            ("/new", control(Control::NewSession)),
            ("/reset", control(Control::NewSession)),
            ("/cle", control(Control::NewSession)),
            ("/retry", Typed::Command(Meaning::Retry)),
            ("/UNDO", control(Control::Undo)),
            ("/stop", control(Control::Stop)),
            ("/model", control(Control::Model(None))),
            ("/mod  gpt 5 ", control(Control::Model(Some("gpt 5".to_owned())))),
            ("/tools", control(Control::Tools)),
            ("/status", control(Control::Status)),
            ("/usage", control(Control::Usage)),
            ("/compress", control(Control::Compress)),
            ("/resume latest", control(Control::Resume(Some("latest".to_owned())))),
            ("/sessions", control(Control::Sessions)),
            ("/yolo", control(Control::Yolo(None))),
            ("/yolo on", control(Control::Yolo(Some(Switch::On)))),
            ("/yolo off", control(Control::Yolo(Some(Switch::Off)))),
            ("/approvals", control(Control::Approvals)),
            ("/bg build it\nall", control(Control::Background("build it\nall".to_owned()))),
            ("/quit", Typed::Command(Meaning::Quit)),
            ("/exit", Typed::Command(Meaning::Quit)),
        ] {
            check(line, &expected);
        }
    }

    #[test]
    fn what_is_no_command_is_said_or_sent() {
        for (line, problem) in [
            ("/halp", "there is no /halp; did you mean /help?"),
            ("/zzz", "there is no /zzz; /help lists the commands"),
            ("/st", "/st could be /stop, /status"),
            ("/yolo maybe", "/yolo [on|off]: say on or off"),
            ("/bg", "/bg MESSAGE: say what is to be done in the background"),
            ("/new one", "/new takes no argument"),
        ] {
            check(line, &Typed::Problem(problem.to_owned()));
        }
        for line in ["/etc/passwd is what?", "hello", "a /help", "/", "/ help", "//help"] {
            check(line, &Typed::Message(line.to_owned()));
        }
        check("  \n ", &Typed::Nothing);
    }

    #[test]
    fn help_names_every_command() {
        let text = help("keys");
        for row in ROWS {
            assert!(text.contains(&format!("`/{}", row.name)), "{}", row.name);
        }
        assert!(text.ends_with("keys"));
    }
}
