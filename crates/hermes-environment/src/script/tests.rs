//! Scripts over a link whose far end keeps the rules, and one that does not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_approval::{Place, PlaceId};
use hermes_policy::{Context, Isolation};
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::{
    Answer, CallId, Frame, FrameKind, LONGEST_PAYLOAD, MOST_CALLS_AT_ONCE, Request, RequestId, RunScript, ScriptLimits,
    ScriptResult, ScriptStatus, ScriptTool, ToolResult,
};
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use hermes_testkit::Permits;
use serde_json::{Value, json};

use super::{NOT_FOR_SCRIPTS, RunningScript, Script, ScriptEvent};
use crate::link::tests::{Peer, connected, turn};
use crate::link::{Link, LinkError};
use crate::redeemed::Redeemed;

fn script(tools: &[ScriptTool]) -> Script {
    Script::new("print()", tools)
}

/// The script, permitted.
fn redeemed(script: Script, turn: &TurnContext) -> Redeemed<Script> {
    let (isolation, context) = (Isolation::Container, Context::default());
    let place = Place { id: PlaceId::unique(), name: "a container".to_owned(), isolation, context };
    let permit = Permits::new().of(turn, &place, script);
    Redeemed::by(permit, turn, place.id).unwrap()
}

/// A script that has been started, and what the far end was asked.
async fn started(script: Script, turn: &TurnContext) -> (Link, RunningScript, Peer, RequestId, RunScript) {
    let (link, _notices, mut peer) = connected().await;
    let running =
        RunningScript::begin(&link, turn, redeemed(script, turn), vec![("A".to_owned(), "1".to_owned())]).unwrap();
    let asked = peer.receive().await;
    let Request::Script(request) = serde_json::from_slice(&asked.payload).unwrap() else { panic!("{asked:?}") };
    (link, running, peer, asked.request, request)
}

fn call(id: RequestId, number: u64, tool: &str, arguments: &Value) -> Frame {
    let call = json!({"call": number, "tool": tool, "arguments": arguments});
    Frame::new(FrameKind::ToolCall, id, serde_json::to_vec(&call).unwrap())
}

fn result(status: ScriptStatus) -> ScriptResult {
    ScriptResult {
        status,
        output: "out".to_owned(),
        errors: String::new(),
        exit_code: 0,
        tool_calls_made: 1,
        duration_ms: 1,
        output_bytes: 3,
        omitted_output_bytes: 0,
        error_bytes: 0,
        omitted_error_bytes: 0,
        notes: Vec::new(),
    }
}

fn end(id: RequestId, status: ScriptStatus) -> Frame {
    Frame::new(FrameKind::Result, id, serde_json::to_vec(&Answer::Script(result(status))).unwrap())
}

async fn next_call(running: &mut RunningScript) -> (CallId, ScriptTool, Value) {
    match running.next().await.unwrap() {
        ScriptEvent::Call { id, tool, arguments } => (id, tool, Value::Object(arguments)),
        ScriptEvent::Finished(result) => panic!("{result:?}"),
    }
}

async fn answered(peer: &mut Peer) -> ToolResult {
    let frame = peer.receive().await;
    assert_eq!(frame.kind, FrameKind::ToolResult);
    serde_json::from_slice(&frame.payload).unwrap()
}

#[tokio::test]
async fn calls_come_up_results_go_down_and_the_end_is_last() {
    let (_link, mut running, mut peer, id, request) = started(script(&[ScriptTool::ReadFile]), &turn()).await;
    assert_eq!((request.tools, request.environment.len()), (vec![ScriptTool::ReadFile], 1));
    for number in 1..3 {
        peer.send(&call(id, number, "read_file", &json!({"path": "x"}))).await;
        let (called, tool, arguments) = next_call(&mut running).await;
        assert_eq!((called, tool, arguments), (CallId(number), ScriptTool::ReadFile, json!({"path": "x"})));
        running.answer(called, "text".to_owned());
        running.answer(called, "twice".to_owned());
        assert_eq!(answered(&mut peer).await, ToolResult { call: called, result: "text".to_owned() });
    }
    peer.send(&end(id, ScriptStatus::Success)).await;
    let ScriptEvent::Finished(finished) = running.next().await.unwrap() else { panic!() };
    assert_eq!(*finished, result(ScriptStatus::Success));
}

#[tokio::test]
async fn what_a_script_may_not_ask_of_the_terminal_is_stripped() {
    let tools = [ScriptTool::Terminal, ScriptTool::WriteFile];
    let (_link, mut running, mut peer, id, _) = started(script(&tools), &turn()).await;
    let mut arguments = json!({"command": "ls", "timeout": 5, "workdir": "/"});
    let kept = arguments.clone();
    for name in NOT_FOR_SCRIPTS {
        arguments[name] = json!(true);
    }
    peer.send(&call(id, 1, "terminal", &arguments)).await;
    assert_eq!(next_call(&mut running).await.2, kept);
    // Another tool's arguments are its own.
    peer.send(&call(id, 2, "write_file", &json!({"notify": 1}))).await;
    assert_eq!(next_call(&mut running).await.2, json!({"notify": 1}));
}

