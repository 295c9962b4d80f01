//! Background commands: followed, fed, ended, and told about when nobody waits for them.

use std::sync::Arc;

use hermes_agent::{
    Agent, AgentParts, Audience, Models, NewSession, OpenWorkshop, SessionId, ToolOutcome, ToolReply, UserInput,
    Workshops, tools,
};
use hermes_home::redact::Redactor;
use hermes_model::offline::Offline;
use hermes_proto::Secret;
use hermes_proto::consent::{ActionKind, NobodyToAsk};
use hermes_proto::message::Message;
use serde_json::{Value, json};

use super::ground::{Ground, LocalOpener, PATIENCE, interactive};
use super::people::Scripted;

async fn start(ground: &Ground, command: &str, more: Value) -> String {
    let mut arguments = json!({"command": command, "background": true});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let reply = ground.used("terminal", arguments).await;
    assert_eq!(reply.outcome, ToolOutcome::Done, "{reply:?}");
    reply.content["session_id"].as_str().unwrap().to_owned()
}

async fn process(ground: &Ground, action: &str, id: &str, more: Value) -> ToolReply {
    let mut arguments = json!({"action": action, "session_id": id});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ground.used("process", arguments).await
}

#[tokio::test]
async fn a_job_is_listed_followed_and_read_by_lines() {
    let ground = Ground::new();
    let id = start(&ground, "seq 1 300; exit 4", json!({})).await;
    let reply = process(&ground, "wait", &id, json!({"timeout": 60})).await;
    assert_eq!((&reply.content["status"], &reply.content["exit_code"]), (&json!("exited"), &json!(4)), "{reply:?}");
    let reply = process(&ground, "log", &id, json!({"offset": 10, "limit": 2})).await;
    let output = reply.content["output"].as_str().unwrap();
    assert_eq!(output.lines().count(), 2, "{reply:?}");
    let reply = ground.used("process", json!({"action": "list"})).await;
    assert_eq!(reply.content["processes"].as_array().unwrap().len(), 1, "{reply:?}");
    let reply = process(&ground, "poll", "proc_of_nobody", json!({})).await;
    assert_eq!(reply.outcome, ToolOutcome::Failed, "{reply:?}");
    ground.workshop.close().await;
}

/// What is typed into a shell is a command.
#[tokio::test]
async fn input_needs_a_permit() {
    let ground = Ground::new();
    let data = ground.work().join("data");
    std::fs::create_dir(&data).unwrap();
    let id = start(&ground, "bash", json!({})).await;
    let person = Scripted::denying();
    let typed = json!({"action": "submit", "session_id": id, "data": "rm -rf data"});
    let reply = ground.call(&interactive(person.clone()), "process", typed).await;
    assert_eq!((reply.outcome, person.asked().len()), (ToolOutcome::Refused, 1), "{reply:?}");
    assert_eq!(person.asked()[0].kind, ActionKind::JobInput);
    let reply = process(&ground, "submit", &id, json!({"data": "echo typed; ls"})).await;
    assert_eq!(reply.outcome, ToolOutcome::Done, "{reply:?}");
    process(&ground, "close", &id, json!({})).await;
    let reply = process(&ground, "wait", &id, json!({"timeout": 60})).await;
    assert_eq!(reply.content["output"], "typed\ndata\n", "{reply:?}");
    assert!(data.exists());
    ground.workshop.close().await;
}

#[tokio::test]
async fn kill_ends_a_job_and_all_it_started() {
    let ground = Ground::new();
    let id = start(&ground, "setsid sleep 1000 & sleep 1000", json!({"pty": true})).await;
    let reply = process(&ground, "kill", &id, json!({})).await;
    assert_eq!(reply.outcome, ToolOutcome::Done, "{reply:?}");
    let reply = process(&ground, "wait", &id, json!({"timeout": 60})).await;
    assert_eq!(reply.content["status"], "killed", "{reply:?}");
    let look = ground.used("terminal", json!({"command": "cat /proc/[0-9]*/comm | grep -cx sleep"})).await;
    assert_eq!(look.content["output"], "0\n", "{look:?}");
    ground.workshop.close().await;
}

