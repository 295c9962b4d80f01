//! The text that bash is started with.
//!
//! The person's command is data in it, quoted, and evaluated in a shell that has the session's
//! functions and aliases. When the shell ends, by itself or by `exit`, it writes its state to a
//! descriptor. Hazards, each of which once broke a session:
//!
//! - All of it is one list, parsed before any of it runs: a command with an open quote, an alias
//!   called `{` or a function called `trap` changes nothing about our own part.
//! - A command may replace the trap that writes the state; so the state is also written after the
//!   command, and the trap then does nothing.
//! - `set -x`, `DEBUG` and `ERR` traps of the command must neither show our part nor write into
//!   the state; so our part runs with both outputs closed and removes them.
//! - Functions are printed, and so defined, before aliases, which would otherwise be expanded in their bodies,
//!   and with `extglob`, without which some bodies cannot be parsed again.

use std::borrow::Cow;
use std::os::fd::BorrowedFd;

use crate::state::{DUMP_END, STATUS_VARIABLE, UNCHANGED};

/// The descriptor that takes the shell's state.
pub(crate) const STATE_DESCRIPTOR: i32 = 250;
/// The descriptor from which a shell reads what was not there at its start, or is too long for an argument.
pub(crate) const SCRIPT_DESCRIPTOR: i32 = 251;

/// What of a shell is wanted at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// All of its state.
    State,
    /// The status alone, of a command that changes nothing.
    Status,
    Nothing,
}

/// The person's command, for a script.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Command<'a> {
    Known(&'a str),
    /// It comes from here, as [`told`] has it, with the end after it. The end alone is no command.
    Later(BorrowedFd<'a>),
}

impl<'a> Command<'a> {
    /// Where it comes from, if it is told later.
    pub(crate) fn source(self) -> Option<BorrowedFd<'a>> {
        match self {
            Self::Known(_) => None,
            Self::Later(source) => Some(source),
        }
    }
}

/// What a script is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Script<'a> {
    pub(crate) command: Command<'a>,
    /// Functions and aliases, as bash printed them.
    pub(crate) definitions: &'a [u8],
    /// A file that child shells read at their start. Ours must not: it could end it.
    pub(crate) child_startup_file: Option<&'a [u8]>,
    pub(crate) keeps: Keeps,
}

impl Script<'_> {
    /// The text for `bash -c`.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(4096 + self.definitions.len());
        if self.keeps == Keeps::State {
            text.extend_from_slice(b"\\builtin trap -- ");
            quote(trap().as_bytes(), &mut text);
            text.extend_from_slice(b" EXIT; ");
        }
        text.extend_from_slice(b"\\builtin shopt -s expand_aliases; ");
        if !self.definitions.is_empty() {
            text.extend_from_slice(b"\\builtin shopt -s extglob; \\builtin eval ");
            quote(self.definitions, &mut text);
            text.extend_from_slice(b" 2>&-; \\builtin shopt -u extglob; ");
        }
        if let Some(file) = self.child_startup_file {
            text.extend_from_slice(b"\\builtin export BASH_ENV=");
            quote(file, &mut text);
            text.extend_from_slice(b"; ");
        }
        match self.command {
            Command::Known(command) => {
                text.extend_from_slice(b"\\builtin eval ");
                quote(command.as_bytes(), &mut text);
            }
            // Its time begins when it comes.
            Command::Later(_) => text.extend_from_slice([&read(), "SECONDS=0; ", &evaluate()].concat().as_bytes()),
        }
        match self.keeps {
            Keeps::State => text.extend_from_slice(format!("; {}", ending()).as_bytes()),
            Keeps::Status => text.extend_from_slice(format!("; {}", plain_ending()).as_bytes()),
            Keeps::Nothing => {}
        }
        text
    }
}

/// A command for a shell that was made for [`Command::Later`] and will keep its state. After a plain command, which has no quote and no
/// error in its grammar, it ends before that.
pub(crate) fn told(command: &str, keeps: Keeps) -> Cow<'_, str> {
    match keeps {
        Keeps::State => command.into(),
        Keeps::Status | Keeps::Nothing => format!("\\builtin trap - EXIT; {command}\n{}", plain_ending()).into(),
    }
}

/// Reads a script that is too long for an argument, and evaluates it as if it had been one.
pub(crate) fn loader() -> String {
    [read(), evaluate()].concat()
}

/// Reads a text to its end.
fn read() -> String {
    format!("IFS= \\builtin read -r -d '' -u {SCRIPT_DESCRIPTOR} __hermes_script; ")
}

/// Evaluates the text that was read. Nothing is put before it, which a syntax error would show; and no program gets the descriptor,
/// which `builtin exec` would not close for good.
fn evaluate() -> String {
    format!("\\builtin eval \"$__hermes_script\" {SCRIPT_DESCRIPTOR}<&-")
}

/// Writes the state. A zero byte follows each part.
fn dump() -> String {
    let separator = "\\builtin printf \"\\0\";";
    let end = String::from_utf8_lossy(DUMP_END);
    format!(
        "{{ \\builtin pwd -P; {separator} \\builtin export -p; {separator} \\builtin declare -f; \\builtin declare -Fx; \
         \\builtin alias -p; \\builtin printf \"\\0%s\\0{end}\" \"${{{STATUS_VARIABLE}-}}\"; }} >&{STATE_DESCRIPTOR};"
    )
}

const QUIET: &str = "\\builtin trap - DEBUG ERR RETURN; \\builtin set +eux;";

/// When the shell ends. After [`ending`] there is nothing left but to close its outputs, for good: a state with a
/// status and the end of all output together say that the command is over, before the shell's memory has
/// been given back. A shell that ends earlier, by `exit` or by a signal, leaves its state without a
/// status: how it ended is known when it has.
fn trap() -> String {
    format!(
        "case \"${{{STATUS_VARIABLE}+x}}\" in \"\") {{ {QUIET} {} }} >&- 2>&- ;; \
         *) \\builtin unset -f exec; \\exec >&- 2>&- ;; esac",
        dump()
    )
}

/// After the command. The status is given by a function, because leaving by `exit` would run
/// the command's own trap with closed outputs.
fn ending() -> String {
    format!(
        "{{ {STATUS_VARIABLE}=$?; {QUIET} {} __hermes_end() {{ \\builtin return \"${STATUS_VARIABLE}\"; }}; \
         __hermes_end; }} >&- 2>&-",
        dump()
    )
}

/// After a plain command, in a shell without functions: the status, the end of all output, and out.
fn plain_ending() -> String {
    let unchanged = String::from_utf8_lossy(UNCHANGED);
    format!(
        "{STATUS_VARIABLE}=$?; \\builtin printf \"%s\\0{unchanged}\" \"${STATUS_VARIABLE}\" >&{STATE_DESCRIPTOR}; \
         \\exec >&- 2>&-; \\builtin exit \"${STATUS_VARIABLE}\""
    )
}

/// As one word, whatever is in it.
fn quote(text: &[u8], into: &mut Vec<u8>) {
    into.push(b'\'');
    for (index, part) in text.split(|byte| *byte == b'\'').enumerate() {
        if index > 0 {
            into.extend_from_slice(b"'\\''");
        }
        into.extend_from_slice(part);
    }
    into.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn a_quoted_text_is_one_word() {
        let check = |text: &str, expected: &str| {
            let mut quoted = Vec::new();
            quote(text.as_bytes(), &mut quoted);
            assert_eq!(String::from_utf8(quoted).unwrap(), expected);
        };
        check("", "''");
        check("a b", "'a b'");
        check("it's", "'it'\\''s'");
        check("'", "''\\'''");
    }
}