/// An executor that somebody has taken over cannot widen what was granted.
#[tokio::test]
async fn what_was_not_offered_is_refused_here_too() {
    let mut limited = script(&[ScriptTool::ReadFile]);
    limited.limits = ScriptLimits { tool_calls: 1, ..ScriptLimits::default() };
    let (_link, mut running, mut peer, id, _) = started(limited, &turn()).await;
    peer.send(&call(id, 1, "terminal", &json!({"command": "rm -rf /"}))).await;
    peer.send(&call(id, 2, "read_file", &json!({}))).await;
    assert_eq!(next_call(&mut running).await.0, CallId(2));
    let refused = answered(&mut peer).await;
    assert!(refused.call == CallId(1) && refused.result.contains("not allowed"), "{refused:?}");
    peer.send(&call(id, 3, "read_file", &json!({}))).await;
    peer.send(&end(id, ScriptStatus::Success)).await;
    assert!(matches!(running.next().await, Ok(ScriptEvent::Finished(_))), "the budget is used up");
}

#[tokio::test]
async fn calls_that_break_the_rules_end_the_link() {
    let check = async |frames: &dyn Fn(RequestId) -> Vec<Frame>, expected: fn(&LinkError) -> bool| {
        let (_link, mut running, mut peer, id, _) = started(script(&ScriptTool::ALL), &turn()).await;
        for frame in frames(id) {
            peer.send(&frame).await;
        }
        let error = loop {
            if let Err(error) = running.next().await {
                break error;
            }
        };
        assert!(expected(&error), "{error:?}");
    };
    let plain = |id, number| call(id, number, "patch", &json!({}));
    let unexpected: fn(&LinkError) -> bool = |error| matches!(error, LinkError::Unexpected { .. });
    check(&|id| vec![plain(id, 1), plain(id, 1)], unexpected).await;
    check(&|_| vec![plain(RequestId(99), 1)], unexpected).await;
    check(&|id| vec![call(id, 1, "execute_code", &json!({}))], |error| matches!(error, LinkError::Decode { .. })).await;
    let many = |id| (0..=MOST_CALLS_AT_ONCE as u64).map(|number| plain(id, number)).collect();
    check(&many, |error| matches!(error, LinkError::Overrun(_))).await;
}

#[tokio::test]
async fn a_request_that_is_no_script_takes_no_calls() {
    let (link, _notices, mut peer) = connected().await;
    let request = Request::Job(hermes_proto::executor::JobRequest::List);
    let pending = link.request(&turn(), &request).unwrap();
    let id = peer.receive().await.request;
    peer.send(&call(id, 1, "terminal", &json!({}))).await;
    assert!(matches!(pending.answer().await, Err(LinkError::Unexpected { .. })));
}

#[tokio::test]
async fn an_interrupt_lets_no_call_through_and_the_result_still_comes() {
    let (_link, mut running, mut peer, id, _) = started(script(&ScriptTool::ALL), &turn()).await;
    peer.send(&call(id, 1, "terminal", &json!({}))).await;
    let first = next_call(&mut running).await.0;
    running.interrupt();
    assert_eq!(peer.receive().await.kind, FrameKind::Cancel);
    peer.send(&call(id, 2, "terminal", &json!({}))).await;
    peer.send(&end(id, ScriptStatus::Interrupted)).await;
    let ScriptEvent::Finished(finished) = running.next().await.unwrap() else { panic!("a late call came through") };
    assert_eq!(finished.status, ScriptStatus::Interrupted);
    running.answer(first, "late".to_owned());
}

#[tokio::test]
async fn a_cancelled_turn_interrupts_and_a_deadline_is_kept() {
    let edge = Edge::new(Surface::Headless, Arc::new(NobodyToAsk));
    let edge = Edge { deadline: Some(Instant::now() + Duration::from_secs(20)), ..edge };
    let turn = TurnContext::arrived(&Hosting::new(), edge);
    let (_link, mut running, mut peer, id, request) = started(script(&[]), &turn).await;
    assert!(request.limits.timeout_ms <= 20_000, "{request:?}");
    turn.cancellation().cancel();
    let far = async {
        assert_eq!(peer.receive().await.kind, FrameKind::Cancel);
        peer.send(&end(id, ScriptStatus::Interrupted)).await;
    };
    let (event, ()) = tokio::join!(running.next(), far);
    assert!(matches!(event, Ok(ScriptEvent::Finished(_))));
}

#[tokio::test]
async fn a_script_that_is_dropped_is_given_up() {
    let (_link, running, mut peer, id, _) = started(script(&[]), &turn()).await;
    drop(running);
    let cancel = peer.receive().await;
    assert_eq!((cancel.kind, cancel.request), (FrameKind::Cancel, id));
}

#[tokio::test]
async fn what_is_too_long_is_said_to_whom_it_concerns() {
    let (_link, mut running, mut peer, id, _) = started(script(&[ScriptTool::Terminal]), &turn()).await;
    peer.send(&call(id, 1, "terminal", &json!({}))).await;
    let called = next_call(&mut running).await.0;
    running.answer(called, "x".repeat(LONGEST_PAYLOAD));
    let told = answered(&mut peer).await;
    assert!(
        told.call == called && told.result.starts_with("{\"error\":") && told.result.contains("too long"),
        "{told:?}"
    );
}
