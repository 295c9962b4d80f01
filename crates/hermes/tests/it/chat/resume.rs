//! Conversations that go on: by name, and after the program was killed in the middle of a turn.

use std::time::{Duration, Instant};

use hermes_testkit::ModelServer;
use hermes_testkit::model_server::{Gate, Reply};

use super::Ground;
use super::served::until_started;
use crate::support::finish;

/// The texts of everything but the system's message.
fn said(server: &ModelServer, request: usize) -> Vec<String> {
    let body = server.requests()[request].body.clone();
    let messages = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] != "system");
    messages.map(|message| format!("{}: {}", message["role"].as_str().unwrap(), message["content"])).collect()
}

#[test]
fn a_session_is_found_by_id_title_and_latest() {
    let replies = (0..6).map(|number| Reply::text(&format!("answer {number}")));
    let server = ModelServer::start(replies);
    let ground = Ground::served(&server);
    ground.answer(&["chat", "-Q", "-q", "first"]);
    let listed = ground.json(&["sessions", "list", "--json"]);
    let id = listed[0]["id"].as_str().unwrap();
    ground.answer(&["sessions", "rename", id, "my plan"]);
    ground.answer(&["chat", "-Q", "-q", "another"]);
    ground.answer(&["chat", "--resume", id, "-Q", "-q", "second"]);
    ground.answer(&["chat", "-r", "my plan", "-Q", "-q", "third"]);
    ground.answer(&["-c", "my plan", "-z", "fourth"]);
    assert_eq!(ground.answer(&["--continue", "-z", "fifth"]), "answer 5\n");
    let texts = said(&server, 5).join("\n");
    for text in ["first", "answer 0", "second", "third", "fourth", "fifth"] {
        assert!(texts.contains(text), "{texts}");
    }
    assert!(!texts.contains("another"), "{texts}");
    // The prompt is the same to the byte, so that caches hit.
    let system = |request: usize| server.requests()[request].body["messages"][0].clone();
    assert_eq!(system(0), system(5));
}

#[test]
fn killed_while_a_tool_runs_the_session_goes_on_with_a_valid_transcript() {
    let server = ModelServer::start([
        Reply::new().call("a", "terminal", ["{\"command\":\"echo done > one\"}"]).call(
            "b",
            "terminal",
            ["{\"command\":\"sleep 1000\"}"],
        ),
        Reply::text("I see what happened."),
    ]);
    let ground = Ground::served(&server);
    let mut child = ground.command(&["chat", "-q", "two things"]).spawn().unwrap();
    until_started(&ground, "sleep 1000");
    child.kill().unwrap();
    finish(child);
    assert_eq!(ground.answer(&["chat", "--resume", "latest", "-Q", "-q", "what now?"]), "I see what happened.\n");
    let texts = said(&server, 1);
    assert_eq!(texts.iter().filter(|text| text.starts_with("tool: ")).count(), 2, "{texts:?}");
    assert!(texts.last().unwrap().contains("what now?"), "{texts:?}");
    assert_eq!(server.violations(), [""; 0]);
}

#[test]
fn killed_while_the_model_answers_the_question_is_not_lost() {
    let gate = Gate::new();
    let server = ModelServer::start([Reply::new().then_text(["half"]).hold(&gate), Reply::text("from the start")]);
    let ground = Ground::served(&server);
    let mut child = ground.command(&["chat", "-q", "remember me"]).spawn().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(server.received(1));
    // It is written while it is asked.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !ground.run(&["sessions", "list"]).stdout.contains("remember me") {
        assert!(Instant::now() < deadline, "the question is not kept");
    }
    child.kill().unwrap();
    finish(child);
    assert_eq!(ground.answer(&["chat", "--resume", "latest", "-Q", "-q", "go on"]), "from the start\n");
    let texts = said(&server, 1).join("\n");
    assert!(texts.contains("remember me") && texts.contains("go on") && !texts.contains("half"), "{texts}");
    gate.open();
}