/// One ground's places for the sessions of an agent.
#[derive(Debug)]
struct Places(LocalOpener);

impl Workshops for Places {
    fn opener(&self, _session: &SessionId) -> Box<dyn OpenWorkshop> {
        Box::new(self.0.clone())
    }
}

fn agent(ground: &Ground) -> Agent {
    Agent::new(AgentParts {
        models: Models::only(Arc::new(Offline::new())),
        tools: tools::all(),
        guard: ground.guard.clone(),
        store: ground.store(),
        home: ground.home(),
        config: ground.config.clone(),
        redactor: Redactor::new([Secret::new("swordfish-of-the-home")]),
        workshops: Arc::new(Places(ground.opener.clone())),
        folder: ground.work(),
    })
}

/// Starts a job as a tool of this session does.
async fn start_in(ground: &Ground, session: &hermes_agent::Session, arguments: Value) {
    let mut context = ground.context(&interactive(Arc::new(NobodyToAsk)));
    context.workshop = session.workshop().clone();
    let reply = super::ground::call(&context, "terminal", arguments).await;
    assert_eq!(reply.outcome, ToolOutcome::Done, "{reply:?}");
}

async fn told(ground: &Ground, arguments: Value) -> (Vec<String>, hermes_agent::Session, Agent) {
    let agent = agent(ground);
    let mut session = agent.new_session(NewSession::from("test")).await.unwrap();
    start_in(ground, &session, arguments).await;
    // Whoever wants to react at once waits for this.
    let news = session.workshop().clone();
    tokio::time::timeout(PATIENCE, news.news().wait()).await.expect("nobody told what the job did");
    says(ground, &agent, &mut session, "hello").await;
    (ground.seen.notices(), session, agent)
}

async fn says(ground: &Ground, agent: &Agent, session: &mut hermes_agent::Session, text: &str) {
    let (turn, audience) = (interactive(Arc::new(NobodyToAsk)), Audience::watching(ground.seen.clone()));
    agent.turn(session, &turn, UserInput::text(text), &audience).await.unwrap();
}

#[tokio::test]
async fn the_end_of_a_job_reaches_the_person_and_the_model_with_the_next_turn() {
    let ground = Ground::new();
    let command = r"printf '\033[31mswordfish-of-the-home\033[0m\nlast words\n'; exit 3";
    let arguments = json!({"command": command, "background": true, "notify_on_complete": true});
    let (shown, mut session, agent) = told(&ground, arguments).await;
    assert!(shown.iter().any(|line| line.ends_with("ended with 3")), "{shown:?}");
    let [told, said, ..] = session.messages() else { panic!("{:?}", session.messages()) };
    let told = told.text();
    assert!(told.contains("ended with 3") && told.ends_with("last words"), "{told}");
    let output = told.split_once("Its last output:]").unwrap().1;
    assert!(!output.contains("swordfish") && !output.contains('\u{1b}'), "{told}");
    assert_eq!(said.text(), "hello");
    // Once.
    assert!(session.workshop().news().is_empty());
    let before = session.messages().len();
    says(&ground, &agent, &mut session, "and now").await;
    assert!(matches!(&session.messages()[before], Message::User { .. }));
    assert_eq!(session.messages()[before].text(), "and now");
    session.workshop().close().await;
}

#[tokio::test]
async fn a_line_that_was_watched_for_is_told_while_the_job_goes_on() {
    let ground = Ground::new();
    let command = "echo server is up; sleep 1000";
    let arguments = json!({"command": command, "background": true, "watch_patterns": ["is up"]});
    let (shown, session, _agent) = told(&ground, arguments).await;
    let line = "printed a line with \"is up\": server is up";
    assert!(shown.iter().any(|shown| shown.ends_with(line)), "{shown:?}");
    assert!(session.messages()[0].text().contains(line), "{:?}", session.messages());
    session.workshop().close().await;
}
