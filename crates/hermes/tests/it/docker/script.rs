//! Scripts in a container: the same link, the same rules.
//!
//! Needs the image that `scripts/python-image` makes.

use hermes_environment::docker::{DockerEnvironment, DockerError, OrphanSweep};
use hermes_environment::{CommandText, Script, ScriptEvent};
use hermes_proto::executor::{ScriptLimits, ScriptResult, ScriptStatus, ScriptTool};
use hermes_testkit::permit;

use super::support::{Place, docker, output, turn};
use crate::environment::script::finished;

const IMAGE: &str = "hermes-test-python:bookworm";

pub(crate) fn place_with_python() -> Place {
    let mut place = Place::new();
    let is_there = docker(&["image", "inspect", IMAGE]).status.success();
    assert!(is_there, "this test needs the image {IMAGE} (scripts/python-image)");
    place.terminal.docker_image = IMAGE.to_owned();
    place
}

async fn run(environment: &DockerEnvironment, script: Script) -> ScriptResult {
    let turn = turn();
    let (running, notes) = environment.begin_script(&turn, permit(&turn, &environment.place(), script)).await.unwrap();
    assert_eq!(notes, Vec::<String>::new());
    let result = finished(running, async |command| {
        environment
            .run(&turn, permit(&turn, &environment.place(), CommandText::new(command)), &mut |_| ())
            .await
            .unwrap()
            .output
    });
    result.await
}

fn script(code: &str) -> Script {
    Script::new(code, [ScriptTool::Terminal])
}

#[tokio::test]
async fn a_script_calls_tools_from_inside_and_leaves_nothing_there() {
    let mut place = place_with_python();
    place.terminal.docker_forward_env = vec!["OPENAI_API_KEY".to_owned()];
    place.variables = vec![("OPENAI_API_KEY".to_owned(), "sk-very-secret".to_owned())];
    let environment = place.start("script").await;
    let code = "import os, threading\nfrom hermes_tools import terminal\n\
        got = []\n\
        def work(n): got.append(terminal(f'echo {n}')['output'])\n\
        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]\n\
        [t.start() for t in threads]; [t.join() for t in threads]\n\
        print(sorted(got) == [f'{n}\\n' for n in range(8)], os.environ.get('OPENAI_API_KEY'))\n\
        print(terminal('echo ${OPENAI_API_KEY-absent}')['output'], end='')";
    let result = run(&environment, script(code)).await;
    assert_eq!(result.output, "True None\nsk-very-secret\n", "{result:?}");
    let limits = ScriptLimits { timeout_ms: 5000, ..ScriptLimits::default() };
    let hostile = "import os, subprocess, time\n\
        subprocess.Popen(['setsid', 'sleep', '1000']); time.sleep(1000)";
    let result = run(&environment, Script { limits, ..script(hostile) }).await;
    assert_eq!(result.status, ScriptStatus::Timeout, "{result:?}");
    // The container's own first process is the only one.
    assert_eq!(
        output(&environment, "cat /proc/[0-9]*/comm | grep -cx sleep; find /tmp -name 'hermes-script-*' | wc -l").await,
        "1\n0"
    );
    environment.close().await.unwrap();
}

/// Sessions of one container are the same user there. One's script has the other's socket and token, and is
/// not listened to.
#[tokio::test]
async fn a_stolen_token_is_worth_nothing_in_a_shared_container() {
    let place = place_with_python();
    let (one, other) = (place.start("stolen").await, place.start("stolen").await);
    assert_eq!(one.container_id().await, other.container_id().await);
    let turn = turn();
    let waiting = "from hermes_tools import terminal\nprint(terminal('wait')['output'])";
    let mut waiting = one.begin_script(&turn, permit(&turn, &one.place(), script(waiting))).await.unwrap().0;
    let ScriptEvent::Call { id, .. } = waiting.next().await.unwrap() else { panic!("no call") };
    let steal = r#"
import glob, json, os, socket
own, tried = os.environ["HERMES_RPC_SOCKET"], []
for path in glob.glob("/proc/[0-9]*/environ"):
    try: pairs = dict(p.split("=", 1) for p in open(path).read().split("\0") if "=" in p)
    except OSError: continue
    if "HERMES_RPC_TOKEN" in pairs and pairs["HERMES_RPC_SOCKET"] != own:
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(pairs["HERMES_RPC_SOCKET"])
            s.sendall(json.dumps({"token": pairs["HERMES_RPC_TOKEN"], "tool": "terminal", "args": {"command": "forged"}}).encode() + b"\n")
            tried.append(s.recv(100))
        except ConnectionError: tried.append(b"")
print(tried)
"#;
    assert_eq!(run(&other, script(steal)).await.output, "[b'']\n", "found, tried, and not listened to");
    waiting.answer(id, r#"{"output": "true one"}"#.to_owned());
    let ScriptEvent::Finished(result) = waiting.next().await.unwrap() else { panic!("a forged call came up") };
    assert_eq!((result.output.as_str(), result.tool_calls_made), ("true one\n", 1));
    other.close().await.unwrap();
    one.close().await.unwrap();
}

#[tokio::test]
async fn without_python_and_without_an_executor_it_is_said() {
    let place = Place::new();
    let environment = place.start("no-python").await;
    let turn = turn();
    let permitted = permit(&turn, &environment.place(), script("print(1)"));
    let (mut running, _) = environment.begin_script(&turn, permitted).await.unwrap();
    let error = running.next().await.unwrap_err().to_string();
    assert!(error.contains("there is no python3"), "{error}");
    assert_eq!(output(&environment, "find /tmp -name 'hermes-script-*' | wc -l").await, "0");
    environment.close().await.unwrap();
    let broken = place.path().join("broken");
    std::fs::write(&broken, "not a program").unwrap();
    let settings = place.settings_with(&broken, "each");
    let sweep = std::sync::Arc::new(OrphanSweep::new());
    let (environment, _) = DockerEnvironment::start(&settings, &sweep).await.unwrap();
    let permitted = permit(&turn, &environment.place(), script("print(1)"));
    let refused = environment.begin_script(&turn, permitted).await.unwrap_err();
    assert!(matches!(refused, DockerError::NeedsExecutor { .. }), "{refused}");
    assert!(refused.to_string().contains("a script needs the executor"), "{refused}");
    environment.close().await.unwrap();
}
