//! Questions: what answers them, and what does not. In both kinds of chat.

use super::tmux::{Tmux, start};

const BOTH: [&str; 2] = ["line", "tui"];

fn chat(mode: &str) -> Tmux {
    let tmux = start(mode);
    tmux.shows("under test");
    tmux.until("a prompt", |screen| screen.contains('>'));
    tmux
}

#[test]
fn one_key_approves_and_enter_does_not() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("ask");
        for text in [
            "may the agent run this command in the test?",
            "    rm -r build",
            "because removes files",
            "once allows this command, now",
            "session allows removal in this session",
            "[o]nce [s]ession [d]eny",
        ] {
            tmux.shows(text);
        }
        tmux.press(&["Enter", "Space", "y", "a"]);
        // The question is shown again: what was pressed before has been dealt with.
        tmux.press(&["v"]);
        tmux.until("it twice", |screen| screen.matches("may the agent").count() == 2);
        assert!(!tmux.screen().contains("consent"), "{}", tmux.screen());
        tmux.press(&["s"]);
        tmux.shows("consent Approved(Session)");
        tmux.shows("approved (session)");
    }
}

#[test]
fn escape_denies() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("ask");
        tmux.shows("[o]nce");
        tmux.press(&["Escape"]);
        tmux.shows("consent Denied { reason: None }");
    }
}

#[test]
fn silence_is_a_timeout() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("ask-briefly");
        tmux.shows("consent TimedOut");
        tmux.shows("not answered; nothing was approved");
    }
}

#[test]
fn ctrl_c_cancels_the_question_and_the_chat_goes_on() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("ask");
        tmux.shows("[o]nce");
        tmux.press(&["C-c"]);
        tmux.shows("consent Cancelled");
        tmux.says("hello");
        tmux.shows("you said: hello");
    }
}

#[test]
fn several_questions_are_asked_one_after_another() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("ask-twice");
        tmux.shows("    first");
        tmux.shows("[o]nce");
        tmux.press(&["o"]);
        tmux.shows("    second");
        tmux.shows("[d]eny");
        tmux.press(&["d"]);
        tmux.shows("consents Approved(Once) and Denied { reason: None }");
    }
}

#[test]
fn letters_of_a_message_answer_nothing() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.types("ask\rsos");
        tmux.shows("> sos");
        tmux.shows("[o]nce");
        assert!(!tmux.screen().contains("approved"), "{}", tmux.screen());
        tmux.press(&["d"]);
        tmux.shows("consent Denied");
        tmux.shows("> sos");
    }
}

#[test]
fn a_secret_is_not_shown() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("secret");
        tmux.shows("? password for sudo");
        tmux.shows("type it (it is not shown)");
        tmux.types("hunter2");
        tmux.press(&["Enter"]);
        tmux.shows("secret of Some(7) letters");
        assert!(!tmux.everything().contains("hunter"), "{}", tmux.everything());
    }
}

#[test]
fn a_question_from_the_background_reaches_an_idle_prompt() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("/bg ask");
        tmux.shows("    from behind");
        tmux.shows("[o]nce");
        tmux.press(&["o"]);
        tmux.shows("background consent Approved(Once)");
        tmux.says("hello");
        tmux.shows("you said: hello");
    }
}

#[test]
fn a_choice_is_one_key_and_other_words_are_typed() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("clarify");
        for text in ["? Which colour?", "  1 red", "  2 green", "press 1-2, or type another answer"] {
            tmux.shows(text);
        }
        // Neither a letter nor a number that is not offered nor Enter answers by itself.
        tmux.press(&["Enter", "3", "BSpace", "2"]);
        tmux.shows("answered: green");
        tmux.shows("answer Said(\"green\")");
        tmux.says("clarify");
        tmux.until("the question again", |screen| screen.lines().rev().take(12).any(|line| line.contains("press 1-2")));
        tmux.types("blue 1");
        tmux.shows("answer: blue 1");
        tmux.press(&["Enter"]);
        tmux.shows("answer Said(\"blue 1\")");
    }
}

#[test]
fn an_open_question_can_be_declined_cancelled_or_outlived() {
    for mode in BOTH {
        let tmux = chat(mode);
        tmux.says("clarify-openly");
        tmux.shows("type an answer and Enter; Esc gives none");
        tmux.press(&["Escape"]);
        tmux.shows("answer Declined");
        tmux.says("clarify-briefly");
        tmux.shows("answer TimedOut");
        tmux.says("clarify-openly");
        tmux.shows("type an answer and Enter; Esc gives none");
        tmux.press(&["C-c"]);
        tmux.shows("answer Cancelled");
        tmux.says("hello");
        tmux.shows("you said: hello");
    }
}
