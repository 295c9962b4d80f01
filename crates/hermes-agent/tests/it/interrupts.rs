//! A turn can be stopped anywhere, and the conversation goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_agent::{
    EndReason, Schedule, Session, ToolOutcome, ToolReply, Toolset, TurnEnd, TurnEvent, UserInput, Which,
};
use hermes_approval::{Place, PlaceId};
use hermes_policy::{Context, Isolation};
use hermes_proto::consent::{Approver, ConsentRequest, PendingConsent, Reach};
use hermes_proto::executor::CommandText;
use hermes_proto::message::Message;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use serde_json::json;
use tokio::sync::Notify;

use super::ground::{Ground, PATIENCE, assert_whole, begun, bound, last_results, turn};
use super::script::{Script, Step, calls, says, text};
use super::tool::{beside, made};

/// Waits for the turn, cancels it when `moment` comes, and checks that the next one works.
async fn interrupted(
    ground: &Ground,
    agent: &hermes_agent::Agent,
    session: &mut Session,
    turn: &TurnContext,
    moment: Arc<Notify>,
) -> TurnEnd {
    let audience = ground.audience();
    let work = agent.turn(session, turn, UserInput::text("go"), &audience);
    let cancel = async {
        moment.notified().await;
        turn.cancellation().cancel();
    };
    let both = async { tokio::join!(work, cancel).0 };
    let end = tokio::time::timeout(PATIENCE, both).await.expect("it stops").unwrap();
    assert!(turn.is_over());
    assert_whole(session.messages());
    let resumed = agent.resume(Which::Named("latest".to_owned())).await.unwrap();
    assert_eq!(resumed.messages(), session.messages());
    let next = ground.says(agent, session, "and now?").await.unwrap();
    assert_eq!(next.answer, "here again");
    end
}

#[derive(Debug)]
struct Telling(Arc<Notify>);

impl hermes_agent::Observer for Telling {
    fn saw(&self, event: TurnEvent) {
        if matches!(event, TurnEvent::Text { .. }) {
            self.0.notify_one();
        }
    }
}

#[tokio::test]
async fn during_an_answer_what_had_come_is_kept() {
    let ground = Ground::new();
    let model = Script::new([vec![text("The answer is"), Step::Hang], says("here again")]);
    let agent = ground.agent(model.clone(), []);
    let mut session = begun(&agent).await;
    let (turn, moment) = (turn(Surface::Interactive), Arc::new(Notify::new()));
    let audience = hermes_agent::Audience::watching(Arc::new(Telling(moment.clone())));
    let cancel = async {
        moment.notified().await;
        turn.cancellation().cancel();
    };
    let work = agent.turn(&mut session, &turn, UserInput::text("go"), &audience);
    let end = tokio::time::timeout(PATIENCE, async { tokio::join!(work, cancel).0 }).await.unwrap().unwrap();
    assert_eq!((end.answer.as_str(), end.reason), ("The answer is", EndReason::Interrupted));
    assert!(turn.is_over());
    assert_eq!(session.messages().last().unwrap().text(), "The answer is\n\n[interrupted by the user]");
    assert_eq!(ground.says(&agent, &mut session, "and now?").await.unwrap().answer, "here again");
}

#[tokio::test]
async fn during_tools_every_call_gets_a_result() {
    let ground = Ground::new();
    let moment = Arc::new(Notify::new());
    let (waiting, telling) = (moment.clone(), moment.clone());
    // One that minds the turn, one that does not, and one that never gets to run.
    let minds = beside("minds", move |context: hermes_agent::ToolContext, _| {
        let waiting = waiting.clone();
        async move {
            waiting.notify_one();
            context.turn.cancellation().cancelled().await;
            let content = json!({"error": "stopped cleanly"});
            ToolReply { outcome: ToolOutcome::Interrupted, content, summary: "stopped".to_owned(), diff: None }
        }
    });
    let deaf = beside("deaf", |_, _| async {
        std::future::pending::<()>().await;
        ToolReply::done(json!(0), "never")
    });
    let later = made("later", Toolset::Terminal, Schedule::Alone, move |_, _| {
        telling.notify_one();
        async { ToolReply::failed("it ran") }
    });
    let wanted = calls(&[("a", "minds", "{}"), ("b", "deaf", "{}"), ("c", "later", "{}")]);
    let agent = ground.agent(Script::new([wanted, says("here again")]), [minds, deaf, later]);
    let mut session = begun(&agent).await;
    let turn = turn(Surface::Gateway);
    let end = interrupted(&ground, &agent, &mut session, &turn, moment).await;
    assert_eq!((end.rounds, end.reason), (1, EndReason::Interrupted));
    let results = last_results(&session);
    assert!(results[0].contains("stopped cleanly"), "{results:?}");
    assert!(results[1].contains("interrupted") && results[2].contains("interrupted"), "{results:?}");
}

#[derive(Debug)]
struct NeverAnswers(Arc<Notify>);

impl Approver for NeverAnswers {
    fn reach(&self) -> Reach {
        Reach::Person
    }

    fn ask<'a>(&'a self, _request: &'a ConsentRequest) -> PendingConsent<'a> {
        self.0.notify_one();
        Box::pin(std::future::pending())
    }
}

