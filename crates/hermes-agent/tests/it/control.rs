//! What a surface can do with a session.

use std::sync::Arc;

use hermes_agent::tools::Todo;
use hermes_agent::{Audience, NewSession, Tool, TurnError, Which};
use hermes_proto::turn::Surface;

use super::ground::{Ground, assert_whole, begun, last_results, turn};
use super::script::{Script, calls, says};
use super::tool::echo;

#[tokio::test]
async fn the_last_exchange_is_taken_back_and_the_last_answer_asked_again() {
    let ground = Ground::new();
    let model =
        Script::new([says("one"), calls(&[("a", "echo", "{}")]), says("two"), says("two, better"), says("three")]);
    let agent = ground.agent(model.clone(), [echo()]);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "first").await.unwrap();
    ground.says(&agent, &mut session, "second").await.unwrap();
    let turn = turn(Surface::Interactive);
    let end = agent.retry(&mut session, &turn, &Audience::nobody()).await.unwrap();
    assert!(turn.is_over());
    assert_eq!(end.answer, "two, better");
    assert_eq!(session.messages().len(), 4);
    let undone = agent.undo(&mut session).await.unwrap();
    assert_eq!((undone.said.as_str(), undone.messages), ("second", 2));
    assert_whole(session.messages());
    let resumed = agent.resume(Which::Named(session.id().to_string())).await.unwrap();
    assert_eq!(resumed.messages(), session.messages());
    ground.says(&agent, &mut session, "third").await.unwrap();
    let told: Vec<String> =
        model.requests().last().unwrap().messages[1..].iter().map(|message| message.text()).collect();
    assert_eq!(told, ["first", "one", "third"]);
    for _ in 0..2 {
        agent.undo(&mut session).await.unwrap();
    }
    assert!(session.is_empty());
    assert!(agent.undo(&mut session).await.is_err());
    let again = super::ground::turn(Surface::Interactive);
    let error = agent.retry(&mut session, &again, &Audience::nobody()).await.unwrap_err();
    assert!(matches!(error, TurnError::NothingToRetry));
    assert_eq!(agent.resume(Which::Named("latest".to_owned())).await.unwrap().messages(), []);
}

#[tokio::test]
async fn a_session_is_found_by_id_title_source_and_key() {
    let ground = Ground::new();
    let agent = ground.agent(Script::new([]), []);
    let mut named =
        agent.new_session(NewSession { title: Some("the plan".to_owned()), ..NewSession::from("cli") }).await.unwrap();
    ground.says(&agent, &mut named, "plan").await.unwrap();
    let keyed = NewSession { key: Some("k".to_owned()), ..NewSession::from("telegram") };
    let mut keyed = agent.new_session(keyed).await.unwrap();
    ground.says(&agent, &mut keyed, "chat").await.unwrap();
    for (which, expected) in [
        (Which::Named("the plan".to_owned()), named.id()),
        (Which::Named(named.id().to_string()), named.id()),
        (Which::LatestOf { source: "cli".to_owned() }, named.id()),
        (Which::LatestOfKey { key: "k".to_owned() }, keyed.id()),
        (Which::Named("latest".to_owned()), keyed.id()),
    ] {
        assert_eq!(agent.resume(which).await.unwrap().id(), expected);
    }
    agent.rename(&mut keyed, "the chat").await.unwrap();
    assert_eq!(agent.resume(Which::Named("the chat".to_owned())).await.unwrap().title(), Some("the chat"));
    assert!(agent.rename(&mut keyed, "the plan").await.is_err());
}

#[tokio::test]
async fn what_was_left_to_do_is_known_again_after_a_resume() {
    let ground = Ground::new();
    let list = r#"{"todos": [{"id": "1", "content": "bake", "status": "pending"}]}"#;
    let model =
        Script::new([calls(&[("a", "todo", list)]), says("noted"), calls(&[("b", "todo_list", "{}")]), says("read")]);
    let todo = || [Arc::new(Todo) as Arc<dyn Tool>];
    let agent = ground.agent(model.clone(), todo());
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "plan").await.unwrap();
    let again = ground.agent(model, todo());
    let mut resumed = again.resume(Which::Named("latest".to_owned())).await.unwrap();
    ground.says(&again, &mut resumed, "what is left?").await.unwrap();
    assert!(last_results(&resumed)[1].contains("bake"), "{:?}", last_results(&resumed));
}

#[tokio::test]
async fn another_model_answers_from_the_next_turn_on() {
    let ground = Ground::new();
    let (first, second) = (Script::new([says("one")]), Script::new([says("two")]));
    let agent = ground.agent(first, []);
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "hi").await.unwrap();
    agent.switch_model(&mut session, second.clone()).await.unwrap();
    assert_eq!(ground.says(&agent, &mut session, "hi").await.unwrap().answer, "two");
    assert_eq!(second.requests()[0].messages.len(), 4);
}
