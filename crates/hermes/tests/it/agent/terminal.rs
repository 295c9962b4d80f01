//! Commands: what stays from one to the next, how they end, and what the model is told.

use std::sync::Arc;

use hermes_agent::{ToolOutcome, ToolReply};
use hermes_proto::consent::{ActionKind, NobodyToAsk};
use serde_json::{Value, json};

use super::ground::{Ground, Made, interactive};
use super::people::Scripted;

async fn run(ground: &Ground, command: &str) -> ToolReply {
    ground.used("terminal", json!({ "command": command })).await
}

#[tokio::test]
async fn folder_variables_and_functions_stay() {
    let ground = Ground::new();
    let reply = run(&ground, "mkdir sub && cd sub && export A=1 && hello() { echo hello; }").await;
    let place = ground.work().join("sub").display().to_string();
    assert_eq!(reply.content["cwd"], place, "{reply:?}");
    let reply = run(&ground, "pwd; echo $A; hello").await;
    assert_eq!(reply.content["output"], format!("{place}\n1\nhello\n"), "{reply:?}");
    // For one command only.
    let reply = ground.used("terminal", json!({"command": "pwd", "workdir": "/"})).await;
    assert_eq!(reply.content["output"], "/\n", "{reply:?}");
    assert_eq!(run(&ground, "pwd").await.content["output"], format!("{place}\n"));
    ground.workshop.close().await;
}

