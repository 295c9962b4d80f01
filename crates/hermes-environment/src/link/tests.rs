//! The link against peers that keep the rules and peers that do not.

use std::sync::Arc;

use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::{
    Answer, FileAnswer, FileRequest, Frame, FrameDecoder, FrameKind, INITIAL_WINDOW, IsolationReport, LinkEnd,
    ListFiles, Open, PREAMBLE_LENGTH, Ready, Refused, Request, RequestId, Started, preamble,
};
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::{Event, Link, LinkError, Notices};

pub(crate) fn turn() -> TurnContext {
    TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)))
}

fn open() -> Open<()> {
    Open {
        build: "test".to_owned(),
        confinement: None,
        working_directory: "/".to_owned(),
        keeps_own_environment: false,
        spill_folder: None,
    }
}

fn request() -> Request {
    Request::File(FileRequest::List(ListFiles { path: ".".to_owned(), limit: 1 }))
}

/// The far end of a link, in the test's hands.
pub(crate) struct Peer {
    stream: DuplexStream,
    decoder: FrameDecoder,
}

impl Peer {
    pub(crate) async fn send(&mut self, frame: &Frame) {
        let mut bytes = Vec::new();
        frame.encode(&mut bytes);
        self.stream.write_all(&bytes).await.unwrap();
    }

    async fn answer(&mut self, id: RequestId, total: usize) {
        let answer = Answer::File(FileAnswer::Entries { entries: Vec::new(), total });
        self.send(&Frame::new(FrameKind::Result, id, serde_json::to_vec(&answer).unwrap())).await;
    }

    pub(crate) async fn receive(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.decoder.next_frame().unwrap() {
                return frame;
            }
            let mut bytes = [0; 4096];
            let length = self.stream.read(&mut bytes).await.unwrap();
            assert!(length > 0, "the link was closed");
            self.decoder.extend(&bytes[..length]);
        }
    }

    async fn greet(&mut self, started: &Started) {
        let mut first = [0; PREAMBLE_LENGTH];
        self.stream.read_exact(&mut first).await.unwrap();
        assert_eq!(first, preamble());
        assert_eq!(self.receive().await.kind, FrameKind::Handshake);
        self.stream.write_all(&preamble()).await.unwrap();
        self.send(&Frame::new(FrameKind::Handshake, RequestId::LINK, serde_json::to_vec(started).unwrap())).await;
    }
}

fn ready() -> Started {
    Started::Ready(Ready {
        build: "test".to_owned(),
        isolation: IsolationReport { layers: Vec::new() },
        working_directory: "/".to_owned(),
    })
}

pub(crate) async fn connected() -> (Link, Notices, Peer) {
    let (near, far) = duplex(1 << 20);
    let mut peer = Peer { stream: far, decoder: FrameDecoder::default() };
    let (reader, writer) = tokio::io::split(near);
    let (opening, started) = (open(), ready());
    let (link, ()) = tokio::join!(Link::open(reader, writer, &opening), peer.greet(&started));
    let (link, _, notices) = link.unwrap();
    (link, notices, peer)
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    let (link, _notices, mut peer) = connected().await;
    let (first, second) = (link.request(&turn(), &request()).unwrap(), link.request(&turn(), &request()).unwrap());
    let (one, two) = (peer.receive().await.request, peer.receive().await.request);
    peer.answer(two, 2).await;
    peer.answer(one, 1).await;
    for (pending, expected) in [(first, 1), (second, 2)] {
        let Answer::File(FileAnswer::Entries { total, .. }) = pending.answer().await.unwrap() else { panic!() };
        assert_eq!(total, expected);
    }
}

#[tokio::test]
async fn taken_output_is_granted_again() {
    let (link, _notices, mut peer) = connected().await;
    let mut pending = link.request(&turn(), &request()).unwrap();
    let id = peer.receive().await.request;
    for _ in 0..20 {
        peer.send(&Frame::new(FrameKind::Data, id, vec![7; INITIAL_WINDOW as usize])).await;
        let mut taken = 0;
        while taken < INITIAL_WINDOW {
            let Event::Output(bytes) = pending.next().await.unwrap() else { panic!() };
            taken += bytes.len() as u32;
            assert_eq!(peer.receive().await.granted(), Some(bytes.len() as u32));
        }
    }
}

#[tokio::test]
async fn more_output_than_granted_ends_the_link() {
    let (link, _notices, mut peer) = connected().await;
    let pending = link.request(&turn(), &request()).unwrap();
    let id = peer.receive().await.request;
    peer.send(&Frame::new(FrameKind::Data, id, vec![7; INITIAL_WINDOW as usize])).await;
    peer.send(&Frame::new(FrameKind::Data, id, vec![7; 1])).await;
    assert!(matches!(pending.answer().await, Err(LinkError::Overrun(overrun)) if overrun == id));
    assert!(matches!(link.request(&turn(), &request()), Err(LinkError::Overrun(_))));
}

