//! Many callers at once, and callers that do not take what they asked for.

use std::collections::BTreeSet;

use super::wire::Caller;
use super::{Place, Server, is_marked_process_there, marker, said, until};
use crate::support::finish;

const CLIENTS: usize = 32;
const SESSIONS: usize = 8;
/// Kilobytes a holder may grow by: a few windows and buffers.
const GROWTH: u64 = 6 * 1024;

#[test]
fn thirty_two_callers_on_eight_sessions_get_what_is_theirs() {
    let place = Place::new();
    let server = Server::start(&place);
    let start = |client: usize| {
        let key = format!("session-{}", client % SESSIONS);
        let text = format!(
            "export LAST=$HERMES_SESSION_KEY; head -c 100000 /dev/zero | tr '\\0' x; echo; echo $LAST {client}"
        );
        place.exec(&["--session", &key, "-c", &text]).spawn().unwrap()
    };
    let children: Vec<_> = (0..CLIENTS).map(start).collect();
    for (client, child) in children.into_iter().enumerate() {
        let run = finish(child);
        assert_eq!((run.code, said(&run.stderr).as_str()), (0, ""), "{client}");
        let lines: Vec<_> = run.stdout.lines().collect();
        let [long, last] = lines[..] else { panic!("{client}: {} lines", lines.len()) };
        assert!(long.len() == 100_000 && long.bytes().all(|byte| byte == b'x'));
        assert_eq!(last, format!("session-{} {client}", client % SESSIONS));
    }
    // One each, although four callers of each came first at once.
    assert_eq!(server.executors().len(), SESSIONS);
    let last: BTreeSet<_> =
        (0..SESSIONS).map(|key| place.in_session(&format!("session-{key}"), "echo $LAST")).collect();
    assert_eq!(last.len(), SESSIONS);
}

/// One caller grants nothing, another grants everything and does not read. Both floods come to
/// a stop, and neither is stored.
#[test]
fn a_caller_that_does_not_read_costs_no_memory() {
    let place = Place::new();
    let server = Server::start(&place);
    // All code paths have been used once.
    place.in_session("flood", "head -c 3000000 /dev/zero");
    let before = server.resident();
    let marker = marker("flood");
    let flood =
        |name: &str| format!("export MARK={marker}; while :; do head -c 65536 /dev/zero || exit; echo >> {name}; done");
    let mut silent = Caller::attach(&place, "flood");
    silent.run(1, &flood("granted-nothing"));
    let mut generous = Caller::attach(&place, "flood");
    generous.run(1, &flood("granted-all"));
    generous.grant(1, u32::MAX);
    let progress = |name: &str| std::fs::metadata(place.workspace().join(name)).map_or(0, |found| found.len());
    for name in ["granted-nothing", "granted-all"] {
        let mut last = (0, 0);
        // It has stopped when it makes no progress during many looks.
        until(name, || {
            let now = progress(name);
            last = if now > 0 && now == last.0 { (now, last.1 + 1) } else { (now, 0) };
            last.1 > 60
        });
        // Windows, pipes and sockets hold something; not more than a few megabytes.
        assert!(progress(name) < 100, "{name}: {} pieces", progress(name));
    }
    let after = server.resident();
    assert!(after < before + GROWTH, "{before} kB before, {after} kB after");
    // Others are served meanwhile, in this very session too.
    assert_eq!(place.in_session("flood", "echo fine"), "fine\n");
    assert!(is_marked_process_there(&marker), "the test looks at the wrong place");
    drop((silent, generous));
    until("the floods end with their callers", || !is_marked_process_there(&marker));
}
