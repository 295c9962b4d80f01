//! With a model behind a real socket: what is asked of it, and what is kept of it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use hermes_testkit::ModelServer;
use hermes_testkit::model_server::{Gate, Reply};
use serde_json::{Value, json};

use super::Ground;
use crate::support::finish;

/// What the tools answered, as the model was told.
fn results(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter();
    messages.filter(|message| message["role"] == "tool").map(|message| message["content"].to_string()).collect()
}

#[test]
fn several_tools_at_once_are_all_answered_and_kept() {
    let server = ModelServer::start([
        Reply::new()
            .reasoning(["let me ", "see"])
            .then_text(["I look", " at it."])
            .call("a", "terminal", ["{\"comm", "and\":\"echo one\"}"])
            .call("b", "write_file", ["{\"path\":\"two.txt\",\"content\":\"two\\n\"}"])
            .call("c", "todo", ["{}"])
            .usage(100, 10),
        Reply::new().then_text(["**All", "** done."]).usage(200, 20),
    ]);
    let ground = Ground::served(&server);
    let run = ground.run(&["chat", "-q", "do three things"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "**All** done.\n"), "{run:?}");
    assert!(run.stderr.contains("✓ terminal  echo one") && run.stderr.contains("✓ write_file"), "{run:?}");
    assert_eq!(std::fs::read_to_string(ground.work().join("two.txt")).unwrap(), "two\n");
    let told = results(&server.requests()[1].body);
    assert!(told.len() == 3 && told[0].contains("one"), "{told:?}");
    assert_eq!(server.requests()[0].key(), Some("lab-key-0123456789"));
    // The conversation is in the store, with what it cost.
    let listed = ground.json(&["sessions", "list", "--json"]);
    assert_eq!((&listed[0]["source"], listed.as_array().unwrap().len()), (&json!("cli"), 1));
    let shown = ground.answer(&["sessions", "show", "latest"]);
    for text in ["do three things", "- calls terminal:", "## tool write_file", "**All** done."] {
        assert!(shown.contains(text), "{text:?} is not in:\n{shown}");
    }
    let stats = ground.json(&["sessions", "stats", "--json"]);
    assert_eq!((&stats["usage"]["input"], &stats["usage"]["output"]), (&json!(300), &json!(30)));
    let exported = ground.answer(&["sessions", "export", "-"]);
    assert!(exported.contains("do three things") && !exported.contains("lab-key"), "{exported}");
    let audit = ground.answer(&["audit", "tail"]);
    assert!(audit.lines().any(|line| line.contains("end") && line.ends_with("echo one")), "{audit}");
}

#[test]
fn a_dangerous_call_is_refused_and_the_model_is_told() {
    let server = ModelServer::start([
        Reply::new().call("a", "terminal", ["{\"command\":\"rm -rf build\"}"]).call(
            "b",
            "execute_code",
            ["{\"code\":\"import shutil; shutil.rmtree('build')\"}"],
        ),
        Reply::text("I was not allowed to."),
    ]);
    let ground = Ground::served(&server);
    std::fs::create_dir(ground.work().join("build")).unwrap();
    let run = ground.run(&["chat", "-q", "clean up"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "I was not allowed to.\n"), "{run:?}");
    assert!(ground.work().join("build").exists());
    let told = results(&server.requests()[1].body);
    assert!(told.len() == 2 && told.iter().all(|text| text.contains("This was not run")), "{told:?}");
    let audit = ground.answer(&["audit", "tail"]);
    assert_eq!(audit.lines().filter(|line| line.contains("  blocked  ")).count(), 2, "{audit}");
}

#[test]
fn clarify_finds_nobody_in_a_single_query() {
    let server = ModelServer::start([
        Reply::new().call("a", "clarify", ["{\"question\":\"Which?\",\"choices\":[\"x\",\"y\"]}"]),
        Reply::text("I took x."),
    ]);
    let ground = Ground::served(&server);
    assert_eq!(ground.answer(&["-z", "choose"]), "I took x.\n");
    assert!(results(&server.requests()[1].body)[0].contains("nobody can be asked here"));
}

#[test]
fn the_answer_of_a_broken_stream_is_asked_for_again() {
    let server = ModelServer::start([Reply::new().then_text(["half an"]).disconnect(), Reply::text("whole")]);
    let ground = Ground::served(&server);
    let run = ground.run(&["chat", "-q", "hi"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "whole\n"), "{run:?}");
}

/// Asks, and looks while the model keeps silent whether an executor was started; nothing of it is left afterwards.
#[track_caller]
fn check_started_ahead(arguments: &[&str], expected: usize) {
    let gate = Gate::new();
    let server = ModelServer::start([Reply::new().hold(&gate).then_text(["hello"])]);
    let ground = Ground::served(&server);
    let child = ground.command(arguments).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while server.requests().is_empty() {
        assert!(Instant::now() < deadline, "the model was not asked");
        std::thread::sleep(Duration::from_millis(2));
    }
    let executors = children(child.id());
    gate.open();
    let run = finish(child);
    assert_eq!((run.code, run.stdout.as_str()), (0, "hello\n"), "{run:?}");
    assert_eq!(executors.len(), expected, "{executors:?}");
    assert!(executors.iter().all(|process| !Path::new(&format!("/proc/{process}")).exists()), "{executors:?}");
}

fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
    let lists = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    lists.flat_map(|list| list.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}

#[test]
fn the_executor_starts_while_the_model_is_asked() {
    check_started_ahead(&["-z", "hi"], 1);
}

#[test]
fn no_executor_starts_for_tools_that_need_none() {
    check_started_ahead(&["-t", "todo,web", "-z", "hi"], 0);
}

#[test]
fn a_signal_interrupts_and_leaves_a_conversation_that_goes_on() {
    let (gate, server_gate) = (Gate::new(), Gate::new());
    let server = ModelServer::start([
        Reply::new().call("a", "terminal", ["{\"command\":\"echo started; sleep 1000\"}"]).hold(&server_gate),
        Reply::text("we go on"),
    ]);
    server_gate.open();
    let ground = Ground::served(&server);
    let mut child = ground.command(&["chat", "-q", "wait", "-v"]).spawn().unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    until_started(&ground, "sleep 1000");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let mut rest = String::new();
    BufReader::new(child.stderr.take().unwrap()).lines().for_each(|line| rest.push_str(&line.unwrap()));
    let run = finish(child);
    assert_eq!((run.code, run.stdout.as_str()), (130, ""), "{run:?} {rest}");
    assert_eq!(ground.answer(&["chat", "--continue", "-Q", "-q", "and now?"]), "we go on\n");
    assert_eq!(results(&server.requests()[1].body).len(), 1);
    gate.open();
}

/// Waits until the record says that this command has started.
pub(super) fn until_started(ground: &Ground, command: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let audit = ground.run(&["audit", "tail"]).stdout;
        if audit.lines().any(|line| line.contains("  start ") && line.contains(command)) {
            return;
        }
        assert!(Instant::now() < deadline, "never started: {command}\n{audit}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
