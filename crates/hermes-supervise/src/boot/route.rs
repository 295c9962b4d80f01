//! What `docker run IMAGE …` means: a program, or words for hermes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hermes_sandbox::process::find_program;

use crate::places::PROGRAM;

/// Commands of hermes that are also programs of the system.
const ALWAYS_HERMES: [&str; 2] = ["mcp", "login"];

/// The main program of a container.
#[derive(Debug, PartialEq, Eq)]
pub struct MainProgram {
    pub program: PathBuf,
    /// The program's name as it was typed, for its own messages.
    pub name: OsString,
    pub arguments: Vec<OsString>,
}

/// The main program that these words ask for.
pub fn route(words: &[OsString], path_variable: &OsStr) -> MainProgram {
    let found =
        words.first().filter(|first| !is_for_hermes(first)).and_then(|first| find_program(first, path_variable));
    match (found, words.split_first()) {
        (Some(program), Some((name, arguments))) => {
            MainProgram { program, name: name.clone(), arguments: arguments.to_vec() }
        }
        _ => MainProgram { program: Path::new(PROGRAM).to_owned(), name: "hermes".into(), arguments: words.to_vec() },
    }
}

fn is_for_hermes(first: &OsStr) -> bool {
    first.as_encoded_bytes().starts_with(b"-") || ALWAYS_HERMES.iter().any(|name| first == *name)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::route;

    #[test]
    fn five_ways_to_run_the_image() {
        let check = |words: &[&str], program: &str, arguments: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let found = route(&words, "/usr/bin:/bin".as_ref());
            let expected: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            assert!(found.program.ends_with(program) && found.arguments == expected, "{words:?}: {found:?}");
        };
        check(&[], "hermes/bin/hermes", &[]);
        check(&["chat", "-q", "x"], "hermes/bin/hermes", &["chat", "-q", "x"]);
        check(&["sleep", "infinity"], "sleep", &["infinity"]);
        check(&["bash"], "bash", &[]);
        check(&["--tui"], "hermes/bin/hermes", &["--tui"]);
        check(&["--version"], "hermes/bin/hermes", &["--version"]);
        check(&["-p", "x"], "hermes/bin/hermes", &["-p", "x"]);
        check(&["login", "--help"], "hermes/bin/hermes", &["login", "--help"]);
        check(&["mcp"], "hermes/bin/hermes", &["mcp"]);
        check(&["/bin/sh", "-c", "x"], "sh", &["-c", "x"]);
        check(&["/does/not/exist"], "hermes/bin/hermes", &["/does/not/exist"]);
        check(&[""], "hermes/bin/hermes", &[""]);
    }
}
