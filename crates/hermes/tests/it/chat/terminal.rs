//! The chat line by line, in a real terminal: `hermes chat` with nothing configured.

use hermes_testkit::model_server::{Gate, Reply};
use hermes_testkit::{ModelServer, Setting, Tmux};

use super::config;

/// In a folder of its own, which has a directory `build`.
const WORK: Setting<'static> = Setting { variables: &[], size: None, folder: Some("work") };

/// A terminal in which nothing runs yet.
pub(super) fn seat() -> Tmux {
    let tmux = Tmux::of(env!("CARGO_BIN_EXE_hermes"));
    std::fs::create_dir_all(tmux.path("work/build")).unwrap();
    tmux
}

/// The program with these arguments, as soon as it prompts.
pub(super) fn chat(arguments: &str) -> Tmux {
    let tmux = started(seat(), arguments);
    tmux.prompts();
    tmux
}

pub(super) fn started(tmux: Tmux, arguments: &str) -> Tmux {
    tmux.start(arguments, &WORK)
}

/// Waits until the keys of a question are the last thing on the screen.
#[track_caller]
pub(super) fn asks(tmux: &Tmux, keys: &str) {
    tmux.until(keys, |screen| screen.trim_end().lines().last().is_some_and(|line| line.contains(keys)));
}

/// A terminal whose model is this server.
pub(super) fn served(server: &ModelServer) -> Tmux {
    let tmux = seat();
    std::fs::write(tmux.path("home/config.yaml"), config(server)).unwrap();
    tmux
}

#[test]
fn the_first_command_shows_the_whole_machine_working() {
    let tmux = chat("chat");
    for text in ["Hermes", "offline", "hermes model use", "local", "/help"] {
        tmux.shows(text);
    }
    tmux.says("$ echo hello | tr a-z A-Z");
    tmux.shows("✓ terminal  echo hello");
    tmux.shows("HELLO");
    tmux.prompts();
    tmux.says("hello");
    tmux.shows("built-in model");
    tmux.prompts();
    tmux.says("/quit");
    assert_eq!(tmux.ended(), 0);
    tmux.is_restored();
}

#[test]
fn a_dangerous_command_asks_and_only_a_key_that_is_meant_answers() {
    let tmux = chat("");
    tmux.says("$ rm -rf build");
    tmux.shows("may the agent run this command");
    tmux.shows("    rm -rf build");
    tmux.shows("[o]nce");
    tmux.press(&["Enter", "Enter", "d"]);
    tmux.shows("denied");
    tmux.shows("was not run");
    tmux.prompts();
    assert!(tmux.path("work/build").exists());
    tmux.says("$ rm -rf build");
    asks(&tmux, "[o]nce");
    tmux.press(&["o"]);
    tmux.shows("approved (once)");
    tmux.shows("succeeded without output");
    assert!(!tmux.path("work/build").exists());
    tmux.prompts();
    // Once was once.
    tmux.says("$ rm -rf build");
    asks(&tmux, "[o]nce");
    tmux.press(&["d"]);
    tmux.prompts();
}

#[test]
fn a_session_grant_lasts_for_the_session_and_no_longer() {
    let tmux = chat("chat");
    tmux.says("$ rm -rf build");
    tmux.shows("[s]ession");
    tmux.press(&["s"]);
    tmux.shows("approved (session)");
    tmux.prompts();
    std::fs::create_dir(tmux.path("work/build")).unwrap();
    tmux.says("$ rm -rf build");
    tmux.until("it again", |screen| screen.matches("succeeded without output").count() == 2);
    tmux.prompts();
    assert!(!tmux.path("work/build").exists());
    tmux.says("/approvals");
    tmux.shows("in this session: ");
    tmux.says("/new");
    tmux.shows("a new session");
    tmux.says("/approvals");
    tmux.shows("nothing was allowed beyond one command");
    tmux.says("$ rm -rf build");
    asks(&tmux, "[o]nce");
    tmux.press(&["Escape"]);
    tmux.prompts();
}

#[test]
fn ctrl_c_interrupts_a_command_and_the_chat_goes_on() {
    let tmux = chat("chat");
    tmux.says("$ echo begun; sleep 1000");
    tmux.shows("│ begun");
    tmux.press(&["C-c"]);
    tmux.shows("interrupted terminal");
    tmux.prompts();
    tmux.says("$ echo still here");
    tmux.shows("\n  still here");
    tmux.prompts();
    tmux.press(&["C-c", "C-c"]);
    assert_eq!(tmux.ended(), 0);
    tmux.is_restored();
}

