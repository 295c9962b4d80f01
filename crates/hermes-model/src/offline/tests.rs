//! The built-in model, turn by turn, as an agent drives it.

use hermes_proto::message::{Message, ToolCall};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::Offline;
use crate::{Event, FinishReason, Finished, Model, Request, ToolSchema};

fn request(text: &str, tools: &[&str]) -> Request {
    let tool = |name: &&str| ToolSchema {
        name: (*name).to_owned(),
        description: format!("About {name}.\nMore."),
        parameters: json!({"type": "object"}),
    };
    Request { tools: tools.iter().map(tool).collect(), ..Request::new(vec![Message::user(text)]) }
}

async fn ask(request: &Request) -> Finished {
    Offline::new().stream(request, &CancellationToken::new()).finished().await.unwrap()
}

/// Runs a whole turn, giving each call the result that `run` makes of it; answers the calls and the last words.
async fn turn(mut request: Request, run: impl Fn(&ToolCall) -> String) -> (Vec<String>, String) {
    let mut calls = Vec::new();
    for _ in 0..100 {
        let finished = ask(&request).await;
        let results: Vec<_> =
            finished.message.tool_calls().iter().map(|call| Message::tool_result(call, run(call))).collect();
        calls.extend(finished.message.tool_calls().iter().map(|call| format!("{} {}", call.name, call.arguments)));
        if finished.reason == FinishReason::Stop {
            assert!(results.is_empty());
            return (calls, finished.message.text());
        }
        request.messages.push(finished.message);
        request.messages.extend(results);
    }
    panic!("no end: {calls:?}");
}

const BOTH: &[&str] = &["terminal", "execute_code"];

#[tokio::test]
async fn commands_and_scripts_are_run_in_order_and_summed_up() {
    let text = "please\n$ ls\n```python\nprint(1)\n```\n$ false";
    let (calls, words) = turn(request(text, BOTH), |call| match call.arguments.as_str() {
        r#"{"command":"ls"}"# => json!({"output": "a.txt\nb.txt\n", "exit_code": 0}).to_string(),
        r#"{"command":"false"}"# => json!({"output": "", "exit_code": 1}).to_string(),
        _ => json!({"status": "success", "output": "1\n"}).to_string(),
    })
    .await;
    assert_eq!(
        calls,
        [r#"terminal {"command":"ls"}"#, r#"execute_code {"code":"print(1)\n"}"#, r#"terminal {"command":"false"}"#]
    );
    assert_eq!(
        words,
        "`ls` succeeded:\n\n```\na.txt\nb.txt\n```\n\nThe script succeeded:\n\n```\n1\n```\n\n`false` ended with exit code 1."
    );
}

#[tokio::test]
async fn a_refusal_ends_what_was_planned() {
    let refused = json!({"status": "blocked", "error": "the user said no", "exit_code": -1}).to_string();
    let (calls, words) = turn(request("$ rm -rf /\n$ ls\n$ pwd", BOTH), |_| refused.clone()).await;
    assert_eq!(calls.len(), 1);
    assert_eq!(words, "`rm -rf /` was not run: the user said no\n\nI did not go on with the 2 that follow it.");
}

#[tokio::test]
async fn results_of_any_kind_are_readable_and_short() {
    for (result, expected) in [
        ("plain words", "`x` succeeded:\n\n```\nplain words\n```"),
        ("", "`x` succeeded without output."),
        ("[1,2]", "`x` succeeded:\n\n```\n[1,2]\n```"),
        (r#"{"error":"Unknown tool: terminal"}"#, "`x` failed: Unknown tool: terminal"),
        (r#"{"output":"```\nfence\n```","exit_code":0}"#, "`x` succeeded:\n\n````\n```\nfence\n```\n````"),
        (r#"{"output":"partly","error":"timed out"}"#, "`x` failed: timed out\n\n```\npartly\n```"),
    ] {
        let (_, words) = turn(request("$ x", BOTH), |_| result.to_owned()).await;
        assert_eq!(words, expected);
    }
    let flood = json!({"output": "line\n".repeat(100_000), "exit_code": 0}).to_string();
    let (_, words) = turn(request("$ x", BOTH), |_| flood.clone()).await;
    assert!(words.len() < 300 && words.contains("… and 99980 more lines"), "{words}");
    let (_, words) = turn(request("$ x", BOTH), |_| "y".repeat(1_000_000)).await;
    assert!(words.len() < 2100, "{}", words.len());
}

#[tokio::test]
async fn tools_that_are_not_offered_are_not_called() {
    let (calls, words) = turn(request("$ ls", &["read_file"]), |_| String::new()).await;
    assert!(calls.is_empty() && words.contains("`terminal` is not among"), "{words}");
    let (calls, words) = turn(request("$ ls\n```python\n1\n```", &["terminal"]), |_| "ok".to_owned()).await;
    assert!(calls.len() == 1 && words.contains("ok") && words.contains("`execute_code` is not among"), "{words}");
}

#[tokio::test]
async fn questions_are_answered_in_plain_words() {
    for (question, part) in [
        ("", "You said nothing"),
        (" \n", "You said nothing"),
        ("help", "`$ ls -la`"),
        ("what can you do?", "`$ ls -la`"),
        ("How do I configure a MODEL?", "hermes model use"),
        ("is this safe", "consent"),
        ("which tools?", "- `terminal`: About terminal.\n"),
        ("```python\nprint(1)", "not closed"),
    ] {
        let (calls, words) = turn(request(question, BOTH), |_| String::new()).await;
        assert!(calls.is_empty() && words.contains(part), "{question}: {words}");
    }
    assert!(!ask(&Request::default()).await.message.text().is_empty());
}

#[tokio::test]
async fn a_later_turn_starts_afresh_with_ids_of_its_own() {
    let mut request = request("$ one", BOTH);
    let first = ask(&request).await.message;
    let result = Message::tool_result(&first.tool_calls()[0], "ok");
    request.messages.extend([first.clone(), result, Message::assistant("done"), Message::user("$ two")]);
    let second = ask(&request).await.message;
    assert_eq!(second.tool_calls()[0].arguments, r#"{"command":"two"}"#);
    assert_ne!(second.tool_calls()[0].id, first.tool_calls()[0].id);
    // The same conversation, shortened: the number is taken, and another is found.
    let shortened = [Message::user("x"), first.clone(), Message::tool_result(&first.tool_calls()[0], "ok")];
    let request =
        Request { messages: shortened[1..].iter().cloned().chain([Message::user("$ x")]).collect(), ..request };
    assert_ne!(ask(&request).await.message.tool_calls()[0].id, first.tool_calls()[0].id);
}

#[tokio::test]
async fn the_same_is_answered_always_and_cancelling_ends_it() {
    let request = request("$ ls", BOTH);
    assert_eq!(ask(&request).await, ask(&request).await);
    let cancellation = CancellationToken::new();
    cancellation.cancel();
    let model = Offline::new();
    let mut stream = model.stream(&request, &cancellation);
    assert!(matches!(stream.next().await, Some(Err(crate::ModelError::Cancelled))));
    assert!(stream.next().await.is_none());
    let text: String = {
        let (token, question) = (CancellationToken::new(), self::request("help", &[]));
        let mut stream = model.stream(&question, &token);
        let mut text = String::new();
        while let Some(event) = stream.next().await {
            match event.unwrap() {
                Event::Text(delta) => text.push_str(&delta),
                Event::Finished(finished) => assert_eq!(finished.message.text(), text),
                other => panic!("{other:?}"),
            }
        }
        text
    };
    assert!(!text.is_empty());
}
