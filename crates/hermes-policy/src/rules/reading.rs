//! What could not be read: refused past a limit, otherwise asked about.

use super::{On, Rule};
use crate::Class::{Ask, Floor};
use crate::shell::Trouble;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "fork-bomb",
        description: "starts itself over and over until nothing else can run",
        class: Floor,
        on: On::Stopped(Trouble::ForkBomb),
        hits: &[":(){ :|:& };:", "bomb() { bomb | bomb & }; bomb", "a() { b & }; b() { a & a; }; a"],
        misses: &["walk() { for f in *; do walk \"$f\"; done; }; walk .", "f() { g | h; }; f &"],
    },
    Rule {
        key: "too-long",
        description: "longer than what is read before a command is refused",
        class: Floor,
        on: On::Stopped(Trouble::TooLong),
        hits: &[TOO_LONG],
        misses: &[],
    },
    Rule {
        key: "too-deep",
        description: "nested deeper than what is read before a command is refused",
        class: Floor,
        on: On::Stopped(Trouble::TooDeep),
        hits: &[
            "((((((((((((((((((((((((((((((((((((((((((((((((((((((x))))))))))))))))))))))))))))))))))))))))))))))))))))))",
        ],
        misses: &["((((x))))"],
    },
    Rule {
        key: "too-many",
        description: "more commands than what is read before a command is refused",
        class: Floor,
        on: On::Stopped(Trouble::TooMany),
        hits: &[TOO_MANY],
        misses: &[],
    },
    Rule {
        key: "too-wide",
        description: "stands for more text than what is read before a command is refused",
        class: Floor,
        on: On::Stopped(Trouble::TooWide),
        hits: &["echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"],
        misses: &["echo {a,b}{c,d} {1..100000}"],
    },
    Rule {
        key: "unparsable",
        description: "cannot be read as a bash command",
        class: Ask,
        on: On::Stopped(Trouble::Unparsable),
        hits: &["echo 'never closed", "if true; then", "ls )"],
        misses: &["echo 'closed'"],
    },
    Rule {
        key: "unresolved-command",
        description: "which program runs cannot be told from the text",
        class: Ask,
        on: On::Stopped(Trouble::Unresolved),
        hits: &["$TOOL --version", "\"$1\" now", "/usr/bin/r? x", "eval \"$(direnv hook bash)\""],
        misses: &["\"$VIRTUAL_ENV/bin/pytest\" -q", "X=ls; $X", "$(which python3) -m pytest"],
    },
];

/// 128,001 characters.
const TOO_LONG: &str = {
    static TEXT: [u8; 128_001] = [b'a'; 128_001];
    match std::str::from_utf8(&TEXT) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// 20,000 commands.
const TOO_MANY: &str = {
    static TEXT: [u8; 40_000] = {
        let mut text = [b'a'; 40_000];
        let mut at = 1;
        while at < text.len() {
            text[at] = b'\n';
            at += 2;
        }
        text
    };
    match std::str::from_utf8(&TEXT) {
        Ok(text) => text,
        Err(_) => "",
    }
};
