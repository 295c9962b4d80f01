//! From a message to a command.

use hermes_approval::{TypedAnswer, parse_answer};

use crate::Role;

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
}

/// What somebody wants done instead of talking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    New,
    Stop,
    Retry,
    Undo,
    Status,
    Model(Option<String>),
    Answer(TypedAnswer),
    Yolo(Option<Switch>),
    Resume(Option<String>),
    Help,
    Usage,
    Compress,
    Background(String),
    Whoami,
}

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// Something to talk about.
    Talk,
    Command(Command),
    /// Meant as a command, and cannot be one; what to say about it.
    Refused(String),
}

/// A row of the table: a command's word, other words for it, who may use it, what it is for.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) others: &'static [&'static str],
    pub(crate) role: Role,
    pub(crate) about: &'static str,
    build: fn(&str) -> Result<Command, String>,
}

pub(crate) const TABLE: &[Row] = &[
    Row {
        name: "new",
        others: &["reset"],
        role: Role::User,
        about: "begin a new session",
        build: |_| Ok(Command::New),
    },
    Row { name: "stop", others: &[], role: Role::User, about: "stop what is running", build: |_| Ok(Command::Stop) },
    Row { name: "retry", others: &[], role: Role::User, about: "ask again", build: |_| Ok(Command::Retry) },
    Row {
        name: "undo",
        others: &[],
        role: Role::User,
        about: "take back your last message",
        build: |_| Ok(Command::Undo),
    },
    Row {
        name: "status",
        others: &[],
        role: Role::User,
        about: "how this conversation stands",
        build: |_| Ok(Command::Status),
    },
    Row {
        name: "model",
        others: &[],
        role: Role::Admin,
        about: "which model answers; /model PROVIDER/MODEL changes it",
        build: |text| Ok(Command::Model(argument(text))),
    },
    Row {
        name: "approve",
        others: &[],
        role: Role::User,
        about: "approve what waits: /approve [all|ID] [session|always]",
        build: answer,
    },
    Row {
        name: "deny",
        others: &[],
        role: Role::User,
        about: "refuse what waits: /deny [all|ID] [reason]",
        build: answer,
    },
    Row {
        name: "yolo",
        others: &[],
        role: Role::Admin,
        about: "run dangerous commands of this session without asking: /yolo [on|off]",
        build: yolo,
    },
    Row {
        name: "resume",
        others: &["sessions"],
        role: Role::User,
        about: "go on with an earlier session of this conversation: /resume [ID]",
        build: |text| Ok(Command::Resume(argument(text))),
    },
    Row {
        name: "help",
        others: &["start", "commands"],
        role: Role::User,
        about: "this list",
        build: |_| Ok(Command::Help),
    },
    Row {
        name: "usage",
        others: &[],
        role: Role::User,
        about: "tokens of this session",
        build: |_| Ok(Command::Usage),
    },
    Row {
        name: "compress",
        others: &[],
        role: Role::User,
        about: "make the conversation shorter",
        build: |_| Ok(Command::Compress),
    },
    Row {
        name: "whoami",
        others: &[],
        role: Role::User,
        about: "who you are here and what you may do",
        build: |_| Ok(Command::Whoami),
    },
    Row {
        name: "bg",
        others: &["background"],
        role: Role::User,
        about: "work on something beside the conversation: /bg TEXT",
        build: background,
    },
];

/// Letters of a command that has to be guessed.
const SHORTEST: usize = 2;
/// Never guessed.
const TYPED_OUT: [&str; 3] = ["approve", "deny", "yolo"];

/// Whether a word names a command.
pub(crate) fn is_known(word: &str) -> bool {
    find(&word.to_ascii_lowercase()).is_ok()
}

/// What everybody may choose from, and what it is for.
pub(crate) fn menu() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.iter().filter(|row| row.role == Role::User).map(|row| (row.name, row.about))
}

/// Reads a message. `role` decides what its sender may do.
pub(crate) fn parse(text: &str, role: Role) -> Parsed {
    let text = text.trim();
    let Some(rest) = text.strip_prefix('/') else { return Parsed::Talk };
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    // In groups, platforms add the name of the bot that is meant.
    let name = word.split_once('@').map_or(word, |(name, _)| name).to_ascii_lowercase();
    // A path is something to talk about.
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
        return Parsed::Talk;
    }
    let row = match find(&name) {
        Ok(row) => row,
        Err(problem) => return Parsed::Refused(problem),
    };
    if role < row.role {
        return Parsed::Refused(format!("/{} is for administrators", row.name));
    }
    match (row.build)(text) {
        Ok(command) => Parsed::Command(command),
        Err(problem) => Parsed::Refused(problem),
    }
}

