//! The API as the official `openai` package sees it, with the real program and real commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::process::{Gateway, Ground, PATIENCE};
use crate::support::quiet;

const KEY: &str = "test-key-0123456789abcdef";
const CLIENT: &str = include_str!("openai_client.py");

/// A gateway that serves the API, and the program that calls it.
struct Served {
    ground: Ground,
    gateway: Gateway,
    port: u16,
}

impl Served {
    fn new() -> Self {
        // Free at this moment; nobody else on this machine asks for it by number.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let ground = Ground::new(&format!(
            "gateway: {{api_server: {{enabled: true, port: {port}, max_concurrent_runs: 16}}}}\napprovals: {{mode: off}}"
        ));
        ground.sandbox.write(".env", format!("API_SERVER_KEY={KEY}\n"));
        let gateway = ground.start();
        let begun = Instant::now();
        // It says that it serves before every platform does.
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(begun.elapsed() < PATIENCE, "nobody listens on port {port}");
            std::thread::yield_now();
        }
        Self { ground, gateway, port }
    }

    fn client(&self, arguments: &[&str]) -> Command {
        let mut command = quiet(python());
        let url = format!("http://127.0.0.1:{}/v1", self.port);
        command.args(["-c", CLIENT, arguments[0], &url, KEY]).args(&arguments[1..]);
        command
    }

    /// What the client found.
    fn ask(&self, arguments: &[&str]) -> Value {
        let output = self.client(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn stop(self) {
        self.gateway.signal(Signal::INT);
        assert_eq!(self.gateway.wait().code(), Some(0));
    }
}

/// A Python that has the package.
pub(crate) fn python() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a test asks the machine it runs on")]
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = || variable("XDG_CACHE_HOME").unwrap_or_else(|| variable("HOME").unwrap().join(".cache"));
    let python = variable("HERMES_TEST_OPENAI_PYTHON").unwrap_or_else(|| cache().join("hermes/openai/bin/python"));
    let folder = python.parent().and_then(std::path::Path::parent).unwrap().display();
    assert!(
        python.exists(),
        "the openai package is missing: scripts/test installs it (python3 -m venv {folder}; {folder}/bin/pip install openai schemathesis)"
    );
    python
}

#[test]
fn chat_and_models() {
    let served = Served::new();
    let found = served.ask(&["chat"]);
    assert_eq!((&found["text"], &found["finish"], &found["calls"]), (&json!("hello"), &json!("stop"), &Value::Null));
    assert!(found["tokens"].as_u64().unwrap() > 0);
    assert_eq!(found["models"], json!(["hermes-agent"]));
    served.stop();
}

#[test]
fn streaming_with_tool_progress() {
    let served = Served::new();
    let found = served.ask(&["streamed", "run echo from the shell"]);
    assert_eq!(found["text"].as_str().unwrap().trim(), "from the shell");
    assert_eq!(found["tools"], json!([["terminal", "running"], ["terminal", "completed"]]));
    assert_eq!(found["finish"], "stop");
    assert!(found["tokens"].as_u64().unwrap() > 0);
    served.stop();
}

#[test]
fn errors_are_the_ones_the_client_knows() {
    let served = Served::new();
    let found = served.ask(&["errors"]);
    assert_eq!(found["key"], json!(["AuthenticationError", 401, "invalid_api_key", null]));
    assert_eq!(found["model"], json!(["NotFoundError", 404, "model_not_found", "model"]));
    assert_eq!(found["empty"], json!(["BadRequestError", 400, null, "messages"]));
    assert_eq!(found["image"], json!(["BadRequestError", 400, null, "messages[0].content[0].image_url"]));
    assert_eq!(found["response"], json!(["NotFoundError", 404, "not_found", null]));
    assert_eq!(found["session"], json!(["NotFoundError", 404, "not_found", "x-hermes-session-id"]));
    served.stop();
}

#[test]
fn closing_the_stream_ends_the_turn_and_its_command() {
    let served = Served::new();
    let work = served.ground.sandbox.home().join("../work").canonicalize().unwrap();
    let (fifo, held) = (work.join("begun"), work.join("held"));
    for path in [&fifo, &held] {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, 0o600.into()).unwrap();
    }
    // The command keeps a pipe open for as long as anything of it lives.
    let command = format!("run exec 9<>{}; echo begun > {}; sleep 1000", held.display(), fifo.display());
    let mut client = served.client(&["cancelled", &command]);
    let mut client = client.stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, "running\n");
    assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "begun\n");
    let mut held = std::fs::OpenOptions::new().read(true).open(&held).unwrap();
    client.stdin.take().unwrap().write_all(b"\n").unwrap();
    // Ends when nobody has it open for writing any more.
    let mut rest = Vec::new();
    held.read_to_end(&mut rest).unwrap();
    assert!(client.wait().unwrap().success());
    served.stop();
}

#[test]
fn responses_go_on() {
    let served = Served::new();
    let found = served.ask(&["responses"]);
    assert_eq!((&found["first"], &found["again"]), (&json!("one"), &json!("one")));
    assert_eq!(found["second"], "say one|heard");
    assert_eq!((&found["streamed"], &found["final"]), (&json!("two words"), &json!("two words")));
    assert_eq!(found["last"], "response.completed");
    assert!(found["tokens"].as_u64().unwrap() > 0);
    served.stop();
}

/// The original ran nine of ten commands under another chat's id and key.
#[test]
fn commands_of_chats_at_once_know_their_own_session() {
    let served = Served::new();
    let found = served.ask(&["identities", "12"]);
    let mut sessions = std::collections::BTreeSet::new();
    for one in found.as_array().unwrap() {
        let [session, key, told_session, told_key] = one.as_array().unwrap().as_slice() else { panic!("{one}") };
        assert_eq!((session, key), (told_session, told_key), "{one}");
        sessions.insert(session.to_string());
    }
    assert_eq!(sessions.len(), 12);
    served.stop();
}

#[test]
fn an_api_without_a_proper_key_has_to_be_mended_first() {
    let ground = Ground::new("gateway: {api_server: {enabled: true, port: 0}}");
    for (environment, problem) in [("", "there is no API_SERVER_KEY"), ("API_SERVER_KEY=short\n", "shorter than 16")] {
        ground.sandbox.write(".env", environment);
        let told = ground.sandbox.fails(78, ["gateway", "run", "--force"]);
        assert!(told.contains(problem) && told.contains("hermes config set API_SERVER_KEY"), "{told}");
    }
}

#[test]
fn a_port_that_another_of_our_gateways_has_is_named() {
    let served = Served::new();
    let other = Ground::new(&format!("gateway: {{api_server: {{enabled: true, port: {}}}}}", served.port));
    // A profile of the same root.
    let profile = "profiles/coder";
    for file in ["config.yaml", ".env"] {
        let text = if file == ".env" { format!("API_SERVER_KEY={KEY}\n") } else { other.sandbox.read(file) };
        served.ground.sandbox.write(format!("{profile}/{file}"), text);
    }
    let mut second = served.ground.sandbox.command(["-p", "coder", "gateway", "run"]).spawn().unwrap();
    let state = served.ground.sandbox.file(format!("{profile}/gateway_state.json"));
    let begun = Instant::now();
    let told = loop {
        let text = std::fs::read_to_string(&state).unwrap_or_default();
        if text.contains("cannot listen on") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
        std::thread::yield_now();
    };
    second.kill().unwrap();
    second.wait().unwrap();
    let owner = format!("the gateway of the default home has it (pid {})", served.gateway.pid());
    assert!(told.contains(&owner), "{told}");
    served.stop();
}
