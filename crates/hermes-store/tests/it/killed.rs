//! A process that is killed at any moment leaves a chain that verifies and holds all that it was told is there.

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use hermes_store::audit::{Entry, Kind, RequestId, Sequence};

use hermes_proto::message::{Message, ToolCall};
use hermes_store::sessions::{NewSession, Said, SessionId, Sessions};

use super::child::{AGAIN, audit, store};

const KILLS: usize = 50;
/// How often a writer is told something at most before it is killed.
const MOST_TOLD: u64 = 12;

/// The child: appends and tells what is acknowledged.
pub(super) fn append_for_ever(home: &Path) {
    let audit = audit(home);
    for number in 0_u64.. {
        let request = RequestId::new();
        let subject = Some("x".repeat(usize::try_from(number * 7919 % 6000).unwrap()));
        let entries =
            [Kind::Request, Kind::Start].map(|kind| Entry { subject: subject.clone(), ..Entry::new(kind, &request) });
        let last = audit.append(&entries).unwrap().pop().unwrap();
        std::io::stderr().write_all(format!("{last} {request}\n").as_bytes()).unwrap();
    }
}

/// The child: turns of a question, a call and its result, each message acknowledged before the next.
pub(super) fn talk_for_ever(home: &Path) {
    let sessions = Sessions::open(&store(home));
    let session = sessions.create(&NewSession::from("cli")).unwrap();
    for number in 0_u64.. {
        let call = ToolCall { id: number.to_string().into(), name: "terminal".to_owned(), arguments: "{}".to_owned() };
        let calling = Message::Assistant { text: String::new(), reasoning: None, tool_calls: vec![call.clone()] };
        for message in [Message::user(format!("question {number}")), calling, Message::tool_result(&call, "done")] {
            let position = sessions.append(&session, &[Said::from(message)]).unwrap().pop().unwrap();
            std::io::stderr().write_all(format!("{position} {session}\n").as_bytes()).unwrap();
        }
    }
}

/// Kills a writer after it was told about some things, in the middle of whatever it does then; answers the last it was told.
fn kill_a_writer(action: &str, home: &Path, kill: usize) -> (i64, String) {
    let mut child = AGAIN.child(action, home).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let lines = usize::try_from(RandomState::new().hash_one(kill) % MOST_TOLD).unwrap();
    let heard = told.by_ref().take(lines + 1).last().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let last = told.map_while(Result::ok).last().unwrap_or(heard);
    let (number, name) = last.split_once(' ').unwrap();
    (number.parse().unwrap(), name.to_owned())
}

#[test]
fn fifty_kills_leave_a_chain_that_verifies() {
    let home = tempfile::tempdir().unwrap();
    for kill in 0..KILLS {
        let (told, request) = kill_a_writer("append for ever", home.path(), kill);
        let audit = audit(home.path());
        let found = audit.verify().unwrap_or_else(|error| panic!("kill {kill}: {error}")).count;
        // Both entries of the one that may have been on its way, or none.
        assert!(found == told || found == told + 2, "kill {kill}: told {told}, found {found}");
        assert_eq!(audit.entry(Sequence(told)).unwrap().unwrap().request.as_str(), request, "kill {kill}");
    }
}

#[test]
fn fifty_kills_leave_sessions_that_resume() {
    let home = tempfile::tempdir().unwrap();
    let mut repaired = 0;
    for kill in 0..KILLS {
        let (told, session) = kill_a_writer("talk for ever", home.path(), kill);
        let session = SessionId::from(session);
        let sessions = Sessions::open(&store(home.path()));
        let transcript = sessions.transcript(&session).unwrap();
        let kept = transcript.messages.iter().any(|stored| stored.position.to_string() == told.to_string());
        assert!(kept, "kill {kill}: message {told} of {session} is lost");
        let messages = transcript.repaired();
        let calls = messages.iter().flat_map(Message::tool_calls).count();
        let results = messages.iter().filter(|message| matches!(message, Message::Tool { .. })).count();
        assert_eq!(calls, results, "kill {kill}");
        repaired += usize::from(messages.len() > transcript.messages.len());
        sessions.append(&session, &[Said::from(Message::user("go on"))]).unwrap();
    }
    assert!(repaired > 0, "no kill came between a call and its result: the test showed nothing");
}
