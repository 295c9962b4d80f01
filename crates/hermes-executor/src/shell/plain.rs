//! Commands that cannot change the state of their shell.
//!
//! To write its state takes a short shell a fifth of its time. Most commands only start programs, and a program cannot change the shell
//! that started it: for those nothing has to be written. Whoever calls a command plain that is not loses what it did to its session; so
//! only what is obvious counts: programs with literal arguments, one after the other. A quote, an expansion, an assignment, a
//! redirection, a word that the shell takes for its own: and it is not plain.

use crate::state::Before;

/// What does nothing to its shell although the shell does it by itself.
const HARMLESS: [&str; 5] = ["echo", "false", "pwd", "test", "true"];

/// What else bash does by itself or reads as grammar.
#[rustfmt::skip]
const OWN: [&str; 72] = [
    ".", ":", "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen", "complete",
    "compopt", "continue", "coproc", "declare", "dirs", "disown", "do", "done", "elif", "else", "enable", "esac",
    "eval", "exec", "exit", "export", "fc", "fg", "fi", "for", "function", "getopts", "hash", "help", "history",
    "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd", "read", "readarray",
    "readonly", "return", "select", "set", "shift", "shopt", "source", "suspend", "then", "time", "times", "trap",
    "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while",
];

/// Whether a shell that starts with this and runs this command ends as it began.
pub(crate) fn is_plain(command: &str, before: &Before) -> bool {
    let has_functions = || before.environment.keys().any(|name| name.starts_with(b"BASH_"));
    // A function or an alias may be called like any program.
    before.definitions.is_empty() && starts_programs_only(command) && !has_functions()
}

fn starts_programs_only(text: &str) -> bool {
    let is_literal = |character: char| character.is_ascii_alphanumeric() || " _./,:=@%+-".contains(character);
    text.split("&&").flat_map(|part| part.split('|')).all(|simple| {
        let program = simple.split(' ').find(|word| !word.is_empty());
        simple.chars().all(is_literal) && program.is_some_and(is_program)
    })
}

fn is_program(word: &str) -> bool {
    !word.contains('=') && (HARMLESS.contains(&word) || !OWN.contains(&word))
}

#[cfg(test)]
mod tests {
    use hermes_sandbox::process::command;

    use super::{HARMLESS, OWN, is_plain};
    use crate::state::{Before, Variables};

    fn before(definitions: &str, variable: &str) -> Before {
        let environment: Variables = [(variable.as_bytes().to_vec(), b"x".to_vec())].into();
        Before { environment, definitions: definitions.into() }
    }

    #[test]
    fn only_programs_with_literal_arguments_are_plain() {
        for text in
            ["true", "ls -la src/", " git  status ", "cargo build --release && ./run x=1 | sort -k1,2", "./configure"]
        {
            assert!(is_plain(text, &before("", "PATH")), "{text}");
        }
        for text in [
            "",
            " ",
            "cd /",
            "/bin/true && cd /",
            "ls | cd /",
            "A=1",
            "A=1 ls",
            "export A",
            "ls; cd /",
            "ls & cd /",
            "ls || cd /",
            "ls\ncd /",
            "$x",
            "`x`",
            "$(x)",
            "\"cd\" /",
            "'cd' /",
            "\\cd /",
            "c\\d /",
            "(ls)",
            "{ ls; }",
            "! ls",
            "[ x ]",
            "[[ x ]]",
            "if x",
            "time ls",
            "ls > x",
            "ls < x",
            "~/x",
            "ls *",
            "a?",
            "ls # x",
            "source x",
            ". x",
            ": x",
            "eval x",
            "exec ls",
            "f() x",
            "ls\tx",
            "ls\u{a0}x",
            "é",
        ] {
            assert!(!is_plain(text, &before("", "PATH")), "{text}");
        }
        assert!(!is_plain("ls", &before("ls () { cd /; }", "PATH")), "a function may be called so");
        assert!(!is_plain("ls", &before("", "BASH_FUNC_ls%%")), "one that came with the environment, too");
    }

    /// A word that this machine's bash takes for its own and that is not known here would be taken for a program.
    #[test]
    fn all_words_of_the_shell_are_known() {
        let listed = command("/bin/bash").args(["-c", "compgen -b; compgen -k"]).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        assert!(listed.lines().count() > 60, "{listed}");
        for word in listed
            .lines()
            .filter(|word| word.starts_with(|first: char| first.is_ascii_alphabetic() || ".:".contains(first)))
        {
            assert!(HARMLESS.contains(&word) || OWN.contains(&word), "{word}");
        }
    }
}
