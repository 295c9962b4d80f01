//! Long conversations are made shorter and stay whole, in memory and on disk.

use std::sync::Arc;

use hermes_agent::{Audience, EndReason, Models, ToolReply, TurnError, TurnEvent, UserInput, Which};
use hermes_model::{FinishReason, ModelError};
use hermes_proto::message::Message;
use hermes_proto::turn::Surface;
use serde_json::json;
use tokio::sync::Notify;

use super::ground::{Ground, PATIENCE, assert_whole, begun, turn};
use super::script::{Script, Step, asks, call, calls, fails, says, too_long};
use super::tool::{beside, echo};

const SUMMARY: &str = "[Summary of the conversation so far";

fn is_summary(message: &Message) -> bool {
    message.text().starts_with(SUMMARY)
}

#[tokio::test]
async fn past_the_threshold_the_middle_becomes_a_summary() {
    let mut ground = Ground::new();
    ground.config.model.context_length = Some(8_000);
    let wordy = beside("wordy", |_, _| async { ToolReply::done(json!("w".repeat(2_000)), "much") });
    let work = (0..40).map(|index| calls(&[(&format!("c{index}"), "wordy", &format!("{{\"n\": {index}}}"))]));
    // Usage that says nothing leaves the estimate to the agent.
    let model = Script::ruled({
        let answers = std::sync::Mutex::new(work.chain([says("done")]).collect::<std::collections::VecDeque<_>>());
        move |_| {
            let mut answer = answers.lock().unwrap().pop_front().unwrap();
            for step in &mut answer {
                if let super::script::Step::Event(hermes_model::Event::Finished(finished)) = step {
                    finished.usage = Default::default();
                }
            }
            answer
        }
    });
    let summarises = Script::ruled(|_| says("they counted upwards"));
    let models = Models { main: model.clone(), compression: Some(summarises.clone()), delegation: None };
    let agent = ground.agent_of(models, [wordy]);
    let mut session = begun(&agent).await;
    let end = ground.says(&agent, &mut session, "count").await.unwrap();
    assert_eq!((end.answer.as_str(), end.reason), ("done", EndReason::Answered));
    assert!(!summarises.requests().is_empty());
    assert!(
        ground
            .seen
            .events()
            .iter()
            .any(|event| matches!(event, TurnEvent::Compressed { before, after } if before > after))
    );
    assert_whole(session.messages());
    assert!(session.messages().iter().any(is_summary));
    assert!(session.messages().iter().any(|message| message.text().contains("they counted upwards")));
    assert_eq!(session.messages()[0], Message::user("count"));
    for request in model.requests() {
        assert_whole(&request.messages[1..]);
        let characters: usize = request.messages.iter().map(|message| message.text().len()).sum();
        assert!(characters < 8_000 * 4, "{characters}");
    }
    let resumed = agent.resume(Which::Named("latest".to_owned())).await.unwrap();
    assert_eq!(resumed.messages(), session.messages());
    // People still find what the model no longer sees.
    let sessions =
        hermes_store::sessions::Sessions::open(&hermes_store::Store::of(&ground.home_path(), Default::default()));
    let everything = sessions.everything(session.id()).unwrap();
    let calls = everything.iter().filter(|stored| !stored.message.tool_calls().is_empty()).count();
    assert_eq!(calls, 40);
}

#[tokio::test]
async fn a_refused_conversation_is_shortened_and_asked_again() {
    let ground = Ground::new();
    let mut answers: Vec<_> = (0..30).map(|index| says(&format!("answer {index}"))).collect();
    answers.push(fails(too_long()));
    answers.push(says("the summary of it"));
    answers.push(says("now it fits"));
    let model = Script::new(answers);
    let agent = ground.agent(model.clone(), [echo()]);
    let mut session = begun(&agent).await;
    for index in 0..30 {
        ground.says(&agent, &mut session, &format!("question {index}")).await.unwrap();
    }
    let end = ground.says(&agent, &mut session, "one more").await.unwrap();
    assert_eq!((end.answer.as_str(), end.rounds), ("now it fits", 1));
    assert!(session.messages().len() < 30);
    assert!(session.messages().iter().any(|message| message.text().contains("the summary of it")));
    assert_eq!(model.requests().last().unwrap().messages.last().unwrap(), &Message::user("one more"));
    assert_whole(session.messages());
}

