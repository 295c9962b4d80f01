//! The holder's socket in the hands of callers that keep the rules and callers that do not.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use hermes_proto::executor::{
    Answer, Attach, FileRequest, Frame, FrameDecoder, FrameKind, INITIAL_WINDOW, LinkEnd, ListFiles, MessageAssembler,
    OutputLimits, PREAMBLE_LENGTH, Request, RequestFailure, RequestId, RunCommand, Stdin, preamble,
};

use super::{PATIENCE, Place, Server, is_marked_process_there, marker, until};

/// A caller that writes its frames itself.
pub(super) struct Caller {
    stream: UnixStream,
    decoder: FrameDecoder,
    assembler: MessageAssembler,
}

impl Caller {
    fn connect(place: &Place) -> Self {
        let stream = UnixStream::connect(place.sandbox.file("exec.sock")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (decoder, assembler) = Default::default();
        Self { stream, decoder, assembler }
    }

    pub(super) fn attach(place: &Place, key: &str) -> Self {
        let mut caller = Self::connect(place);
        let working_directory = place.workspace().to_str().unwrap().to_owned();
        let attach = Attach { build: "test".to_owned(), session: key.parse().unwrap(), working_directory };
        caller.stream.write_all(&preamble()).unwrap();
        caller.send(FrameKind::Handshake, 0, serde_json::to_vec(&attach).unwrap());
        let mut first = [0; PREAMBLE_LENGTH];
        caller.stream.read_exact(&mut first).unwrap();
        assert_eq!(first, preamble());
        assert_eq!(caller.receive().unwrap().kind, FrameKind::Handshake);
        caller
    }

    fn send(&mut self, kind: FrameKind, id: u32, payload: impl Into<Vec<u8>>) {
        let mut bytes = Vec::new();
        Frame::new(kind, RequestId(id), payload).encode(&mut bytes);
        self.stream.write_all(&bytes).unwrap();
    }

    fn request(&mut self, id: u32, request: &Request) {
        self.send(FrameKind::Request, id, serde_json::to_vec(request).unwrap());
    }

    pub(super) fn run(&mut self, id: u32, text: &str) {
        self.request(id, &command(text, Stdin::Closed));
    }

    pub(super) fn grant(&mut self, id: u32, bytes: u32) {
        self.send(FrameKind::Credit, id, bytes.to_le_bytes());
    }

    /// The next frame; `None` when the connection was closed.
    fn receive(&mut self) -> Option<Frame> {
        loop {
            while let Some(frame) = self.decoder.next_frame().unwrap() {
                if let Some(frame) = self.assembler.take(frame).unwrap() {
                    return Some(frame);
                }
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) => return None,
                Ok(length) => self.decoder.extend(&bytes[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Takes all output that may be sent for a request before anything is granted.
    fn receive_window(&mut self, id: u32) {
        let mut window = INITIAL_WINDOW as usize;
        while window > 0 {
            let frame = self.receive().unwrap();
            assert!(frame.kind == FrameKind::Data && frame.request == RequestId(id) && frame.payload.len() <= window);
            window -= frame.payload.len();
        }
    }

    /// The answer to a request, and the output before it.
    fn answer(&mut self, id: u32) -> (Vec<u8>, Answer) {
        let mut output = Vec::new();
        loop {
            let frame = self.receive().expect("the connection was closed");
            match (frame.kind, frame.request == RequestId(id)) {
                (FrameKind::Data, true) => output.extend_from_slice(&frame.payload),
                (FrameKind::Result, true) => return (output, serde_json::from_slice(&frame.payload).unwrap()),
                _ => {}
            }
        }
    }

    /// Why the holder ended the connection.
    fn end_reason(&mut self) -> String {
        let mut reason = String::new();
        while let Some(frame) = self.receive() {
            if frame.kind == FrameKind::End {
                reason = serde_json::from_slice::<LinkEnd>(&frame.payload).unwrap().reason;
            }
        }
        reason
    }
}

fn command(text: &str, stdin: Stdin) -> Request {
    Request::Run(RunCommand {
        command: text.to_owned(),
        environment: vec![
            ("FORGED".to_owned(), "yes".to_owned()),
            ("HERMES_SESSION_KEY".to_owned(), "forged".to_owned()),
        ],
        working_directory: None,
        timeout_ms: None,
        stdin,
        streams_output: true,
        limits: OutputLimits::default(),
    })
}

fn result(answer: Answer) -> hermes_proto::executor::CommandResult {
    let Answer::Command(result) = answer else { panic!("{answer:?}") };
    result
}

#[test]
fn one_connection_has_several_requests_at_once() {
    let place = Place::new();
    let _server = Server::start(&place);
    let mut caller = Caller::attach(&place, "one");
    caller.request(1, &command("cat", Stdin::Streamed));
    caller.run(2, "echo second $FORGED $HERMES_SESSION_KEY");
    assert_eq!(caller.answer(2).0, b"second one\n");
    caller.send(FrameKind::Data, 1, *b"first");
    caller.send(FrameKind::EndOfInput, 1, []);
    let (output, answer) = caller.answer(1);
    assert_eq!((output.as_slice(), result(answer).output.as_str()), (&b"first"[..], "first"));
}

#[test]
fn output_is_sent_as_far_as_it_was_granted() {
    let place = Place::new();
    let _server = Server::start(&place);
    let mut caller = Caller::attach(&place, "one");
    caller.run(1, "head -c 1000000 /dev/zero");
    caller.receive_window(1);
    caller.grant(1, 10);
    assert_eq!(caller.receive().unwrap().payload.len(), 10);
    caller.grant(1, 1_000_000);
    let (rest, answer) = caller.answer(1);
    assert_eq!((rest.len(), result(answer).exit_code), (1_000_000 - INITIAL_WINDOW as usize - 10, 0));
}

#[test]
fn who_wants_only_the_result_gets_only_that() {
    let place = Place::new();
    let _server = Server::start(&place);
    let mut caller = Caller::attach(&place, "one");
    let Request::Run(flood) = command("head -c 1000000 /dev/zero | tr '\\0' x", Stdin::Closed) else { panic!() };
    caller.request(1, &Request::Run(RunCommand { streams_output: false, ..flood }));
    let (output, answer) = caller.answer(1);
    assert_eq!((output.len(), result(answer).total_characters), (0, 1_000_000));
}

#[test]
fn a_cancelled_command_is_interrupted_and_answered() {
    let place = Place::new();
    let _server = Server::start(&place);
    let mut caller = Caller::attach(&place, "one");
    caller.run(1, "yes");
    // Nothing is granted, so that the holder has output that it cannot get rid of.
    caller.receive_window(1);
    caller.send(FrameKind::Cancel, 1, []);
    assert_eq!(result(caller.answer(1).1).exit_code, 130);
    caller.run(2, "echo next");
    assert_eq!(caller.answer(2).0, b"next\n");
}

#[test]
fn what_is_not_a_command_is_answered_clearly() {
    let place = Place::new();
    let _server = Server::start(&place);
    let mut caller = Caller::attach(&place, "one");
    caller.request(1, &Request::File(FileRequest::List(ListFiles { path: "/".to_owned(), limit: 9 })));
    caller.send(FrameKind::Request, 2, *b"{\"fly\": true}");
    for (id, text) in [(1, "only commands can be run"), (2, "unknown variant")] {
        let Answer::Failed(failure @ RequestFailure::Invalid { .. }) = caller.answer(id).1 else { panic!() };
        assert!(failure.to_string().contains(text), "{failure}");
    }
    for id in 3..=30 {
        caller.request(id, &command("cat", Stdin::Streamed));
    }
    assert!(matches!(caller.answer(30).1, Answer::Failed(RequestFailure::Busy { .. })));
    caller.send(FrameKind::EndOfInput, 3, []);
    assert_eq!(result(caller.answer(3).1).exit_code, 0);
}

#[test]
fn a_caller_that_goes_takes_its_commands_with_it() {
    let place = Place::new();
    let server = Server::start(&place);
    let marker = marker("gone");
    let mut caller = Caller::attach(&place, "one");
    let sleepers = format!("export MARK={marker}; (setsid sleep 1000 &); setsid bash -c 'trap \"\" TERM; sleep 1000'");
    caller.run(1, &sleepers);
    until("the command runs", || is_marked_process_there(&marker));
    drop(caller);
    until("the command ends", || !is_marked_process_there(&marker));
    assert_eq!((server.executors().len(), place.in_session("one", "echo fine").as_str()), (1, "fine\n"));
}

/// Breaks the rules in one connection, while another one of the same session has a command running.
fn check_ended(expected: &str, misbehave: impl FnOnce(&mut Caller)) {
    let place = Place::new();
    let _server = Server::start(&place);
    let mut bystander = Caller::attach(&place, "one");
    bystander.request(1, &command("cat", Stdin::Streamed));
    let mut caller = Caller::attach(&place, "one");
    misbehave(&mut caller);
    let reason = caller.end_reason();
    assert!(reason.contains(expected), "{reason:?} is not about {expected:?}");
    bystander.send(FrameKind::Data, 1, *b"unharmed");
    bystander.send(FrameKind::EndOfInput, 1, []);
    assert_eq!(bystander.answer(1).0, b"unharmed");
}

#[test]
fn garbage_ends_the_connection_it_came_on_and_no_other() {
    check_ended("unknown kind", |caller| caller.stream.write_all(&[0xff; 64]).unwrap());
    check_ended("longer than", |caller| caller.stream.write_all(&[0xff, 0xff, 0xff, 0x7f, 2, 1, 0, 0, 0]).unwrap());
}

#[test]
fn a_half_frame_ends_the_connection() {
    check_ended("inside a frame", |caller| {
        caller.stream.write_all(&[9, 0, 0, 0, 2]).unwrap();
        caller.stream.shutdown(std::net::Shutdown::Write).unwrap();
    });
}

#[test]
fn frames_out_of_place_end_the_connection() {
    check_ended("is not open", |caller| caller.send(FrameKind::Data, 5, *b"x"));
    check_ended("is not open", |caller| caller.send(FrameKind::Cancel, 0, []));
    check_ended("has no place here", |caller| caller.send(FrameKind::Result, 1, *b"{}"));
    check_ended("does not come after", |caller| caller.request(0, &command("true", Stdin::Closed)));
    check_ended("does not come after", |caller| {
        caller.run(4, "true");
        caller.run(4, "true");
    });
    check_ended("four bytes", |caller| {
        caller.run(1, "sleep 1000");
        caller.send(FrameKind::Credit, 1, *b"xyz");
    });
}

#[test]
fn more_input_than_was_granted_ends_the_connection() {
    check_ended("more input than was allowed", |caller| {
        caller.request(1, &command("sleep 1000", Stdin::Streamed));
        let mut bytes = Vec::new();
        for _ in 0..3 {
            Frame::new(FrameKind::Data, RequestId(1), vec![0; INITIAL_WINDOW as usize]).encode(&mut bytes);
        }
        // The holder may have heard enough before all of it is written.
        let _ = caller.stream.write_all(&bytes);
    });
}

/// Something that is not a caller at all is dropped; the holder goes on.
#[test]
fn strangers_words_are_not_answered() {
    let place = Place::new();
    let _server = Server::start(&place);
    for words in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"hermes\xff\xff", b"herm", b""] {
        let mut caller = Caller::connect(&place);
        caller.stream.write_all(words).unwrap();
        caller.stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(caller.receive().is_none());
    }
    let mut caller = Caller::connect(&place);
    caller.stream.write_all(&preamble()).unwrap();
    caller.send(FrameKind::Handshake, 0, *br#"{"build":"x","session":"a\nb","working_directory":"/"}"#);
    assert!(caller.receive().is_none());
    assert_eq!(place.in_session("one", "echo fine"), "fine\n");
}