/// The command of this word, or of the only one that begins like it. What decides about danger is typed out.
fn find(name: &str) -> Result<&'static Row, String> {
    let is_called = |row: &&Row| row.name == name || row.others.contains(&name);
    if let Some(row) = TABLE.iter().find(is_called) {
        return Ok(row);
    }
    let begins = |row: &&Row| row.name.starts_with(name) || row.others.iter().any(|other| other.starts_with(name));
    let near: Vec<&Row> = TABLE.iter().filter(|_| name.len() >= SHORTEST).filter(begins).collect();
    match near.as_slice() {
        [] => Err(format!("there is no command /{name}; /help lists them")),
        [row] if !TYPED_OUT.contains(&row.name) => Ok(row),
        several => {
            let names: Vec<_> = several.iter().map(|row| format!("/{}", row.name)).collect();
            Err(format!("/{name} could be {}; nothing was done", names.join(" or ")))
        }
    }
}

/// What stands behind the command's word.
fn argument(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(char::is_whitespace)?;
    Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty())
}

fn answer(text: &str) -> Result<Command, String> {
    match parse_answer(text) {
        Some(TypedAnswer::NotUnderstood { word }) => {
            Err(format!("{word:?} cannot be part of an answer; nothing was approved"))
        }
        Some(answer) => Ok(Command::Answer(answer)),
        None => Err("that is no answer; nothing was approved".to_owned()),
    }
}

fn yolo(text: &str) -> Result<Command, String> {
    match argument(text).map(|word| word.to_ascii_lowercase()).as_deref() {
        None => Ok(Command::Yolo(None)),
        Some("on") => Ok(Command::Yolo(Some(Switch::On))),
        Some("off") => Ok(Command::Yolo(Some(Switch::Off))),
        Some(_) => Err("it is /yolo, /yolo on or /yolo off".to_owned()),
    }
}

fn background(text: &str) -> Result<Command, String> {
    argument(text).map(Command::Background).ok_or_else(|| "it is /bg and what to work on".to_owned())
}

#[cfg(test)]
mod tests {
    use hermes_approval::{Answer, TypedAnswer, Which};
    use hermes_proto::consent::Scope;

    use super::{Command, Parsed, Switch, parse};
    use crate::Role;

    fn check(text: &str, expected: &Parsed) {
        assert_eq!(&parse(text, Role::Admin), expected, "{text:?}");
    }

    #[test]
    fn commands_are_words_behind_a_slash() {
        let is = |command| Parsed::Command(command);
        check("/new", &is(Command::New));
        check("  /RESET now ", &is(Command::New));
        check("/stop@hermes_bot", &is(Command::Stop));
        check("/stat", &is(Command::Status));
        check("/backgr x", &is(Command::Background("x".to_owned())));
        check("/WHO", &is(Command::Whoami));
        check("/model", &is(Command::Model(None)));
        check("/model a/b ", &is(Command::Model(Some("a/b".to_owned()))));
        check("/yolo OFF", &is(Command::Yolo(Some(Switch::Off))));
        check("/bg count\nlines", &is(Command::Background("count\nlines".to_owned())));
        let answer = TypedAnswer::Answer { which: Which::Oldest, answer: Answer::Approve(Scope::Once) };
        check("/approve", &is(Command::Answer(answer)));
    }

    #[test]
    fn everything_else_is_conversation_or_refused() {
        for text in ["", "yes", "approve", "ok /approve", "/etc/hosts is broken", "/", "/ new", "//new", "/tmp/x"] {
            check(text, &Parsed::Talk);
        }
        for text in
            ["/approve please", "/frobnicate", "/yolo maybe", "/bg", "/approved", "/app", "/den", "/yo on", "/st", "/n"]
        {
            assert!(matches!(parse(text, Role::Admin), Parsed::Refused(_)), "{text}");
        }
    }

    #[test]
    fn some_commands_are_for_administrators() {
        for text in ["/yolo", "/yolo off", "/model", "/model x/y"] {
            assert!(matches!(parse(text, Role::User), Parsed::Refused(_)), "{text}");
            assert!(matches!(parse(text, Role::Admin), Parsed::Command(_)), "{text}");
        }
        for text in ["/new", "/stop", "/approve", "/deny", "/status", "/help", "/bg x"] {
            assert!(matches!(parse(text, Role::User), Parsed::Command(_)), "{text}");
        }
    }
}