#[tokio::test]
async fn one_that_stays_too_long_fails_and_stays_whole() {
    let ground = Ground::new();
    let model = Script::ruled(|_| fails(too_long()));
    let agent = ground.agent(model.clone(), []);
    let mut session = begun(&agent).await;
    let error = ground.says(&agent, &mut session, "x").await.unwrap_err();
    assert!(matches!(error, TurnError::Model(ModelError::ContextTooLong { .. })), "{error}");
    assert!(model.requests().len() <= 8, "{}", model.requests().len());
    assert_whole(session.messages());
}

#[tokio::test]
async fn without_a_model_the_summary_is_plain() {
    let ground = Ground::new();
    let mut answers: Vec<_> = Vec::new();
    for index in 0..15 {
        let arguments = format!("{{\"step\": {index}}}");
        answers.push(asks(&[call("a", "echo", &arguments)], FinishReason::ToolCalls));
        answers.push(says("ok"));
    }
    answers.push(fails(ModelError::CutOff));
    let agent = ground.agent(Script::new(answers), [echo()]);
    let mut session = begun(&agent).await;
    for index in 0..15 {
        ground.says(&agent, &mut session, &format!("question {index}")).await.unwrap();
    }
    let turn = turn(Surface::Interactive);
    let done = agent.compress(&mut session, &turn, &Audience::nobody()).await.unwrap();
    assert!(turn.is_over());
    assert_eq!((done.messages_before, done.messages_after), (60, session.messages().len()));
    assert!(done.messages_after < 20);
    assert_whole(session.messages());
    let summary = session.messages().iter().find(|message| is_summary(message)).unwrap().text();
    assert!(
        summary.contains("- The user said: question 3") && summary.contains("- Ran echo: {\"step\": 3}"),
        "{summary}"
    );
    let resumed = agent.resume(Which::Named("latest".to_owned())).await.unwrap();
    assert_eq!(resumed.messages(), session.messages());
}

#[tokio::test]
async fn an_interrupt_while_it_is_shortened_leaves_it_as_it_was() {
    let mut ground = Ground::new();
    ground.config.model.context_length = Some(1_000);
    let asked = Arc::new(Notify::new());
    let asking = asked.clone();
    let summarises = Script::ruled(move |_| {
        asking.notify_one();
        vec![Step::Hang]
    });
    ground.config.compression.enabled = false;
    let models = || Models { main: Script::new([]), compression: Some(summarises.clone()), delegation: None };
    let agent = ground.agent_of(models(), []);
    let mut session = begun(&agent).await;
    for _ in 0..20 {
        ground.says(&agent, &mut session, &"words ".repeat(50)).await.unwrap();
    }
    ground.config.compression.enabled = true;
    let agent = ground.agent_of(models(), []);
    // What the script counted is forgotten by a resume.
    let mut session = agent.resume(Which::Named("latest".to_owned())).await.unwrap();
    let before = session.messages().to_vec();
    let (turn, audience) = (turn(Surface::Gateway), ground.audience());
    let cancel = async {
        asked.notified().await;
        turn.cancellation().cancel();
    };
    let work = agent.turn(&mut session, &turn, UserInput::text("more"), &audience);
    let end = tokio::time::timeout(PATIENCE, async { tokio::join!(work, cancel).0 }).await.expect("it stops").unwrap();
    assert_eq!((end.rounds, end.reason), (0, EndReason::Interrupted));
    assert_eq!(session.messages()[..before.len()], before[..]);
    assert_whole(session.messages());
}
