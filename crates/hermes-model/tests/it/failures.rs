//! What goes wrong, and what is done about it.

use std::time::Duration;

use hermes_home::credentials::ApiKey;
use hermes_model::{
    Chain, Dialect, Endpoint, Event, KeyCommand, KeyNeed, Model, ModelError, ModelId, Phase, Retries, Timeouts,
};
use hermes_proto::{Explain, Fault, HostEnvironment, Secret};
use hermes_testkit::ModelServer;
use hermes_testkit::model_server::{Gate, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::support::{PATIENCE, answer, anthropic, ask, endpoint, events, kind, openai};

fn keys(names: &[&str]) -> Vec<Secret> {
    names.iter().map(|name| ApiKey::parse(name).unwrap().secret().clone()).collect()
}

fn restarts(events: &[Event]) -> Vec<(String, Duration)> {
    let restart = |event: &Event| match event {
        Event::Restarted { because, wait, .. } => Some((because.clone(), *wait)),
        _ => None,
    };
    events.iter().filter_map(restart).collect()
}

fn last_text(events: &[Event]) -> String {
    match events.last() {
        Some(Event::Finished(finished)) => finished.message.text(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    for dialect in [openai, anthropic] {
        let server = ModelServer::start([
            Reply::rate_limited("0"),
            Reply::status(503, "try later"),
            Reply::hang_up(),
            Reply::text("at last"),
        ]);
        let (events, error) = events(&Chain::new(dialect(&server), []), &ask("hi")).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(last_text(&events), "at last");
        let because: Vec<_> = restarts(&events).into_iter().map(|(because, _)| because).collect();
        assert!(because[0].starts_with("lab is asked too often: Rate limit reached"), "{because:?}");
        assert!(because[1].starts_with("lab failed (HTTP 503): try later"), "{because:?}");
        assert!(because[2].starts_with("the connection to lab broke off"), "{because:?}");
        assert_eq!(server.requests().len(), 4);
    }
}

#[tokio::test]
async fn attempts_have_an_end() {
    let server = ModelServer::start((0..4).map(|_| Reply::status(500, "broken")));
    let error = answer(openai(&server), &ask("hi")).await.unwrap_err();
    assert_eq!((kind(&error).as_str(), error.fault()), ("ServerBroken", Fault::TryAgain));
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let server = ModelServer::start([Reply::rate_limited("1"), Reply::text("x")]);
    let began = std::time::Instant::now();
    let (events, _) = events(&Chain::new(openai(&server), []), &ask("hi")).await;
    assert_eq!(restarts(&events)[0].1, Duration::from_secs(1));
    assert!(began.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn what_does_not_pass_is_told_at_once_with_a_hint() {
    let quota = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    let policy = r#"{"error":{"message":"flagged","code":"content_policy_violation"}}"#;
    for (reply, expected, hint) in [
        (Reply::wrong_key(), "WrongKey", "hermes auth add lab"),
        (Reply::status(429, quota), "Quota", "plan"),
        (Reply::status(400, r#"{"error":{"code":"context_length_exceeded"}}"#), "ContextTooLong", "compress"),
        (Reply::status(404, r#"{"error":{"code":"model_not_found"}}"#), "ModelUnknown", "hermes model list lab"),
        (Reply::status(400, policy), "ContentPolicy", "differently"),
        (Reply::new().finish("content_filter"), "ContentPolicy", "differently"),
        (Reply::status(422, "{}"), "RequestRefused", ""),
        (Reply::status(302, "").header("location", "http://127.0.0.1:1/steal"), "RequestRefused", ""),
    ] {
        let server = ModelServer::start([reply]);
        let error = answer(openai(&server), &ask("hi")).await.unwrap_err();
        assert_eq!(kind(&error), expected, "{error}");
        assert!(error.hint().unwrap_or_default().contains(hint), "{error}: {:?}", error.hint());
        assert_eq!(server.requests().len(), 1, "{error}");
    }
}

#[tokio::test]
async fn a_refused_key_rests_and_the_next_is_used() {
    let server = ModelServer::start([
        Reply::wrong_key(),
        Reply::status(429, r#"{"error":{"code":"insufficient_quota"}}"#),
        Reply::text("third"),
        Reply::text("again"),
    ]);
    let chain = Chain::new(Endpoint { keys: keys(&["key-1", "key-2", "key-3"]), ..openai(&server) }, []);
    let (first, error) = events(&chain, &ask("hi")).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(last_text(&first), "third");
    assert!(restarts(&first).iter().all(|(_, wait)| wait.is_zero()));
    let (second, _) = events(&chain, &ask("hi")).await;
    assert_eq!(last_text(&second), "again");
    let used: Vec<_> = server.requests().iter().map(|request| request.key().unwrap().to_owned()).collect();
    assert_eq!(used, ["key-1", "key-2", "key-3", "key-3"], "the refused ones are not tried first again");
}

#[tokio::test]
async fn when_all_keys_are_refused_the_last_refusal_is_told() {
    let server = ModelServer::start([Reply::wrong_key(), Reply::wrong_key()]);
    let chain = Chain::new(Endpoint { keys: keys(&["key-1", "key-2"]), ..openai(&server) }, []);
    assert_eq!(kind(&events(&chain, &ask("hi")).await.1.unwrap()), "WrongKey");
    assert_eq!(kind(&events(&chain, &ask("hi")).await.1.unwrap()), "KeysResting");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let server = ModelServer::start([]);
    let need = KeyNeed::Required { variable: Some("LAB_API_KEY".to_owned()) };
    let error = answer(Endpoint { keys: Vec::new(), key_need: need, ..openai(&server) }, &ask("hi")).await.unwrap_err();
    assert_eq!(kind(&error), "NoKey");
    assert!(error.hint().unwrap().contains("LAB_API_KEY"));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_command_prints_the_key_when_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let counter = folder.path().join("counter");
    let script = format!("echo x >> {0}; printf 'printed-%s\\n' $(wc -l < {0})", counter.display());
    let environment = HostEnvironment::from_pairs([("PATH", "/usr/bin:/bin")]);
    let server = ModelServer::start([
        Reply::text("a"),
        Reply::wrong_key(),
        Reply::text("b"),
        Reply::wrong_key(),
        Reply::wrong_key(),
    ]);
    let command = Some(KeyCommand::new(script, &environment));
    let chain = Chain::new(Endpoint { keys: Vec::new(), key_command: command, ..openai(&server) }, []);
    assert!(!counter.exists());
    assert_eq!(last_text(&events(&chain, &ask("hi")).await.0), "a");
    // It ran out in the meantime: it is printed anew, once.
    assert_eq!(last_text(&events(&chain, &ask("hi")).await.0), "b");
    assert_eq!(kind(&events(&chain, &ask("hi")).await.1.unwrap()), "WrongKey");
    let used: Vec<_> = server.requests().iter().map(|request| request.key().unwrap().to_owned()).collect();
    assert_eq!(used, ["printed-1", "printed-1", "printed-2", "printed-2", "printed-3"]);
    for (script, told) in
        [("exit 3", "exit code 3"), ("true", "the API key is empty"), ("echo secret; exit 1", "exit code 1")]
    {
        let command = Some(KeyCommand::new(script, &environment));
        let error = answer(Endpoint { keys: Vec::new(), key_command: command, ..openai(&server) }, &ask("hi"))
            .await
            .unwrap_err();
        assert!(error.to_string().contains(told) && !error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn another_model_stands_in() {
    let first = ModelServer::start([Reply::status(404, r#"{"error":{"code":"model_not_found"}}"#)]);
    let second = ModelServer::start((0..4).map(|_| Reply::status(500, "")));
    let third = ModelServer::start([Reply::text("me")]);
    let other = |server: &ModelServer, name: &str| Endpoint { id: ModelId::new(name, "m-2"), ..anthropic(server) };
    let chain = Chain::new(openai(&first), [other(&second, "second"), other(&third, "third")]);
    let (events, error) = events(&chain, &ask("hi")).await;
    assert!(error.is_none(), "{error:?}");
    let Some(Event::Finished(finished)) = events.last() else { panic!("{events:?}") };
    assert_eq!((finished.message.text().as_str(), finished.model.to_string().as_str()), ("me", "third/m-2"));
    assert_eq!((first.requests().len(), second.requests().len()), (1, 4));
    assert_eq!(chain.id().to_string(), "lab/m-1");
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_not_moved_to_another_model() {
    let first = ModelServer::start([Reply::status(400, r#"{"error":{"code":"context_length_exceeded"}}"#)]);
    let second = ModelServer::start([]);
    let (_, error) = events(&Chain::new(openai(&first), [openai(&second)]), &ask("hi")).await;
    assert_eq!((kind(&error.unwrap()).as_str(), second.requests().len()), ("ContextTooLong", 0));
}

#[tokio::test]
async fn a_long_wait_is_not_made_where_another_model_can_answer() {
    let (first, second) = (ModelServer::start([Reply::rate_limited("3600")]), ModelServer::start([Reply::text("me")]));
    let chain = Chain::new(openai(&first), [openai(&second)]);
    assert_eq!(last_text(&events(&chain, &ask("hi")).await.0), "me");
}

#[tokio::test]
async fn a_failure_in_the_middle_starts_the_answer_anew_and_says_so() {
    for dialect in [openai, anthropic] {
        for broken in [Reply::text("half").disconnect(), Reply::text("half").error("overloaded")] {
            let server = ModelServer::start([broken, Reply::text("whole")]);
            let (events, error) = events(&Chain::new(dialect(&server), []), &ask("hi")).await;
            assert!(error.is_none(), "{error:?}");
            let place = events.iter().position(|event| matches!(event, Event::Restarted { .. })).unwrap();
            assert!(events[..place].contains(&Event::Text("half".to_owned())));
            assert!(!events[place..].contains(&Event::Text("half".to_owned())));
            assert_eq!(last_text(&events), "whole");
        }
        let server = ModelServer::start([Reply::text("a").disconnect(), Reply::text("b").disconnect()]);
        let error = answer(dialect(&server), &ask("hi")).await.unwrap_err();
        assert_eq!((kind(&error).as_str(), server.requests().len()), ("Disconnected", 2));
    }
}

#[tokio::test]
async fn each_wait_has_its_limit() {
    let short = Duration::from_millis(150);
    let gate = Gate::new();
    let once = Retries { attempts: 1, ..Retries::default() };
    let dribble = (0..1000).fold(Reply::new(), |reply, _| reply.then_text(["x"]));
    let cases = [
        (Timeouts { first_byte: short, ..Timeouts::default() }, Reply::never(), Phase::FirstByte),
        (
            Timeouts { first_byte: short, ..Timeouts::default() },
            Reply::bytes("text/event-stream", []).silence(),
            Phase::FirstByte,
        ),
        (Timeouts { silence: short, ..Timeouts::default() }, Reply::text("x").silence(), Phase::Silence),
        (Timeouts { whole: short, ..Timeouts::default() }, dribble.hold(&gate), Phase::Whole),
    ];
    for (timeouts, reply, expected) in cases {
        let server = ModelServer::start([reply.clone(), reply]);
        let error = answer(Endpoint { timeouts, retries: once, ..openai(&server) }, &ask("hi")).await.unwrap_err();
        assert!(matches!(&error, ModelError::TimedOut { phase, .. } if *phase == expected), "{error:?}");
        // The server sees that nobody waits any more.
        tokio::time::timeout(PATIENCE, server.abandoned(1)).await.unwrap();
    }
}

#[tokio::test]
async fn a_connection_that_is_never_accepted_times_out() {
    // A listener whose queue is full accepts nobody: the handshake's packets are dropped.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(200), tokio::net::TcpStream::connect(address)).await
    {
        waiting.push(stream);
    }
    let timeouts = Timeouts { connect: Duration::from_millis(100), ..Timeouts::default() };
    let once = Retries { attempts: 1, ..Retries::default() };
    let endpoint =
        Endpoint { timeouts, retries: once, ..endpoint(Dialect::ChatCompletions, format!("http://{address}/v1")) };
    let error = answer(endpoint, &ask("hi")).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { phase: Phase::Connect, .. }), "{error:?}");
}

#[tokio::test]
async fn nobody_at_the_address_is_told_as_that() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let unreachable = endpoint(Dialect::ChatCompletions, format!("http://user:hunter2@{address}/v1"));
    let error = answer(unreachable, &ask("hi")).await.unwrap_err();
    assert_eq!(kind(&error), "NotReachable");
    assert!(
        error.to_string().contains("Connection refused") && error.to_string().contains(&address.to_string()),
        "{error}"
    );
    assert!(!format!("{error:?} {error}").contains("hunter2"), "{error:?}");
    let nameless = endpoint(Dialect::ChatCompletions, "http://no-such-host.invalid/v1".to_owned());
    assert_eq!(kind(&answer(nameless, &ask("hi")).await.unwrap_err()), "NotReachable");
}

#[tokio::test]
async fn cancelling_closes_the_connection_at_once() {
    for dialect in [openai, anthropic] {
        for reply in [Reply::never(), Reply::text("first").hold(&Gate::new())] {
            let server = ModelServer::start([reply]);
            let chain = Chain::new(dialect(&server), []);
            let (request, cancellation) = (ask("hi"), CancellationToken::new());
            let mut stream = chain.stream(&request, &cancellation);
            let outcome = tokio::time::timeout(PATIENCE, async {
                loop {
                    tokio::select! {
                        () = server.received(1) => cancellation.cancel(),
                        event = stream.next() => if let Some(Err(error)) = event { break error },
                    }
                }
            });
            assert_eq!(kind(&outcome.await.unwrap()), "Cancelled");
            tokio::time::timeout(PATIENCE, server.abandoned(1)).await.unwrap();
            assert!(stream.next().await.is_none());
        }
    }
}

#[tokio::test]
async fn cancelling_ends_a_wait_between_attempts() {
    let server = ModelServer::start([Reply::rate_limited("300")]);
    let chain = Chain::new(openai(&server), []);
    let (request, cancellation) = (ask("hi"), CancellationToken::new());
    let mut stream = chain.stream(&request, &cancellation);
    assert!(matches!(stream.next().await, Some(Ok(Event::Restarted { .. }))));
    cancellation.cancel();
    let ended = tokio::time::timeout(PATIENCE, stream.next()).await.unwrap();
    assert!(matches!(ended, Some(Err(ModelError::Cancelled))));
}

#[tokio::test]
async fn a_server_that_floods_is_stopped() {
    let line = [b"data: ".as_slice(), &vec![b'x'; 1024 * 1024]].concat();
    let pieces: Vec<&[u8]> = std::iter::repeat_n(line.as_slice(), 20).collect();
    let server = ModelServer::start([Reply::bytes("text/event-stream", pieces)]);
    let error = answer(openai(&server), &ask("hi")).await.unwrap_err();
    assert_eq!(error.to_string(), "an event in the answer of lab has more than 8388608 bytes");
    let chunk = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "y".repeat(1024 * 1024));
    let pieces: Vec<&[u8]> = std::iter::repeat_n(chunk.as_bytes(), 70).collect();
    let server = ModelServer::start([Reply::bytes("text/event-stream", pieces)]);
    assert_eq!(kind(&answer(openai(&server), &ask("hi")).await.unwrap_err()), "TooLarge");
}

#[tokio::test]
async fn a_refusal_without_end_is_read_in_part() {
    let page = "<p>no </p>".repeat(10 * 1024 * 1024);
    let reply = Reply::status(400, &page);
    let server = ModelServer::start([reply]);
    let error = answer(openai(&server), &ask("hi")).await.unwrap_err();
    assert!(error.to_string().len() < 600, "{error}");
}

#[tokio::test]
async fn no_key_is_ever_shown() {
    let secret = "sk-lab-very-secret-0123456789abcdef";
    let echo = format!(r#"{{"error":{{"message":"Incorrect API key provided: {secret}"}}}}"#);
    let server = ModelServer::start([Reply::status(401, &echo), Reply::status(400, &echo.replace("Incorrect", "Odd"))]);
    let chain = Chain::new(Endpoint { keys: keys(&[secret]), ..openai(&server) }, []);
    for _ in 0..2 {
        let (events, error) = events(&chain, &ask("hi")).await;
        let error = error.unwrap();
        let all = format!("{events:?} {error} {error:?} {:?} {chain:?}", error.hint());
        assert!(!all.contains("0123456789"), "{all}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_told_as_malformed() {
    for body in ["data: {\"choices\": [\n\n", "{\"hello\": 1}", "{\"choices\": [", "<html>not an API</html>", ""] {
        let reply = || Reply::bytes("text/event-stream", [body.as_bytes()]);
        let server = ModelServer::start([reply(), reply()]);
        let error = answer(openai(&server), &ask("hi")).await.unwrap_err();
        assert!(["Malformed", "CutOff"].contains(&kind(&error).as_str()), "{body}: {error:?}");
        assert_eq!(server.requests().len(), 2, "tried twice, not more");
    }
}

/// A server that resets the connection instead of closing it.
#[tokio::test]
async fn a_reset_connection_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answering = async {
        let (stream, _) = listener.accept().await.unwrap();
        // Unread bytes and no lingering: the kernel answers with a reset.
        socket_reset(stream);
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 64];
        assert!(stream.read(&mut head).await.unwrap() > 0);
        let body = r#"{"choices":[{"message":{"content":"back"},"finish_reason":"stop"}]}"#;
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream
    };
    let request = ask("hi");
    let asking = answer(endpoint(Dialect::ChatCompletions, format!("http://{address}/v1")), &request);
    let (stream, finished) = tokio::join!(answering, asking);
    drop(stream);
    assert_eq!(finished.unwrap().message.text(), "back");
}

fn socket_reset(stream: tokio::net::TcpStream) {
    stream.set_zero_linger().unwrap();
    drop(stream);
}
