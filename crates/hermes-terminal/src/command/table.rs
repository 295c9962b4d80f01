//! The slash commands, one row each.

use super::read::Meaning;
use crate::conversation::{Candidates, Control, Switch};

/// One slash command.
#[derive(Debug)]
pub(super) struct Row {
    /// Without the slash.
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    /// What follows, as help shows it.
    pub(super) arguments: &'static str,
    pub(super) help: &'static str,
    pub(super) candidates: Offered,
    pub(super) handler: Handler,
}

/// Who does it, given what follows the command; or what is wrong with that.
#[derive(Debug, Clone, Copy)]
pub(super) enum Handler {
    /// The terminal itself.
    Here(fn(&str) -> Result<Meaning, &'static str>),
    /// The conversation.
    There(fn(&str) -> Result<Control, &'static str>),
}

/// What completion offers after a command.
#[derive(Debug, Clone, Copy)]
pub(super) enum Offered {
    Nothing,
    Words(&'static [&'static str]),
    Asked(Candidates),
}

pub(super) const ROWS: &[Row] = &[
    row("help", "", "these commands and the keys", |_| Ok(Meaning::Help)),
    Row { aliases: &["reset", "clear"], ..control("new", "", "begin a new session", |_| Ok(Control::NewSession)) },
    row("retry", "", "the last message once more", |_| Ok(Meaning::Retry)),
    control("undo", "", "take the last message and its answer back", |_| Ok(Control::Undo)),
    control("stop", "", "end running commands and background jobs", |_| Ok(Control::Stop)),
    Row {
        candidates: Offered::Asked(Candidates::Models),
        ..control("model", "[NAME]", "show or change the model", |name| Ok(Control::Model(given(name))))
    },
    control("tools", "", "what the model can use", |_| Ok(Control::Tools)),
    control("status", "", "where this conversation stands", |_| Ok(Control::Status)),
    control("usage", "", "tokens spent in this session", |_| Ok(Control::Usage)),
    control("compress", "", "shorten the conversation now", |_| Ok(Control::Compress)),
    Row {
        candidates: Offered::Asked(Candidates::Sessions),
        ..control("resume", "[ID|TITLE|latest]", "go on with an earlier session", |which| {
            Ok(Control::Resume(given(which)))
        })
    },
    control("sessions", "", "list earlier sessions", |_| Ok(Control::Sessions)),
    Row {
        candidates: Offered::Words(&["on", "off"]),
        ..control("yolo", "[on|off]", "approve everything that may be approved", |switch| match switch {
            "" => Ok(Control::Yolo(None)),
            "on" => Ok(Control::Yolo(Some(Switch::On))),
            "off" => Ok(Control::Yolo(Some(Switch::Off))),
            _ => Err("say on or off"),
        })
    },
    control("approvals", "", "what has been approved, and how to take it back", |_| Ok(Control::Approvals)),
    control("bg", "MESSAGE", "have a message worked on in the background", |message| match message {
        "" => Err("say what is to be done in the background"),
        message => Ok(Control::Background(message.to_owned())),
    }),
    Row { aliases: &["exit"], ..row("quit", "", "leave", |_| Ok(Meaning::Quit)) },
];

const fn row(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    handler: fn(&str) -> Result<Meaning, &'static str>,
) -> Row {
    Row { name, aliases: &[], arguments, help, candidates: Offered::Nothing, handler: Handler::Here(handler) }
}

const fn control(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    handler: fn(&str) -> Result<Control, &'static str>,
) -> Row {
    Row { name, aliases: &[], arguments, help, candidates: Offered::Nothing, handler: Handler::There(handler) }
}

fn given(argument: &str) -> Option<String> {
    Some(argument.to_owned()).filter(|argument| !argument.is_empty())
}
