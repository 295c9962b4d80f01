//! Slash commands over the real agent.

use hermes_testkit::ModelServer;
use hermes_testkit::model_server::Reply;

use super::terminal::{chat, served, started};

#[test]
fn help_names_every_command() {
    let tmux = chat("chat");
    tmux.resize(100, 50);
    tmux.says("/help");
    for name in [
        "/help",
        "/new",
        "/retry",
        "/undo",
        "/stop",
        "/model",
        "/tools",
        "/status",
        "/usage",
        "/compress",
        "/resume",
        "/sessions",
        "/yolo",
        "/approvals",
        "/bg",
        "/quit",
    ] {
        tmux.shows(name);
    }
    tmux.says("/tools");
    tmux.shows("execute_code (code_execution)");
    tmux.says("/hlep");
    tmux.shows("/help");
}

#[test]
fn the_state_of_the_conversation_is_told_and_changed() {
    let tmux = chat("chat");
    tmux.resize(100, 50);
    tmux.says("$ echo one");
    tmux.shows("✓ terminal  echo one");
    tmux.prompts();
    tmux.says("/status");
    tmux.shows("model offline/hermes-offline");
    tmux.shows("commands run: local");
    tmux.shows("asking: on");
    tmux.says("/undo");
    tmux.shows("you had said:");
    tmux.prompts();
    tmux.says("/undo");
    tmux.shows("✗ ");
    tmux.says("/usage");
    tmux.shows("in: 0 tokens");
    tmux.says("/model groq/x");
    tmux.shows("no key for groq");
    tmux.says("/yolo on");
    tmux.shows("run without asking");
    tmux.ends_with("[yolo] >");
    tmux.says("$ rm -rf build && echo gone-without-asking");
    tmux.shows("\n  gone-without-asking");
    assert!(!tmux.path("work/build").exists());
    tmux.says("$ rm -rf /");
    tmux.shows("refused always");
    tmux.says("/yolo");
    tmux.shows("dangerous commands ask first");
    tmux.prompts();
}

#[test]
fn sessions_are_left_and_found_again() {
    let server = ModelServer::start(["one", "two", "three", "four"].map(|text| Reply::text(&format!("answer {text}"))));
    let tmux = started(served(&server), "chat");
    tmux.prompts();
    tmux.says("the first question");
    tmux.shows("answer one");
    tmux.says("/new");
    tmux.shows("a new session");
    tmux.says("the second question");
    tmux.shows("answer two");
    tmux.says("/retry");
    tmux.shows("answer three");
    tmux.says("/sessions");
    tmux.until("both", |screen| {
        screen.lines().filter(|line| line.contains("question") && line.contains("20")).count() >= 2
    });
    let id = tmux
        .screen()
        .lines()
        .rev()
        .find(|line| line.contains("the first question") && line.contains("20"))
        .and_then(|line| line.split_whitespace().find(|word| word.starts_with("20")))
        .map(str::to_owned)
        .unwrap();
    tmux.says(&format!("/resume {id}"));
    tmux.shows("goes on");
    tmux.says("and on");
    tmux.shows("answer four");
    let body = server.requests()[3].body.to_string();
    assert!(body.contains("the first question") && !body.contains("the second question"), "{body}");
    // What was asked again stands there once.
    assert_eq!(server.requests()[2].body.to_string().matches("the second question").count(), 1);
    tmux.says("/model");
    tmux.shows("lab/m-1 answers");
    tmux.says("/model offline");
    tmux.shows("offline/hermes-offline answers from now on");
    tmux.says("/resume nothing");
    tmux.shows("there is no session \"nothing\"");
    tmux.says("$ echo offline now");
    tmux.shows("✓ terminal  echo offline now");
}

#[test]
fn a_message_is_worked_on_in_the_background() {
    let tmux = chat("chat");
    tmux.resize(100, 50);
    tmux.says("/bg $ echo from behind | tr a-z A-Z");
    tmux.shows("working on it beside this");
    tmux.shows("FROM BEHIND");
    tmux.prompts();
    tmux.says("/bg $ rm -rf build");
    tmux.shows("may the agent run this command");
    tmux.shows("[o]nce");
    tmux.press(&["d"]);
    tmux.shows("was not run");
    assert!(tmux.path("work/build").exists());
    tmux.says("/bg");
    tmux.shows("say what is to be done in the background");
    tmux.says("/stop");
    tmux.shows("background commands are ended");
    tmux.says("/compress");
    tmux.shows("short enough");
    tmux.prompts();
}
