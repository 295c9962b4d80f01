//! Programs that run a text: shells with `-c` or a script on their standard input.

use super::event::{Feed, Simple};
use super::wrapper::Next;

pub(crate) const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "ksh", "dash", "ash", "mksh", "fish", "rbash", "yash", "csh", "tcsh"];

/// How a shell is told what to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Script {
    /// `-c TEXT WORDS…`, of which the first is `$0`.
    Given(String, Vec<String>),
    /// The file of this name.
    File(String),
    /// Its standard input.
    Input,
}

/// What a shell would run.
pub(crate) fn script(shell: &Simple) -> Script {
    let texts: Vec<&str> = shell.texts().collect();
    let (mut at, mut given, mut input) = (0, false, false);
    while let Some(text) = texts.get(at) {
        match *text {
            "--" | "-" => {
                at += 1;
                break;
            }
            "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => at += 2,
            "--command" => (given, at) = (true, at + 1),
            long if long.starts_with("--") => at += 1,
            short if short.len() > 1 && short.starts_with(['-', '+']) => {
                given |= short.starts_with('-') && short.contains('c');
                input |= short.contains('s');
                at += if short.ends_with('o') { 2 } else { 1 };
            }
            _ => break,
        }
    }
    let rest = texts.get(at..).unwrap_or_default();
    match (given, rest) {
        (true, [text, words @ ..]) => {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            Script::Given((*text).to_owned(), words)
        }
        (false, [file, ..]) if !input && *file != "/dev/stdin" => Script::File((*file).to_owned()),
        _ => Script::Input,
    }
}

pub(super) fn next(call: &Simple) -> Option<Vec<Next>> {
    if !call.is(SHELLS) {
        return None;
    }
    let next = match script(call) {
        Script::Given(text, words) => Next::Text(text, Some(words)),
        Script::Input => fed(&call.feed)?,
        // `bash <(echo …)`: the file is what the substitution prints.
        Script::File(file) if file.starts_with("/dev/fd/") => fed(&call.feed)?,
        Script::File(_) => return None,
    };
    Some(vec![next])
}

fn fed(feed: &Feed) -> Option<Next> {
    Some(Next::Text(feed.text()?.to_owned(), None))
}

/// A file's text runs in a shell unless its first line names another program.
pub(super) fn is_for_shell(text: &str) -> bool {
    match text.strip_prefix("#!") {
        None => true,
        Some(rest) => rest.lines().next().unwrap_or_default().split(['/', ' ']).any(|word| SHELLS.contains(&word)),
    }
}
