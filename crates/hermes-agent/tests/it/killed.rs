//! A process that is killed at any moment of a turn leaves a session that goes on.

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_agent::{Models, Tool, ToolReply, Which};
use hermes_home::config::Config;
use hermes_proto::message::{Message, Role};
use hermes_store::sessions::Sessions;
use hermes_store::{Settings, Store};

use super::child::AGAIN;
use super::ground::{Ground, agent_in, assert_whole};
use super::script::{Script, Step, calls, says, text};
use super::tool::{beside, echo};

const KILLS: usize = 25;
const LONGEST_LIFE_IN_MICROSECONDS: u64 = 30_000;
const PATIENCE: Duration = Duration::from_secs(20);

fn told(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// The child: one turn with tools after the other, and tells what was acknowledged.
pub(super) fn talk_for_ever(home: &Path) {
    block_on(async {
        let ground = Ground::new();
        let model = Script::ruled(|request| match request.messages.last().unwrap().role() {
            Role::Tool if request.messages.len() % 3 == 0 => says("answered"),
            _ => calls(&[("a", "echo", r#"{"n": 1}"#), ("b", "echo", r#"{"n": 2}"#)]),
        });
        let agent = agent_in(home, &ground.work(), &Config::default(), Models::only(model), [echo()]);
        let mut session = match agent.resume(Which::Named("latest".to_owned())).await {
            Ok(session) => session,
            Err(_) => super::ground::begun(&agent).await,
        };
        assert_whole(session.messages());
        for number in 0.. {
            told(&format!("ask {} {number}", std::process::id()));
            ground.says(&agent, &mut session, &format!("{} {number}", std::process::id())).await.unwrap();
            told(&format!("answered {} {number}", std::process::id()));
        }
    });
}

fn block_on(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work);
}

/// The child: two calls, of which one is done and the other never will be.
pub(super) fn hang_in_a_tool(home: &Path) {
    let hangs = beside("hangs", |_, _| async {
        told("hanging");
        std::future::pending::<ToolReply>().await
    });
    let model = Script::new([calls(&[("a", "echo", "{}"), ("b", "hangs", "{}")])]);
    hang(home, model, [echo(), hangs]);
}

/// The child: an answer that stops in the middle.
pub(super) fn hang_in_an_answer(home: &Path) {
    let model = Script::ruled(|_| {
        told("hanging");
        vec![text("half an"), Step::Hang]
    });
    hang(home, model, [echo()]);
}

fn hang(home: &Path, model: Arc<Script>, tools: impl IntoIterator<Item = Arc<dyn Tool>>) {
    block_on(async {
        let ground = Ground::new();
        let agent = agent_in(home, &ground.work(), &Config::default(), Models::only(model), tools);
        let mut session = super::ground::begun(&agent).await;
        ground.says(&agent, &mut session, "go").await.unwrap();
    });
}

fn wait_until_kept(home: &Path) {
    let sessions = Sessions::open(&Store::of(home, Settings::default()));
    let begun = Instant::now();
    while !sessions.stats().is_ok_and(|stats| stats.messages >= 2) {
        assert!(begun.elapsed() < PATIENCE, "the question is not on disk");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn killed_in_the_middle_it_resumes_and_knows_what_was_interrupted() {
    for (action, expected) in
        [("hang in a tool", &["go", "", "interrupted", "interrupted"][..]), ("hang in an answer", &["go"])]
    {
        let ground = Ground::new();
        let mut child = AGAIN.child(action, &ground.home_path()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "hanging");
        // A question is written while it is asked.
        wait_until_kept(&ground.home_path());
        child.kill().unwrap();
        child.wait().unwrap();
        block_on(async {
            let model = Script::new([says("still here")]);
            let agent = ground.agent(model.clone(), [echo()]);
            let mut session = agent.resume(Which::Named("latest".to_owned())).await.unwrap();
            assert_whole(session.messages());
            let found: Vec<String> = session.messages().iter().map(Message::text).collect();
            assert_eq!(found.len(), expected.len(), "{found:?}");
            assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:?}");
            assert_eq!(ground.says(&agent, &mut session, "are you there?").await.unwrap().answer, "still here");
            assert_whole(&model.requests()[0].messages[1..]);
        });
    }
}

/// Lets a process talk for a while; answers the last question whose answer it told.
fn kill_a_talker(home: &Path, life: Duration) -> Option<String> {
    let mut child = AGAIN.child("talk for ever", home).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.starts_with("ask "), "{first}");
    std::thread::sleep(life);
    child.kill().unwrap();
    child.wait().unwrap();
    let answered = lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("answered ").map(str::to_owned));
    answered.last()
}

#[test]
fn whatever_the_moment_the_session_goes_on_and_nothing_acknowledged_is_lost() {
    let ground = Ground::new();
    let home = ground.home_path();
    let random = RandomState::new();
    for kill in 0..KILLS {
        let life = Duration::from_micros(random.hash_one(kill) % LONGEST_LIFE_IN_MICROSECONDS);
        let answered = kill_a_talker(&home, life);
        block_on(async {
            let agent = ground.agent(Script::new([says("still here")]), [echo()]);
            // Nothing may have been said yet.
            let Ok(mut session) = agent.resume(Which::Named("latest".to_owned())).await else { return };
            assert_whole(session.messages());
            let said = |text: &str| session.messages().iter().any(|message: &Message| message.text() == text);
            assert!(answered.as_deref().is_none_or(said), "kill {kill}: {answered:?} is gone");
            assert_eq!(ground.says(&agent, &mut session, "are you there?").await.unwrap().answer, "still here");
        });
    }
}