#[tokio::test]
async fn frames_for_requests_that_never_were_end_the_link() {
    for kind in [FrameKind::Data, FrameKind::Result, FrameKind::Handshake, FrameKind::Cancel] {
        let (link, _notices, mut peer) = connected().await;
        let pending = link.request(&turn(), &request()).unwrap();
        peer.receive().await;
        peer.send(&Frame::new(kind, RequestId(99), *b"x")).await;
        assert!(matches!(pending.answer().await, Err(LinkError::Unexpected { .. })), "{kind:?}");
    }
}

#[tokio::test]
async fn garbage_and_half_frames_end_the_link_for_every_request() {
    for (bytes, closes) in [(&b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"[..], false), (&b"\x05\0\0\0\x07"[..], true)] {
        let (link, _notices, mut peer) = connected().await;
        let all: Vec<_> = (0..3).map(|_| link.request(&turn(), &request()).unwrap()).collect();
        peer.stream.write_all(bytes).await.unwrap();
        if closes {
            peer.stream.shutdown().await.unwrap();
        }
        for pending in all {
            assert!(matches!(pending.answer().await, Err(LinkError::Garbage(_))), "{bytes:?}");
        }
    }
}

#[tokio::test]
async fn the_executors_last_words_are_passed_on() {
    let (link, _notices, mut peer) = connected().await;
    let pending = link.request(&turn(), &request()).unwrap();
    let end = LinkEnd { reason: "out of memory".to_owned() };
    peer.send(&Frame::new(FrameKind::End, RequestId::LINK, serde_json::to_vec(&end).unwrap())).await;
    assert_eq!(pending.answer().await.unwrap_err().to_string(), "executor has ended: out of memory");
}

#[tokio::test]
async fn a_dropped_request_is_given_up_and_its_late_frames_are_let_go() {
    let (link, _notices, mut peer) = connected().await;
    drop(link.request(&turn(), &request()).unwrap());
    let id = peer.receive().await.request;
    let cancel = peer.receive().await;
    assert_eq!((cancel.kind, cancel.request), (FrameKind::Cancel, id));
    peer.send(&Frame::new(FrameKind::Data, id, *b"late")).await;
    peer.answer(id, 0).await;
    peer.send(&Frame::new(FrameKind::Data, id, *b"later")).await;
    let next = link.request(&turn(), &request()).unwrap();
    let id = peer.receive().await.request;
    peer.answer(id, 7).await;
    next.answer().await.unwrap();
}

#[tokio::test]
async fn input_waits_for_credit_and_ends_with_the_request() {
    let (link, _notices, mut peer) = connected().await;
    let pending = link.request(&turn(), &request()).unwrap();
    let id = peer.receive().await.request;
    let input = pending.input();
    let bytes = vec![1; INITIAL_WINDOW as usize + 10];
    let far = async {
        let mut received = 0;
        while received < INITIAL_WINDOW as usize {
            received += peer.receive().await.payload.len();
        }
        assert_eq!(received, INITIAL_WINDOW as usize);
        peer.send(&Frame::credit(id, 4)).await;
        assert_eq!(peer.receive().await.payload.len(), 4);
        peer.answer(id, 0).await;
    };
    // The last six bytes are never granted: the request's end lets go of them.
    tokio::join!(input.send(&bytes), far);
    pending.answer().await.unwrap();
}

#[tokio::test]
async fn a_refusal_carries_its_reason_and_hint() {
    let (near, far) = duplex(1 << 16);
    let mut peer = Peer { stream: far, decoder: FrameDecoder::default() };
    let (reader, writer) = tokio::io::split(near);
    let refused = Started::Refused(Refused { reason: "no landlock".to_owned(), hint: Some("kernel".to_owned()) });
    let opening = open();
    let (link, ()) = tokio::join!(Link::open(reader, writer, &opening), peer.greet(&refused));
    let error = link.map(drop).unwrap_err();
    assert_eq!(error.to_string(), "executor refused to start: no landlock");
    assert_eq!(hermes_proto::Explain::hint(&error).as_deref(), Some("kernel"));
}

#[tokio::test]
async fn a_stranger_at_the_other_end_is_named() {
    let (near, mut far) = duplex(1 << 16);
    let (reader, writer) = tokio::io::split(near);
    far.write_all(b"Welcome to Debian\n").await.unwrap();
    let error = Link::open(reader, writer, &open()).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("Welcome"), "{error}");
}
