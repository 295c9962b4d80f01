//! Whatever happens, the terminal is as it was found.

use rustix::process::Signal;

use super::tmux::{Tmux, start};

const BOTH: [&str; 2] = ["line", "tui"];

/// Brings the chat into a situation, ends it somehow, and looks at the terminal.
#[track_caller]
fn check(mode: &str, situation: &[(&str, &str)], end: impl FnOnce(&Tmux), code: i32) {
    let tmux = start(mode);
    tmux.shows("under test");
    tmux.until("a prompt", |screen| screen.contains('>'));
    for (line, shown) in situation {
        tmux.says(line);
        tmux.shows(shown);
    }
    end(&tmux);
    assert_eq!(tmux.ended(), code, "{mode} {situation:?}\n{}", tmux.screen());
    tmux.is_restored();
}

const IDLE: &[(&str, &str)] = &[];
const WORKING: &[(&str, &str)] = &[("wait", "second line")];
const ASKING: &[(&str, &str)] = &[("ask", "[o]nce")];

#[test]
fn after_leaving() {
    for mode in BOTH {
        check(mode, IDLE, |tmux| tmux.says("/quit"), 0);
        check(mode, WORKING, |tmux| tmux.press(&["C-c", "C-c"]), 0);
        check(mode, ASKING, |tmux| tmux.press(&["C-c", "C-c"]), 0);
    }
}

#[test]
fn after_a_signal() {
    for mode in BOTH {
        for situation in [IDLE, WORKING, ASKING] {
            check(mode, situation, |tmux| tmux.kill(Signal::TERM), 128 + 15);
        }
        check(mode, IDLE, |tmux| tmux.kill(Signal::HUP), 128 + 1);
    }
}

#[test]
fn after_a_panic() {
    for mode in BOTH {
        check(mode, &[("panic", "a bug in the conversation")], |_| (), 101);
    }
}

#[test]
fn a_panic_elsewhere_does_not_end_the_chat() {
    for mode in BOTH {
        let situation = &[("panic-elsewhere", "went on"), ("hello", "you said: hello")];
        check(mode, situation, |tmux| tmux.press(&["C-c", "C-c"]), 0);
    }
}

#[test]
fn the_screen_of_before_is_back() {
    let tmux = start("tui");
    tmux.shows("message");
    assert_eq!(tmux.knows("alternate_on"), "1");
    assert!(!tmux.screen().contains("shell before"));
    tmux.press(&["C-d"]);
    assert_eq!(tmux.ended(), 0);
    tmux.shows("shell before");
    assert!(!tmux.screen().contains("message"), "{}", tmux.screen());
}