#[tokio::test]
async fn each_end_is_told() {
    let ground = Ground::new();
    for (command, code, outcome, error) in [
        ("true", 0, ToolOutcome::Done, Value::Null),
        ("echo no >&2; exit 3", 3, ToolOutcome::Failed, Value::Null),
        ("kill -KILL $BASHPID", 137, ToolOutcome::Failed, json!("ended by signal 9")),
    ] {
        let reply = run(&ground, command).await;
        assert_eq!(
            (reply.outcome, &reply.content["exit_code"], &reply.content["error"]),
            (outcome, &json!(code), &error),
            "{command}: {reply:?}"
        );
    }
    assert_eq!(run(&ground, "echo out; echo err >&2").await.content["output"], "out\nerr\n");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_and_the_session_goes_on() {
    let ground = Ground::new();
    let reply = ground.used("terminal", json!({"command": "echo begun; cd /; sleep 1000", "timeout": 1})).await;
    assert_eq!((reply.outcome, &reply.content["exit_code"]), (ToolOutcome::Failed, &json!(124)), "{reply:?}");
    assert_eq!(reply.content["error"], "timed out after 1 seconds, and was ended");
    assert!(reply.content["output"].as_str().unwrap().starts_with("begun\n"), "{reply:?}");
    assert_eq!(run(&ground, "echo fine").await.content["output"], "fine\n");
    for (arguments, expected) in [
        (json!({"command": "true", "timeout": 0}), "timeout is 0 seconds"),
        (json!({"command": "true", "timeout": 601}), "over 600: run it with background true"),
        (json!({"command": " "}), "command is empty"),
        (json!({"cmd": "true"}), "missing field `command`"),
    ] {
        let reply = ground.used("terminal", arguments).await;
        assert!(reply.content["error"].as_str().unwrap().contains(expected), "{reply:?}");
    }
    ground.workshop.close().await;
}

#[tokio::test]
async fn an_interrupt_ends_the_command() {
    let ground = Ground::new();
    let turn = interactive(Arc::new(NobodyToAsk));
    let running = ground.call(&turn, "terminal", json!({"command": "echo begun; sleep 1000"}));
    let interrupting = async {
        ground.seen.output_with("begun").await;
        turn.cancellation().cancel();
    };
    let (reply, ()) = tokio::join!(running, interrupting);
    assert_eq!((reply.outcome, &reply.content["exit_code"]), (ToolOutcome::Interrupted, &json!(130)), "{reply:?}");
    assert!(reply.content["output"].as_str().unwrap().starts_with("begun\n"), "{reply:?}");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_flood_is_bounded_and_the_rest_can_be_read() {
    let ground = Ground::new();
    let reply = run(&ground, "seq 1 100000; echo end").await;
    let output = reply.content["output"].as_str().unwrap();
    assert!(output.len() < 60_000 && output.starts_with("1\n2\n") && output.ends_with("end\n"), "{}", output.len());
    assert!(reply.content["omitted_characters"].as_u64().unwrap() > 400_000, "{}", reply.content["omitted_characters"]);
    let full = reply.content["full_output"].as_str().unwrap().to_owned();
    let reply = ground.used("read_file", json!({"path": full, "offset": 50_000, "limit": 1})).await;
    assert!(reply.content["content"].as_str().unwrap().ends_with("50000\n"), "{reply:?}");
    ground.workshop.close().await;
}

/// A terminal makes sequences safe by itself; the model does not need them.
#[tokio::test]
async fn escape_sequences_go_to_terminals_and_not_to_the_model() {
    let ground = Ground::new();
    let paint = r"printf '\033[31mred\033[0m\ttab\n\033]0;title\007'";
    let reply = run(&ground, paint).await;
    assert_eq!(reply.content["output"], "red\ttab\n", "{reply:?}");
    assert!(ground.seen.output().contains("\u{1b}[31mred"), "{:?}", ground.seen.output());
    let code = "print('\\033[32mgreen\\033[0m')\nraise SystemExit('\\033[31mbad\\033[0m')";
    let reply = ground.used("execute_code", json!({ "code": code })).await;
    assert_eq!(reply.content["output"], "green\n\n--- stderr ---\nbad\n", "{reply:?}");
    let job = ground.used("terminal", json!({"command": paint, "background": true})).await;
    let wait = json!({"action": "wait", "session_id": job.content["session_id"]});
    assert_eq!(ground.used("process", wait).await.content["output"], "red\ttab\n");
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_refused_command_starts_nothing() {
    let ground = Ground::new();
    std::fs::create_dir(ground.work().join("data")).unwrap();
    let person = Scripted::denying();
    for background in [false, true] {
        let arguments = json!({"command": "rm -rf data", "background": background});
        let reply = ground.call(&interactive(person.clone()), "terminal", arguments).await;
        assert_eq!((reply.outcome, &reply.content["status"]), (ToolOutcome::Refused, &json!("blocked")), "{reply:?}");
        assert!(reply.content["error"].as_str().unwrap().contains("Do not try it again"), "{reply:?}");
    }
    // The floor asks nobody.
    let asked = person.asked().len();
    let reply = ground.call(&interactive(person.clone()), "terminal", json!({"command": "rm -rf /"})).await;
    assert_eq!((reply.outcome, person.asked().len()), (ToolOutcome::Refused, asked), "{reply:?}");
    assert!(ground.work().join("data").exists());
    assert_eq!((ground.starts(ActionKind::Command), ground.starts(ActionKind::BackgroundJob)), (0, 0));
    ground.workshop.close().await;
}

/// The processes that this test started.
fn children() -> Vec<rustix::process::Pid> {
    let own = std::process::id();
    let of = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
    let threads = std::fs::read_dir(format!("/proc/{own}/task")).unwrap();
    let lists: Vec<String> = threads.map(|thread| of(thread.unwrap())).collect();
    let numbers = lists.iter().flat_map(|list| list.split_whitespace());
    numbers.filter_map(|number| rustix::process::Pid::from_raw(number.parse().unwrap())).collect()
}

#[tokio::test]
async fn a_session_whose_executor_died_gets_another() {
    let ground = Ground::of(Made::with(|config| config.approvals.mode = hermes_home::config::ApprovalMode::Off));
    run(&ground, "export KEPT=1").await;
    let place = ground.workshop.place().await.unwrap();
    for executor in children() {
        rustix::process::kill_process(executor, rustix::process::Signal::KILL).unwrap();
    }
    // This one may still have been meant for the dead.
    run(&ground, "true").await;
    let reply = run(&ground, "echo again ${KEPT-lost}").await;
    assert_eq!(reply.content["output"], "again lost\n", "{reply:?}");
    drop(place);
    ground.workshop.close().await;
}
