//! Peers that are somebody else, older, broken or hostile: a clear end, never a hang.

use hermes_proto::executor::{
    Frame, FrameKind, INITIAL_WINDOW, LONGEST_MESSAGE, LONGEST_PAYLOAD, Layer, Request, RequestFailure, RequestId,
    Started, encode_message, preamble,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::client::{Client, open, run_command};

fn refusal(started: Started) -> String {
    match started {
        Started::Refused(refused) => refused.reason,
        Started::Ready(ready) => panic!("{ready:?}"),
    }
}

#[test]
fn the_handshake_reports_build_isolation_and_directory() {
    let mut opening = open("/usr/no/such");
    opening.confinement = Some("proof".to_owned());
    let client = Client::open(&opening);
    let ready = client.ready.as_ref().unwrap();
    assert_eq!((ready.build.as_str(), ready.working_directory.as_str()), ("test", "/usr"));
    assert_eq!(ready.isolation.layers[0].layer, Layer::Landlock);
}

#[test]
fn a_confinement_that_cannot_be_put_on_ends_the_link() {
    let mut opening = open("/");
    opening.confinement = Some("fail: no such layer".to_owned());
    let mut client = Client::silent();
    let started = client.shake_hands(&preamble(), &serde_json::to_string(&opening).unwrap());
    assert_eq!(refusal(started), "confinement cannot be put on: no such layer");
    assert_eq!(client.await_end(), Some(3));
}

#[test]
fn a_stranger_is_named() {
    let check = |first: &[u8], expected: &str| {
        let mut client = Client::silent();
        client.send_bytes(first);
        let reason = refusal(client.read_start());
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(client.await_end(), Some(3));
    };
    check(b"GET / HTTP/1.1\r\n", "not a hermes program");
    let mut newer = preamble();
    newer[6] = 77;
    check(&newer, "speaks protocol 77");
    check(&[&preamble()[..], &[0xff; 16]].concat(), "unknown kind 255");
    check(&[&preamble()[..], &[0, 0, 0, 0, 2, 0, 0, 0, 0]].concat(), "instead of a handshake");
}

#[test]
fn a_peer_that_leaves_before_or_in_the_handshake_is_the_end() {
    for first in [&b""[..], &preamble()[..3], &preamble()[..], &[&preamble()[..], &[9, 0]].concat()] {
        let mut client = Client::silent();
        client.send_bytes(first);
        assert_eq!(client.close(), Some(3));
    }
}

/// Sends frames to a running link and returns why it ended.
fn ended_by(frames: &[Frame], raw: &[u8]) -> String {
    let mut client = Client::start();
    frames.iter().for_each(|frame| client.send(frame));
    client.send_bytes(raw);
    let reason = client.end_reason().expect("a reason");
    assert_eq!(client.await_end(), Some(3));
    client.assert_nothing_left();
    reason
}

#[test]
fn what_breaks_the_protocol_ends_the_link_with_a_reason() {
    let check = |frames: &[Frame], raw: &[u8], expected: &str| {
        let reason = ended_by(frames, raw);
        assert!(reason.contains(expected), "{reason}");
    };
    let request = |text: &str| serde_json::to_vec(&Request::Run(run_command(text))).unwrap();
    let open = |id: u32| Frame::new(FrameKind::Request, RequestId(id), request("sleep 300"));
    check(&[], &[1, 2, 3, 4, 99, 0, 0, 0, 0], "unknown kind 99");
    check(&[], &[0xff, 0xff, 0xff, 0xff, 2, 1, 0, 0, 0], "is longer than");
    check(&[Frame::new(FrameKind::Handshake, RequestId::LINK, *b"{}")], &[], "kind Handshake has no place here");
    check(&[Frame::new(FrameKind::Result, RequestId(1), *b"{}")], &[], "kind Result has no place here");
    check(&[open(5), open(5)], &[], "request #5 was opened twice");
    check(&[Frame::new(FrameKind::Request, RequestId::LINK, request("true"))], &[], "request #0 was opened twice");
    check(&[open(5), Frame::new(FrameKind::Credit, RequestId(5), *b"123")], &[], "not four bytes");
    let too_much = Frame::new(FrameKind::Data, RequestId(5), vec![0; INITIAL_WINDOW as usize + 1]);
    check(&[open(5), too_much], &[], "more input than was allowed");
    let parts = vec![
        Frame::new(FrameKind::Part, RequestId(5), vec![b' '; LONGEST_PAYLOAD]);
        LONGEST_MESSAGE / LONGEST_PAYLOAD + 1
    ];
    check(&parts, &[], "message of more than");
}

#[test]
fn half_a_frame_is_told_and_everything_ends() {
    let mut client = Client::start();
    client.ask_run(run_command("sleep 300"));
    client.send_bytes(&[200, 0, 0, 0, 2, 1, 0]);
    client.close_input();
    assert!(client.end_reason().unwrap().contains("inside a frame"));
    assert_eq!(client.await_end(), Some(3));
    client.assert_nothing_left();
}

#[test]
fn what_is_only_wrong_is_answered_and_the_link_goes_on() {
    let mut client = Client::start();
    for (id, payload) in [(50, "not json"), (51, "{}"), (52, r#"{"run":{}}"#), (53, r#"{"dance":1}"#), (54, "\u{0}")] {
        client.send(&Frame::new(FrameKind::Request, RequestId(id), payload));
        let failure = client.failure(RequestId(id));
        assert!(matches!(failure, RequestFailure::Invalid { .. }), "{payload}: {failure}");
    }
    for kind in [FrameKind::Data, FrameKind::EndOfInput, FrameKind::Credit, FrameKind::Cancel] {
        client.send(&Frame::new(kind, RequestId(99), *b"1234"));
        assert_eq!(client.failure(RequestId(99)), RequestFailure::Unknown);
    }
    let id = client.ask_run(run_command("true"));
    client.result(id);
    client.send(&Frame::new(FrameKind::Cancel, id, Vec::new()));
    assert_eq!(client.output("echo a late cancel means nothing"), "a late cancel means nothing\n");
}

#[test]
fn a_message_in_pieces_is_one_message() {
    let mut client = Client::start();
    let message = serde_json::to_vec(&Request::Run(run_command("echo whole"))).unwrap();
    let (first, rest) = message.split_at(10);
    client.send(&Frame::new(FrameKind::Part, RequestId(70), first));
    assert_eq!(client.output("echo between"), "between\n");
    client.send(&Frame::new(FrameKind::Request, RequestId(70), rest));
    assert_eq!(client.result(RequestId(70)).output, "whole\n");
}

/// Nine requests of eight megabytes (mostly white space) are more than may be held at once.
#[test]
fn too_much_at_once_is_refused() {
    let mut client = Client::start();
    let mut message = serde_json::to_vec(&Request::Run(run_command("sleep 300"))).unwrap();
    message.resize(LONGEST_MESSAGE, b' ');
    for id in 1..=9 {
        for frame in encode_message(FrameKind::Request, RequestId(id), &message) {
            client.send(&frame);
        }
    }
    let failure = client.failure(RequestId(9));
    assert!(matches!(&failure, RequestFailure::Busy { .. }), "{failure}");
    assert_eq!(client.close(), Some(0));
}

/// A valid session, as bytes, to be spoiled.
fn session_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |kind, id, payload: Vec<u8>| Frame::new(kind, RequestId(id), payload).encode(&mut bytes);
    let mut command = run_command("cat; echo done");
    command.stdin = hermes_proto::executor::Stdin::Streamed;
    command.streams_output = true;
    command.timeout_ms = Some(2000);
    add(FrameKind::Request, 1, serde_json::to_vec(&Request::Run(command)).unwrap());
    add(FrameKind::Data, 1, b"some input".to_vec());
    add(FrameKind::Credit, 1, 1000_u32.to_le_bytes().to_vec());
    add(FrameKind::Part, 2, br#"{"job":"#.to_vec());
    add(FrameKind::Request, 2, br#""list"}"#.to_vec());
    add(FrameKind::EndOfInput, 1, Vec::new());
    add(FrameKind::Cancel, 1, Vec::new());
    bytes
}

/// Every byte sequence ends: the executor is gone afterwards, by itself and without a panic.
fn check_ends(start: &[u8], bytes: &[u8]) {
    let mut client = Client::silent();
    client.send_bytes(start);
    client.send_bytes(bytes);
    client.close_input();
    while client.frame_or_garbage().is_some() {}
    let code = client.await_end();
    assert!(matches!(code, Some(0 | 3)), "{code:?}");
    client.assert_nothing_left();
}

fn begun() -> Vec<u8> {
    let mut bytes = preamble().to_vec();
    let payload = serde_json::to_vec(&open("/")).unwrap();
    Frame::new(FrameKind::Handshake, RequestId::LINK, payload).encode(&mut bytes);
    bytes
}

#[test]
fn random_bytes_always_come_to_an_end() {
    let bytes = proptest::collection::vec(any::<u8>(), 0..400);
    let frames = proptest::collection::vec((0u8..12, 0u32..4, proptest::collection::vec(any::<u8>(), 0..20)), 0..20);
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    runner
        .run(&(bytes, frames, any::<bool>()), |(bytes, frames, as_frames)| {
            let mut sent = bytes;
            if as_frames {
                sent.clear();
                for (kind, id, payload) in frames {
                    sent.extend_from_slice(&(payload.len() as u32).to_le_bytes());
                    sent.push(kind);
                    sent.extend_from_slice(&id.to_le_bytes());
                    sent.extend_from_slice(&payload);
                }
            }
            check_ends(&begun(), &sent);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_spoiled_session_always_comes_to_an_end() {
    let whole = session_bytes();
    let change = (0..whole.len(), any::<u8>(), 0usize..4);
    let mut runner = TestRunner::new(Config { cases: 80, failure_persistence: None, ..Config::default() });
    runner
        .run(&proptest::collection::vec(change, 1..4), |changes| {
            let mut bytes = whole.clone();
            for (at, byte, how) in changes {
                let at = at.min(bytes.len().saturating_sub(1));
                match how {
                    0 => bytes[at] = byte,
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, byte),
                    _ => bytes.truncate(at + 1),
                }
            }
            check_ends(&begun(), &bytes);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_spoiled_handshake_always_comes_to_an_end() {
    let whole = begun();
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    runner
        .run(&(0..whole.len(), any::<u8>()), |(at, byte)| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            check_ends(&bytes, &[]);
            Ok(())
        })
        .unwrap();
}
