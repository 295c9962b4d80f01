//! `--tui`: everything on one screen of 80 by 24.

use hermes_testkit::model_server::Reply;
use hermes_testkit::{ModelServer, Tmux};
use rustix::process::Signal;

use super::terminal::{seat, served, started};

fn screen() -> Tmux {
    let tmux = started(seat(), "chat --tui");
    tmux.shows("┌ message");
    tmux.shows("offline/hermes-offline");
    tmux
}

#[test]
fn transcript_live_output_and_approvals_fit_on_it() {
    let tmux = screen();
    tmux.says("$ echo hello | tr a-z A-Z");
    tmux.shows("✓ terminal  echo hello");
    tmux.shows("HELLO");
    tmux.says("$ echo live-output; sleep 1000");
    tmux.shows("┌ running");
    tmux.shows("  live-output");
    tmux.press(&["C-c"]);
    tmux.shows("interrupted terminal");
    tmux.says("$ rm -rf build");
    tmux.shows("┌ approval");
    tmux.shows("    rm -rf build");
    tmux.shows("[o]nce");
    tmux.press(&["Enter", "d"]);
    tmux.shows("denied");
    assert!(tmux.path("work/build").exists());
    tmux.says("$ rm -rf build && echo gone");
    tmux.shows("[o]nce");
    tmux.press(&["o"]);
    tmux.shows("approved (once)");
    tmux.shows("\n  gone");
    assert!(!tmux.path("work/build").exists());
}

#[test]
fn it_follows_the_window_and_restores_the_terminal() {
    let tmux = screen();
    tmux.says("hello");
    tmux.shows("built-in model");
    for (columns, rows) in [(60, 20), (120, 40), (80, 24)] {
        tmux.resize(columns, rows);
        tmux.until("a frame of that size", |screen| {
            screen.lines().any(|line| line.starts_with('└') && line.chars().count() == usize::from(columns))
        });
    }
    tmux.says("/quit");
    assert_eq!(tmux.ended(), 0);
    tmux.is_restored();
}

#[test]
fn a_signal_ends_it_with_the_terminal_restored() {
    let tmux = screen();
    tmux.says("$ echo begun; sleep 1000");
    tmux.shows("  begun");
    tmux.kill(Signal::TERM);
    assert_eq!(tmux.ended(), 128 + 15);
    tmux.is_restored();
}

#[test]
fn the_model_asks_what_was_meant() {
    let question = "{\"question\":\"Which colour?\",\"choices\":[\"red\",\"green\"]}";
    let server = ModelServer::start([
        Reply::new().call("a", "clarify", [question]),
        Reply::text("It is."),
        Reply::new().call("b", "clarify", [question]),
        Reply::text("So be it."),
    ]);
    let tmux = started(served(&server), "chat --tui");
    tmux.shows("┌ message");
    tmux.says("paint it");
    tmux.shows("┌ question");
    tmux.shows("press 1-2");
    tmux.press(&["1"]);
    tmux.shows("answered: red");
    tmux.shows("It is.");
    tmux.says("again");
    tmux.shows("press 1-2");
    tmux.types("none of them");
    tmux.shows("answer: none of them");
    tmux.press(&["Enter"]);
    tmux.shows("So be it.");
    let told =
        |request: usize| server.requests()[request].body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(told(1).contains("red") && told(3).contains("none of them"));
}

#[test]
fn background_commands_have_a_pane() {
    let arguments =
        "{\"command\":\"until [ -e go ]; do sleep 0.1; done\",\"background\":true,\"notify_on_complete\":true}";
    let server = ModelServer::start([Reply::new().call("a", "terminal", [arguments]), Reply::text("It runs.")]);
    let tmux = started(served(&server), "chat --tui");
    tmux.shows("┌ message");
    tmux.says("start it");
    tmux.shows("┌ jobs");
    tmux.shows("  running  until");
    std::fs::write(tmux.path("work/go"), "").unwrap();
    tmux.shows("exited 0  until");
    tmux.shows("ended with 0");
}