#[test]
fn a_query_seeds_the_conversation_unless_it_is_the_only_one() {
    let tmux = chat("chat -q \"$ echo se\"\"ed\"");
    tmux.shows("seed");
    tmux.says("$ echo next");
    tmux.shows("✓ terminal  echo next");
    tmux.prompts();
    tmux.says("/quit");
    assert_eq!(tmux.ended(), 0);
    for arguments in ["chat --oneshot -q help", "chat -Q -q help", "-z help"] {
        tmux.restart(arguments, &WORK);
        assert_eq!(tmux.ended(), 0, "{arguments}");
        tmux.shows("built-in model");
        tmux.is_restored();
    }
}

#[test]
fn the_model_asks_what_was_meant() {
    let ask = |id: &str| {
        Reply::new().call(id, "clarify", ["{\"question\":\"Which colour?\",\"choices\":[\"red\",\"green\"]}"])
    };
    let server = ModelServer::start([ask("a"), Reply::text("First answer."), ask("b"), Reply::text("Second answer.")]);
    let tmux = started(served(&server), "chat");
    tmux.prompts();
    tmux.says("paint it");
    tmux.shows("? Which colour?");
    tmux.shows("press 1-2, or type another answer");
    tmux.press(&["2"]);
    tmux.shows("answered: green");
    tmux.shows("First answer.");
    tmux.prompts();
    tmux.says("again");
    asks(&tmux, "press 1-2");
    tmux.types("blue");
    tmux.press(&["Enter"]);
    tmux.shows("Second answer.");
    tmux.prompts();
    let told =
        |request: usize| server.requests()[request].body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(told(1).contains("green") && told(3).contains("blue"), "{} {}", told(1), told(3));
}

#[test]
fn a_question_of_the_model_times_out_and_is_cancelled_by_ctrl_c() {
    let ask = |id: &str| Reply::new().call(id, "clarify", ["{\"question\":\"Which colour?\"}"]);
    let server = ModelServer::start([ask("a"), Reply::text("Nobody said."), ask("b"), Reply::text("After all.")]);
    let tmux = served(&server);
    let text = config(&server).replace("mode: manual", "mode: manual, timeout: 3");
    std::fs::write(tmux.path("home/config.yaml"), text).unwrap();
    let tmux = started(tmux, "chat");
    tmux.prompts();
    tmux.says("paint it");
    tmux.shows("Nobody said.");
    tmux.prompts();
    tmux.says("again");
    tmux.until("the question again", |screen| screen.matches("? Which colour?").count() == 2);
    tmux.press(&["C-c"]);
    tmux.shows("interrupted");
    tmux.prompts();
    tmux.says("once more");
    tmux.shows("After all.");
}

#[test]
fn the_end_of_a_background_command_is_told_at_the_prompt_and_to_the_model() {
    let arguments = "{\"command\":\"until [ -e go ]; do sleep 0.1; done; echo all-built\",\"background\":true,\"notify_on_complete\":true}";
    let server = ModelServer::start([
        Reply::new().call("a", "terminal", [arguments]),
        Reply::text("It is being built."),
        Reply::text("I know that it ended."),
    ]);
    let tmux = started(served(&server), "chat");
    tmux.prompts();
    tmux.says("build it");
    tmux.shows("It is being built.");
    tmux.prompts();
    std::fs::write(tmux.path("work/go"), "").unwrap();
    tmux.shows("ended with 0");
    tmux.prompts();
    tmux.says("well?");
    tmux.shows("I know that it ended.");
    assert_eq!(tmux.everything().matches("ended with 0").count(), 1, "{}", tmux.everything());
    assert!(server.requests()[2].body.to_string().contains("all-built"));
}

#[test]
fn an_answer_is_shown_as_it_comes_and_can_be_cut_off() {
    let gate = Gate::new();
    let server = ModelServer::start([
        Reply::new().then_text(["The **first** paragraph.\n\n"]).hold(&gate).then_text(["The second."]),
        Reply::new().then_text(["Endless.\n\n"]).silence(),
        Reply::text("And on."),
    ]);
    let tmux = started(served(&server), "chat");
    tmux.prompts();
    tmux.says("tell");
    tmux.shows("The first paragraph.");
    assert!(!tmux.screen().contains("The second."));
    gate.open();
    tmux.shows("The second.");
    tmux.prompts();
    tmux.says("more");
    tmux.shows("Endless.");
    tmux.press(&["C-c"]);
    tmux.shows("interrupted");
    tmux.prompts();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(server.abandoned(1));
    tmux.says("go on");
    tmux.shows("And on.");
}
