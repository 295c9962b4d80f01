//! From a question to an answer.

use hermes_agent::{EndReason, TurnError, TurnEvent, UserInput, Which};
use hermes_model::{FinishReason, ModelError};
use hermes_proto::message::Message;
use hermes_proto::turn::Surface;
use serde_json::json;

use super::ground::{Ground, assert_whole, begun, last_results, turn};
use super::script::{Script, Step, asks, call, calls, fails, finished, restarted, says, text, usage};
use super::tool::{beside, broken, echo};

#[tokio::test]
async fn a_question_runs_tools_until_there_is_an_answer() {
    let ground = Ground::new();
    let model = Script::new([
        calls(&[("a", "echo", r#"{"word": "one"}"#)]),
        calls(&[("a", "echo", "{}"), ("b", "echo", r#"{"word": "two"}"#)]),
        says("all done"),
    ]);
    let agent = ground.agent(model.clone(), [echo()]);
    let mut session = begun(&agent).await;
    let end = ground.says(&agent, &mut session, "go").await.unwrap();
    assert_eq!((end.answer.as_str(), end.rounds, end.reason), ("all done", 3, EndReason::Answered));
    assert_eq!(end.usage, usage(30, 15));
    assert_eq!(session.usage(), usage(30, 15));
    assert_eq!(
        last_results(&session),
        [r#"{"heard":{"word":"one"}}"#, r#"{"heard":{}}"#, r#"{"heard":{"word":"two"}}"#]
    );
    assert_whole(session.messages());
    assert_eq!(ground.seen.text(), "all done");
    for request in model.requests() {
        assert_whole(&request.messages[1..]);
        assert_eq!(request.tools.len(), 1);
    }
    let resumed = agent.resume(Which::Named("latest".to_owned())).await.unwrap();
    assert_eq!(resumed.messages(), session.messages());
    assert_eq!(resumed.usage(), session.usage());
}

#[tokio::test]
async fn everything_is_on_disk_before_it_is_acted_on() {
    let ground = Ground::new();
    let store = ground.home_path();
    let looks = move |context: hermes_agent::ToolContext, _| {
        let (store, id) = (store.clone(), context.session.clone());
        async move {
            let sessions = hermes_store::sessions::Sessions::open(&hermes_store::Store::of(&store, Default::default()));
            let kept = sessions.transcript(&id).unwrap().messages;
            let last = kept.last().unwrap().message.tool_calls().len();
            hermes_agent::ToolReply::done(json!({"kept": kept.len(), "calls": last}), "looked")
        }
    };
    let model = Script::new([calls(&[("a", "look", "{}"), ("b", "look", "{}")]), says("seen")]);
    let agent = ground.agent(model, [beside("look", looks)]);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "go").await.unwrap();
    // Prompt, question, and the answer with both its calls.
    assert_eq!(last_results(&session), vec![r#"{"kept":3,"calls":2}"#; 2]);
}

#[tokio::test]
async fn a_question_that_cannot_be_kept_is_not_answered() {
    let ground = Ground::new();
    std::fs::create_dir_all(ground.home_path().join("hermes.db")).unwrap();
    // The first would never end by itself.
    let model = Script::new([vec![Step::Hang], says("now")]);
    let agent = ground.agent(model.clone(), []);
    let mut session = begun(&agent).await;
    let error = ground.says(&agent, &mut session, "go").await.unwrap_err();
    assert!(matches!(error, TurnError::Keep(_)), "{error}");
    assert_eq!(model.requests().len(), 1, "it was asked meanwhile");
    std::fs::remove_dir(ground.home_path().join("hermes.db")).unwrap();
    assert_eq!(ground.says(&agent, &mut session, "again").await.unwrap().answer, "now");
    let resumed = agent.resume(Which::Named("latest".to_owned())).await.unwrap();
    assert_eq!(resumed.messages(), session.messages());
    assert_eq!(session.messages().len(), 2, "what was never kept was never said");
}

#[tokio::test]
async fn a_session_in_which_nothing_was_said_leaves_no_trace() {
    let ground = Ground::new();
    let agent = ground.agent(Script::new([]), []);
    drop(begun(&agent).await);
    let error = agent.resume(Which::Named("latest".to_owned())).await.unwrap_err();
    assert!(error.to_string().contains("no sessions yet"), "{error}");
}

#[tokio::test]
async fn the_budget_ends_a_turn_with_words() {
    let mut ground = Ground::new();
    ground.config.agent.max_turns = 2;
    let again = || calls(&[("a", "echo", "{}")]);
    let model = Script::new([again(), again(), says("this far I came")]);
    let agent = ground.agent(model.clone(), [echo()]);
    let mut session = begun(&agent).await;
    let end = ground.says(&agent, &mut session, "go").await.unwrap();
    assert_eq!((end.answer.as_str(), end.rounds, end.reason), ("this far I came", 2, EndReason::MaxTurns));
    assert!(model.requests()[2].tools.is_empty());
    assert_whole(session.messages());
    // The remark that asked for words is not part of the conversation.
    assert!(session.messages().iter().all(|message| !message.text().contains("No more tool calls")));
    let end = ground.says(&agent, &mut session, "and on").await.unwrap();
    assert_eq!(end.reason, EndReason::Answered);
}

#[tokio::test]
async fn an_empty_answer_is_asked_about_once() {
    let empty = || vec![finished(Message::assistant(" "), FinishReason::Stop)];
    let ground = Ground::new();
    let model = Script::new([empty(), says("sorry"), empty(), empty()]);
    let agent = ground.agent(model.clone(), []);
    let mut session = begun(&agent).await;
    let end = ground.says(&agent, &mut session, "hi").await.unwrap();
    assert_eq!((end.answer.as_str(), end.reason), ("sorry", EndReason::Answered));
    assert!(model.requests()[1].messages.last().unwrap().text().contains("empty"));
    assert_eq!(session.messages().len(), 2);
    let end = ground.says(&agent, &mut session, "hi").await.unwrap();
    assert_eq!((end.answer.as_str(), end.reason), ("", EndReason::Empty));
    assert_whole(session.messages());
}

#[tokio::test]
async fn a_failing_model_ends_the_turn_and_not_the_session() {
    let ground = Ground::new();
    let no_key = || ModelError::NoKey { provider: "test".to_owned(), variable: None };
    let late = vec![text("half an ans"), Step::Fail(ModelError::CutOff)];
    let model = Script::new([fails(no_key()), late, calls(&[("a", "echo", "{}")]), fails(no_key()), says("back")]);
    let agent = ground.agent(model, [echo()]);
    let mut session = begun(&agent).await;
    for _ in 0..3 {
        let error = ground.says(&agent, &mut session, "go").await.unwrap_err();
        assert!(matches!(error, TurnError::Model(_)), "{error}");
        assert_whole(session.messages());
    }
    assert_eq!(ground.says(&agent, &mut session, "still there?").await.unwrap().answer, "back");
    assert_whole(agent.resume(Which::Named("latest".to_owned())).await.unwrap().messages());
}

#[tokio::test]
async fn a_restarted_answer_is_told_and_kept_once() {
    let ground = Ground::new();
    let mut answer = vec![text("void"), restarted("busy")];
    answer.extend(says("good"));
    let agent = ground.agent(Script::new([answer]), []);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "go").await.unwrap();
    assert!(ground.seen.events().contains(&TurnEvent::Restarted { reason: "busy".to_owned() }));
    assert_eq!(session.messages().last().unwrap().text(), "good");
}

#[tokio::test]
async fn a_filtered_answer_says_so() {
    let ground = Ground::new();
    let filtered = vec![finished(Message::assistant(""), FinishReason::ContentFilter)];
    let cut = vec![finished(Message::assistant("long and"), FinishReason::Length)];
    let agent = ground.agent(Script::new([filtered, cut]), []);
    let mut session = begun(&agent).await;
    assert_eq!(ground.says(&agent, &mut session, "go").await.unwrap().reason, EndReason::Filtered);
    assert_whole(session.messages());
    assert_eq!(ground.says(&agent, &mut session, "go").await.unwrap().answer, "long and");
    let is_cut = |event: &TurnEvent| matches!(event, TurnEvent::Notice { text } if text.contains("cut off"));
    assert!(ground.seen.events().iter().any(is_cut));
}

#[tokio::test]
async fn the_same_failing_call_is_noticed_and_stopped_where_nobody_watches() {
    let ground = Ground::new();
    let again = || asks(&[call("a", "broken", r#"{"try": 1}"#)], FinishReason::ToolCalls);
    let agent = ground.agent(Script::new(std::iter::repeat_with(again).take(20)), [broken()]);
    let mut session = begun(&agent).await;
    let end = ground.says(&agent, &mut session, "go").await.unwrap();
    assert_eq!((end.rounds, end.reason), (5, EndReason::Stuck { tool: "broken".to_owned() }));
    assert!(end.answer.contains("failed 5 times with the same arguments"), "{}", end.answer);
    assert_whole(session.messages());
    let warned: Vec<bool> = last_results(&session).iter().map(|result| result.contains("exact call has now")).collect();
    assert_eq!(warned, [false, true, true, true, true]);

    let mut watched = Ground::new();
    watched.config.agent.max_turns = 10;
    let agent = watched.agent(Script::new(std::iter::repeat_with(again).take(10)), [broken()]);
    let mut session = begun(&agent).await;
    let turn = turn(Surface::Interactive);
    let end = agent.turn(&mut session, &turn, UserInput::text("go"), &watched.audience()).await.unwrap();
    assert_eq!(end.reason, EndReason::MaxTurns);
}

#[tokio::test]
async fn results_are_bounded_before_the_model_sees_them() {
    let ground = Ground::new();
    let flood = beside("flood", |_, _| async { hermes_agent::ToolReply::done(json!("é".repeat(300_000)), "much") });
    let model = Script::new([calls(&[("a", "flood", "{}"), ("b", "flood", "{}"), ("c", "flood", "{}")]), says("ok")]);
    let agent = ground.agent(model, [flood]);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "go").await.unwrap();
    let lengths: Vec<usize> = last_results(&session).iter().map(|text| text.chars().count()).collect();
    assert!(lengths.iter().all(|length| *length < 100_100) && lengths.iter().sum::<usize>() < 200_300, "{lengths:?}");
    assert!(last_results(&session)[0].contains("characters left out"));
}
