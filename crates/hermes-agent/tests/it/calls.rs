//! Calls that cannot be run as they are, and calls that run beside each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_agent::{EndReason, Schedule, ToolOutcome, ToolReply, Toolset, TurnEvent};
use hermes_model::FinishReason;
use serde_json::json;
use tokio::sync::Barrier;

use super::ground::{Ground, PATIENCE, assert_whole, begun, last_results};
use super::script::{Script, asks, call, calls, says};
use super::tool::{beside, echo, made};

/// What a single call is answered with.
async fn answered(id: &str, name: &str, arguments: &str, reason: FinishReason) -> String {
    let ground = Ground::new();
    let process = made("process", Toolset::Terminal, Schedule::Alone, |_, _| async {
        ToolReply::done(json!("listed"), "listed")
    });
    let model = Script::new([asks(&[call(id, name, arguments)], reason), says("ok")]);
    let agent = ground.agent(model.clone(), [echo(), process]);
    let mut session = begun(&agent).await;
    let end = ground.says(&agent, &mut session, "go").await.unwrap();
    assert_eq!(end.reason, EndReason::Answered);
    assert_whole(session.messages());
    // What is sent again is fit to be sent.
    for sent in model.requests()[1].messages.iter().flat_map(|message| message.tool_calls()) {
        assert!(serde_json::from_str::<serde_json::Value>(&sent.arguments).unwrap().is_object());
        assert!(!sent.id.as_str().is_empty());
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        assert!(!sent.name.is_empty() && sent.name.bytes().all(is_fit), "{}", sent.name);
    }
    last_results(&session).remove(0)
}

#[tokio::test]
async fn a_malformed_call_gets_a_useful_result() {
    let (stop, length) = (FinishReason::ToolCalls, FinishReason::Length);
    for (name, arguments, reason, expected) in [
        ("ecko", "{}", stop, "did you mean echo?"),
        ("wholly_different", "{}", stop, "there are: echo, process"),
        ("", "{}", stop, "names no tool"),
        ("../../etc", "{}", stop, "there is no tool"),
        ("echo", "{\"word\": ", stop, "not JSON"),
        ("echo", "[1, 2]", stop, "not a JSON object"),
        ("echo", "\"words\"", stop, "not a JSON object"),
        ("echo", "{\"word\": \"lo", length, "cut off"),
        ("echo", "", stop, r#"{"heard":{}}"#),
        ("echo", r#""{\"word\": 1}""#, stop, r#"{"heard":{"word":1}}"#),
        (" echo ", "{}", stop, r#"{"heard":{}}"#),
        ("process_manage", "{}", stop, "listed"),
        ("process", "{}", stop, "listed"),
    ] {
        let result = answered("a", name, arguments, reason).await;
        assert!(result.contains(expected), "{name} {arguments}: {result}");
    }
    assert!(answered("", "echo", "{}", stop).await.contains("heard"));
}

#[tokio::test]
async fn calls_under_one_id_are_told_apart() {
    let ground = Ground::new();
    let twice = [call("0", "echo", r#"{"n": 1}"#), call("0", "echo", r#"{"n": 2}"#), call("0", "echo", r#"{"n": 1}"#)];
    let agent = ground.agent(Script::new([asks(&twice, FinishReason::ToolCalls), says("ok")]), [echo()]);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "go").await.unwrap();
    assert_whole(session.messages());
    let ids: Vec<&str> = session.messages()[1].tool_calls().iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["0", "0_2", "0_3"]);
    let results = last_results(&session);
    assert_eq!(results[..2], [r#"{"heard":{"n":1}}"#, r#"{"heard":{"n":2}}"#]);
    assert!(results[2].contains("came twice"));
}

#[tokio::test]
async fn independent_calls_overlap_and_answer_in_their_order() {
    let ground = Ground::new();
    let barrier = Arc::new(Barrier::new(2));
    let meets = beside("meet", move |_, arguments| {
        let barrier = barrier.clone();
        async move {
            // Only comes back when the other call is there too.
            barrier.wait().await;
            ToolReply::done(arguments, "met")
        }
    });
    let model = Script::new([calls(&[("a", "meet", r#"{"n":1}"#), ("b", "meet", r#"{"n":2}"#)]), says("ok")]);
    let agent = ground.agent(model, [meets]);
    let mut session = begun(&agent).await;
    tokio::time::timeout(PATIENCE, ground.says(&agent, &mut session, "go")).await.expect("they overlap").unwrap();
    assert_eq!(last_results(&session), [r#"{"n":1}"#, r#"{"n":2}"#]);
}

#[tokio::test]
async fn at_most_eight_run_at_once_and_dependent_ones_alone() {
    let ground = Ground::new();
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let worker = |name, schedule| {
        let (running, most) = (running.clone(), most.clone());
        made(name, Toolset::Terminal, schedule, move |_, _| {
            let (running, most) = (running.clone(), most.clone());
            async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                ToolReply::done(json!(now), "worked")
            }
        })
    };
    let ids: Vec<String> = (0..30).map(|id| id.to_string()).collect();
    let mut wanted: Vec<(&str, &str, &str)> = ids.iter().map(|id| (id.as_str(), "free", "{}")).collect();
    wanted.push(("x", "lone", "{}"));
    wanted.push(("y", "free", "{}"));
    wanted.push(("z", "lone", "{}"));
    let tools = [worker("free", Schedule::Beside), worker("lone", Schedule::Alone)];
    let agent = ground.agent(Script::new([calls(&wanted), says("ok")]), tools);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "go").await.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 8);
    assert_eq!(last_results(&session)[30..], ["1", "1", "1"]);
}

#[tokio::test]
async fn a_panicking_tool_is_a_failed_call() {
    let ground = Ground::new();
    let panics = beside("panics", |_, arguments| async move {
        assert!(!arguments.is_object(), "out of cheese");
        ToolReply::done(json!(0), "never")
    });
    let model = Script::new([calls(&[("a", "panics", "{}"), ("b", "echo", "{}")]), says("ok")]);
    let agent = ground.agent(model, [panics, echo()]);
    let mut session = begun(&agent).await;
    let end = ground.says(&agent, &mut session, "go").await.unwrap();
    assert_eq!(end.reason, EndReason::Answered);
    assert!(last_results(&session)[0].contains("out of cheese"));
    let failed = |event: &TurnEvent| matches!(event, TurnEvent::ToolFinished { tool, outcome: ToolOutcome::Failed, .. } if tool == "panics");
    assert!(ground.seen.events().iter().any(failed));
}
