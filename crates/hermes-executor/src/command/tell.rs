//! What the runtime is told about a command that is over.

use std::time::Duration;

use hermes_proto::executor::{Answer, CommandEnd, CommandResult};

use super::run::Ending;
use crate::output::Collected;
use crate::session::Session;

const TIMED_OUT: i32 = 124;
const NOT_ENTERED: i32 = 126;
const INTERRUPTED: i32 = 130;
const KILLED: i32 = 9;

/// A command that is over, but for its output.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) ending: Ending,
    pub(super) timeout_ms: Option<u64>,
    pub(super) duration: Duration,
    pub(super) notes: Vec<String>,
}

pub(super) fn result(session: &Session, collected: Collected, told: Told) -> Answer {
    let mut output = collected.text;
    let mut notes = told.notes;
    notes.extend(collected.note.map(|note| format!("full output is not kept: {note}")));
    let (end, exit_code) = match told.ending {
        Ending::ByItself(end, code) => (end, code),
        Ending::TimedOut => {
            append_line(&mut output, &format!("[Command timed out after {}s]", seconds(told.timeout_ms.unwrap_or(0))));
            (CommandEnd::TimedOut, TIMED_OUT)
        }
        Ending::Interrupted => {
            append_line(&mut output, "[Command interrupted]");
            (CommandEnd::Interrupted, INTERRUPTED)
        }
        Ending::Lost | Ending::NotStarted(_) => {
            notes.push("the process that guards the command was killed; all that the command started was ended".into());
            (CommandEnd::Signalled { signal: KILLED }, 128 + KILLED)
        }
    };
    Answer::Command(CommandResult {
        output,
        total_characters: collected.total_characters,
        omitted_characters: collected.omitted_characters,
        spill_path: collected.spill_path.map(|path| path.to_string_lossy().into_owned()),
        exit_code,
        end,
        working_directory: working_directory(session),
        notes,
        duration_ms: u64::try_from(told.duration.as_millis()).unwrap_or(u64::MAX),
    })
}

/// The command was to run in a directory that is not there: it did not run at all.
pub(super) fn no_directory(session: &Session, reason: String) -> Answer {
    Answer::Command(CommandResult {
        total_characters: reason.chars().count() as u64,
        output: reason,
        omitted_characters: 0,
        spill_path: None,
        exit_code: NOT_ENTERED,
        end: CommandEnd::Exited,
        working_directory: working_directory(session),
        notes: vec!["the command was not run".to_owned()],
        duration_ms: 0,
    })
}

fn working_directory(session: &Session) -> String {
    session.state.borrow().directory().to_string_lossy().into_owned()
}

fn append_line(output: &mut String, line: &str) {
    if !output.is_empty() && !output.ends_with('\n') {
        output.push('\n');
    }
    output.push_str(line);
}

/// Without a fraction where there is none.
fn seconds(milliseconds: u64) -> String {
    let (whole, rest) = (milliseconds / 1000, milliseconds % 1000);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:03}").trim_end_matches('0').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{append_line, seconds};

    #[test]
    fn times_are_short() {
        for (milliseconds, expected) in [(0, "0"), (2000, "2"), (1500, "1.5"), (1, "0.001"), (10_250, "10.25")] {
            assert_eq!(seconds(milliseconds), expected);
        }
    }

    #[test]
    fn the_marker_has_a_line_of_its_own() {
        for (before, after) in [("", "m"), ("a", "a\nm"), ("a\n", "a\nm")] {
            let mut output = before.to_owned();
            append_line(&mut output, "m");
            assert_eq!(output, after);
        }
    }
}
