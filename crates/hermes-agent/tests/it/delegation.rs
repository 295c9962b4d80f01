//! Agents that agents start.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hermes_agent::tools::DelegateTask;
use hermes_agent::{EndReason, Schedule, Tool, ToolReply, Toolset, TurnEvent, UserInput};
use hermes_home::config::ApprovalMode;
use hermes_model::{ModelError, Request};
use hermes_proto::Secret;
use hermes_proto::consent::{
    Approver, Consent, ConsentRequest, PendingConsent, PendingSecret, Reach, Scope, SecretRequest,
};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Notify};

use super::ground::{Ground, PATIENCE, assert_whole, begun, bound, last_results, turn};
use super::interrupts::asking;
use super::script::{Answer, Script, Step, calls, fails, says, usage};
use super::tool::{beside, echo, made};

fn is_child(request: &Request) -> bool {
    request.messages[0].text().contains("one task by another agent")
}

/// A model that gives these tasks away when it is the parent and answers by `child` when it is not.
fn parent_of(arguments: &Value, child: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Arc<Script> {
    let arguments = arguments.to_string();
    Script::ruled(move |request| {
        if is_child(request) {
            return child(request);
        }
        match request.messages.last().unwrap().role() {
            hermes_proto::message::Role::Tool => says("reported"),
            _ => calls(&[("d", "delegate_task", &arguments)]),
        }
    })
}

fn results(session: &hermes_agent::Session) -> Value {
    let text = last_results(session).remove(0);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

fn tools(more: impl IntoIterator<Item = Arc<dyn Tool>>) -> Vec<Arc<dyn Tool>> {
    let delegate: Arc<dyn Tool> = Arc::new(DelegateTask);
    [delegate, echo()].into_iter().chain(more).collect()
}

#[tokio::test]
async fn children_work_beside_each_other_and_one_failing_does_not_disturb_the_others() {
    let ground = Ground::new();
    let barrier = Arc::new(Barrier::new(2));
    let meet = beside("meet", move |_, _| {
        let barrier = barrier.clone();
        async move {
            barrier.wait().await;
            ToolReply::done(json!("met"), "met")
        }
    });
    let tasks = json!({"tasks": [{"goal": "good 1", "context": "c"}, {"goal": "bad"}, {"goal": "good 2"}]});
    let model = parent_of(&tasks, |request| {
        let question = request.messages[1].text();
        match (question.contains("bad"), request.messages.len()) {
            (true, _) => fails(ModelError::NoKey { provider: "test".to_owned(), variable: None }),
            (false, 2) => calls(&[("m", "meet", "{}")]),
            (false, _) => says(&format!("did {question}")),
        }
    });
    let agent = ground.agent(model.clone(), tools([meet]));
    let mut session = begun(&agent).await;
    let work = ground.says(&agent, &mut session, "go");
    let end = tokio::time::timeout(PATIENCE, work).await.expect("they overlap").unwrap();
    assert_eq!((end.answer.as_str(), end.reason), ("reported", EndReason::Answered));
    // Two calls of the parent, and two of each child that worked.
    assert_eq!(end.usage, usage(60, 30));
    assert_eq!(session.usage(), usage(20, 10));
    let results = results(&session);
    let status: Vec<&str> =
        results["results"].as_array().unwrap().iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["completed", "failed", "completed"]);
    assert_eq!(results["results"][0]["summary"], "did Your task:\ngood 1\n\nWhat you should know:\nc");
    assert_eq!(results["results"][0]["api_calls"], 2);
    assert_eq!(results["results"][0]["tokens"]["input"], 20);
    assert!(results["results"][1]["summary"].as_str().unwrap().contains("no key"));
    let told = |event: &TurnEvent| matches!(event, TurnEvent::ToolOutput { text, .. } if text.starts_with("[3] meet"));
    assert!(ground.seen.events().iter().any(told));
    // A child sees nothing of the conversation it was started from.
    assert!(
        model
            .requests()
            .iter()
            .filter(|request| is_child(request))
            .all(|request| !request.messages.iter().any(|message| message.text() == "go"))
    );
}

#[tokio::test]
async fn a_child_has_fewer_tools_and_an_unknown_toolset_is_told() {
    let ground = Ground::new();
    let nothing = |name, toolset| made(name, toolset, Schedule::Beside, |_, _| async { ToolReply::done(json!(0), "") });
    let more = || {
        [nothing("clarify", Toolset::Clarify), nothing("memory", Toolset::Memory), nothing("read_file", Toolset::File)]
    };
    let offered = |arguments: Value| {
        let model = parent_of(&arguments, |_| says("did"));
        let agent = ground.agent(model.clone(), tools(more()));
        async move {
            let ground = Ground::new();
            let mut session = begun(&agent).await;
            ground.says(&agent, &mut session, "go").await.unwrap();
            let child = model.requests().into_iter().find(is_child);
            let names = child.map(|request| request.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>());
            (names, last_results(&session).remove(0))
        }
    };
    assert_eq!(offered(json!({"goal": "x"})).await.0.unwrap(), ["echo", "read_file"]);
    assert_eq!(offered(json!({"goal": "x", "toolsets": ["file"]})).await.0.unwrap(), ["read_file"]);
    for (arguments, expected) in [
        (json!({"goal": "x", "toolsets": ["memory"]}), "cannot be given"),
        (json!({"goal": "x", "toolsets": ["delegation"]}), "cannot be given"),
        (json!({}), "give a goal"),
        (json!({"goal": " "}), "a goal is empty"),
        (json!({"tasks": vec![json!({"goal": "x"}); 11]}), "more than the 10"),
    ] {
        let (names, result) = offered(arguments).await;
        assert_eq!(names, None);
        assert!(result.contains(expected), "{result}");
    }
}

#[tokio::test]
async fn depth_is_what_configuration_allows() {
    let depth_of = |allowed| async move {
        let mut ground = Ground::new();
        ground.config.delegation.max_spawn_depth = allowed;
        let deepest = Arc::new(AtomicUsize::new(0));
        let model = {
            let deepest = deepest.clone();
            Script::ruled(move |request| {
                let question =
                    request.messages.iter().find(|message| message.role() == hermes_proto::message::Role::User);
                let depth = question.unwrap().text().matches('>').count();
                deepest.fetch_max(depth, Ordering::SeqCst);
                match request.messages.last().unwrap().role() {
                    hermes_proto::message::Role::Tool => says("done"),
                    _ => calls(&[("d", "delegate_task", &json!({"goal": ">".repeat(depth + 1)}).to_string())]),
                }
            })
        };
        let agent = ground.agent(model, tools([]));
        let mut session = begun(&agent).await;
        ground.says(&agent, &mut session, "go").await.unwrap();
        deepest.load(Ordering::SeqCst)
    };
    assert_eq!(depth_of(0).await, 0);
    assert_eq!(depth_of(1).await, 1);
    assert_eq!(depth_of(2).await, 2);
}

#[tokio::test]
async fn a_child_has_a_budget_of_its_own() {
    let mut ground = Ground::new();
    ground.config.delegation.max_iterations = 3;
    let model = parent_of(&json!({"goal": "x"}), |request| match request.tools.is_empty() {
        true => says("no end in sight"),
        false => calls(&[("e", "echo", "{}")]),
    });
    let agent = ground.agent(model, tools([]));
    let mut session = begun(&agent).await;
    ground.says(&agent, &mut session, "go").await.unwrap();
    let result = results(&session)["results"][0].clone();
    assert_eq!((result["status"].as_str(), result["api_calls"].as_u64()), (Some("max_iterations"), Some(3)));
}

#[derive(Debug, Default)]
struct Watched {
    asked: Mutex<Vec<String>>,
    secrets: Mutex<usize>,
}

impl Approver for Watched {
    fn reach(&self) -> Reach {
        Reach::Person
    }

    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a> {
        self.asked.lock().unwrap().push(request.action.clone());
        Box::pin(std::future::ready(Consent::Approved(Scope::Once)))
    }

    fn ask_secret<'a>(&'a self, _request: &'a SecretRequest) -> PendingSecret<'a> {
        *self.secrets.lock().unwrap() += 1;
        Box::pin(std::future::ready(Some(Secret::new("hunter2"))))
    }
}

#[tokio::test]
async fn a_child_asks_the_parents_person_and_never_for_secrets() {
    let mut ground = Ground::new();
    ground.config.approvals.mode = ApprovalMode::Manual;
    let about = Arc::new(Mutex::new(None));
    let noted = about.clone();
    let secret = beside("secret", move |context: hermes_agent::ToolContext, _| {
        let noted = noted.clone();
        async move {
            let request = SecretRequest { purpose: "password for sudo".to_owned(), patience: PATIENCE };
            let given = context.turn.approver().ask_secret(&request).await;
            let key = context.turn.variables().text(SessionVariable::Key).map(str::to_owned);
            *noted.lock().unwrap() = Some((key, context.turn.surface(), context.turn.origin(), context.turn.id()));
            ToolReply::done(json!({"given": given.is_some()}), "asked")
        }
    });
    let model = parent_of(&json!({"goal": "x"}), |request| match request.messages.len() {
        2 => calls(&[("s", "secret", "{}"), ("r", "dangerous", "{}")]),
        _ => says(&request.messages.iter().map(|message| message.text()).collect::<Vec<_>>().join("|")),
    });
    let agent = ground.agent(model, tools([secret, asking()]));
    let mut session = begun(&agent).await;
    let person = Arc::new(Watched::default());
    let turn = bound(TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Interactive, person.clone())));
    agent.turn(&mut session, &turn, UserInput::text("go"), &ground.audience()).await.unwrap();
    assert_eq!(*person.asked.lock().unwrap(), ["rm -rf build"]);
    assert_eq!(*person.secrets.lock().unwrap(), 0);
    let summary = results(&session)["results"][0]["summary"].as_str().unwrap().to_owned();
    assert!(summary.contains(r#"{"given":false}"#) && summary.contains("permitted"), "{summary}");
    let (key, surface, origin, id) = about.lock().unwrap().clone().unwrap();
    assert_eq!((key.as_deref(), surface), (turn.variables().text(SessionVariable::Key), Surface::Interactive));
    assert_eq!(origin, hermes_proto::turn::Origin::Delegated);
    assert_ne!(id, turn.id());
}

#[tokio::test]
async fn only_configuration_lets_a_child_go_unasked() {
    for (is_auto_approved, is_permitted) in [(true, true), (false, false)] {
        let mut ground = Ground::new();
        ground.config.approvals.mode = ApprovalMode::Manual;
        ground.config.delegation.subagent_auto_approve = is_auto_approved;
        let model = parent_of(&json!({"goal": "x"}), |request| match request.messages.len() {
            2 => calls(&[("r", "dangerous", "{}")]),
            _ => says(&request.messages.last().unwrap().text()),
        });
        let agent = ground.agent(model, tools([asking()]));
        let mut session = begun(&agent).await;
        // Nobody is there who could say yes.
        ground.says(&agent, &mut session, "go").await.unwrap();
        let summary = results(&session)["results"][0]["summary"].to_string();
        assert_eq!(summary.contains("permitted"), is_permitted, "{summary}");
    }
}

#[tokio::test]
async fn an_interrupt_ends_parent_and_children() {
    let ground = Ground::new();
    let begun_working = Arc::new(Notify::new());
    let waiting = begun_working.clone();
    let model = parent_of(&json!({"tasks": [{"goal": "a"}, {"goal": "b"}]}), move |_| {
        waiting.notify_one();
        vec![Step::Hang]
    });
    let agent = ground.agent(model, tools([]));
    let mut session = begun(&agent).await;
    let turn = turn(Surface::Gateway);
    let audience = ground.audience();
    let work = agent.turn(&mut session, &turn, UserInput::text("go"), &audience);
    let cancel = async {
        begun_working.notified().await;
        turn.cancellation().cancel();
    };
    let end = tokio::time::timeout(PATIENCE, async { tokio::join!(work, cancel).0 }).await.expect("it ends").unwrap();
    assert_eq!(end.reason, EndReason::Interrupted);
    assert_whole(session.messages());
    let statuses =
        results(&session)["results"].as_array().unwrap().iter().map(|one| one["status"].clone()).collect::<Vec<_>>();
    assert_eq!(statuses, ["interrupted", "interrupted"]);
}