/// A tool that asks for what has to be asked for.
pub(crate) fn asking() -> Arc<dyn hermes_agent::Tool> {
    beside("dangerous", |context: hermes_agent::ToolContext, _| async move {
        let place = Place {
            id: PlaceId::unique(),
            name: "here".to_owned(),
            isolation: Isolation::None,
            context: Context::default(),
        };
        match context.guard.permit(&context.turn, &place, CommandText::new("rm -rf build")).await {
            Ok(_) => ToolReply::done(json!("permitted"), "permitted"),
            Err(refusal) => ToolReply::refused(&refusal),
        }
    })
}

#[tokio::test]
async fn during_an_approval_nothing_is_permitted() {
    let mut ground = Ground::new();
    ground.config.approvals.mode = hermes_home::config::ApprovalMode::Manual;
    let moment = Arc::new(Notify::new());
    let edge = Edge::new(Surface::Interactive, Arc::new(NeverAnswers(moment.clone())));
    let turn = bound(TurnContext::arrived(&Hosting::new(), edge));
    let model = Script::new([calls(&[("a", "dangerous", "{}")]), says("here again")]);
    let agent = ground.agent(model, [asking()]);
    let mut session = begun(&agent).await;
    let end = interrupted(&ground, &agent, &mut session, &turn, moment).await;
    assert_eq!(end.reason, EndReason::Interrupted);
    assert!(!last_results(&session)[0].contains("permitted"), "{:?}", last_results(&session));
}

#[tokio::test]
async fn before_it_began_nothing_is_asked() {
    let ground = Ground::new();
    let model = Script::new([says("here again")]);
    let agent = ground.agent(model.clone(), []);
    let mut session = begun(&agent).await;
    let (turn, now) = (turn(Surface::Gateway), Arc::new(Notify::new()));
    turn.cancellation().cancel();
    now.notify_one();
    let end = interrupted(&ground, &agent, &mut session, &turn, now).await;
    assert_eq!((end.rounds, end.reason), (0, EndReason::Interrupted));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_deadline_ends_a_turn_that_hangs() {
    let ground = Ground::new();
    let mut edge = Edge::new(Surface::Cron, Arc::new(hermes_proto::consent::NobodyToAsk));
    edge.deadline = Some(Instant::now() + Duration::from_millis(50));
    let turn = bound(TurnContext::arrived(&Hosting::new(), edge));
    let agent = ground.agent(Script::new([vec![Step::Hang]]), []);
    let mut session = begun(&agent).await;
    let audience = ground.audience();
    let work = agent.turn(&mut session, &turn, UserInput::text("go"), &audience);
    let end = tokio::time::timeout(PATIENCE, work).await.expect("it stops").unwrap();
    assert_eq!(end.reason, EndReason::TimedOut);
    assert_whole(session.messages());
}

#[tokio::test]
async fn a_turn_that_is_dropped_is_over_and_the_session_goes_on() {
    let ground = Ground::new();
    let moment = Arc::new(Notify::new());
    let waiting = moment.clone();
    let hangs = beside("hangs", move |_, _| {
        waiting.notify_one();
        async {
            std::future::pending::<()>().await;
            ToolReply::done(json!(0), "never")
        }
    });
    let agent = ground.agent(Script::new([calls(&[("a", "hangs", "{}")]), says("here again")]), [hangs]);
    let mut session = begun(&agent).await;
    let turn = turn(Surface::Gateway);
    {
        let audience = ground.audience();
        let work = agent.turn(&mut session, &turn, UserInput::text("go"), &audience);
        tokio::select! {
            _ = work => panic!("it hangs"),
            () = moment.notified() => {}
        }
    }
    assert!(turn.is_over());
    assert_eq!(ground.says(&agent, &mut session, "and now?").await.unwrap().answer, "here again");
    assert_whole(session.messages());
    assert_eq!(session.messages().len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_is_dropped_while_its_question_is_written_leaves_it_said() {
    let ground = Ground::new();
    let model = Script::new([says("the file is there"), vec![Step::Hang], says("here again")]);
    let agent = ground.agent(model.clone(), []);
    ground.says(&agent, &mut begun(&agent).await, "anybody?").await.unwrap();
    let busy = rusqlite::Connection::open(ground.home_path().join("hermes.db")).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut session = begun(&agent).await;
    let turn = turn(Surface::Gateway);
    {
        let audience = ground.audience();
        let work = agent.turn(&mut session, &turn, UserInput::text("go"), &audience);
        let being_written = async {
            while model.requests().len() < 2 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            // Nothing tells from outside when the writer has come to wait for the file.
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        tokio::select! {
            _ = work => panic!("it hangs"),
            () = being_written => {}
        }
    }
    busy.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ground.says(&agent, &mut session, "and now?").await.unwrap().answer, "here again");
    let said: Vec<String> = session.messages().iter().map(Message::text).collect();
    assert_eq!(said, ["go", "and now?", "here again"]);
    let resumed = agent.resume(Which::Named(session.id().to_string())).await.unwrap();
    assert_eq!(resumed.messages(), session.messages());
}
