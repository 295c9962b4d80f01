//! Answers as they come: text, reasoning, tool calls, usage, in both dialects, streamed or not.

use hermes_model::{Chain, Delivery, Endpoint, Event, FinishReason};
use hermes_proto::message::{Message, ToolCall, Usage};
use hermes_testkit::ModelServer;
use hermes_testkit::model_server::{Gate, Reply, Script};

use crate::support::{PATIENCE, answer, anthropic, ask, events, openai};

type Served = (ModelServer, fn(&ModelServer) -> Endpoint);

fn both(reply: &Reply) -> [Served; 2] {
    [(ModelServer::start([reply.clone()]), openai), (ModelServer::start([reply.clone()]), anthropic)]
}

fn calls(message: &Message) -> Vec<String> {
    message.tool_calls().iter().map(|call| format!("{} {} {}", call.id, call.name, call.arguments)).collect()
}

#[tokio::test]
async fn text_comes_as_it_is_written_and_whole_at_the_end() {
    for (server, endpoint) in both(&Reply::new().then_text(["Hel", "lo ", "ä😀"]).usage(100, 7)) {
        let (events, error) = events(&Chain::new(endpoint(&server), []), &ask("hi")).await;
        assert!(error.is_none(), "{error:?}");
        let texts: Vec<_> =
            events.iter().filter_map(|e| if let Event::Text(text) = e { Some(text.as_str()) } else { None }).collect();
        assert_eq!(texts, ["Hel", "lo ", "ä😀"]);
        let Some(Event::Finished(finished)) = events.last() else { panic!("{events:?}") };
        assert_eq!((finished.reason, finished.message.text().as_str()), (FinishReason::Stop, "Hello ä😀"));
        assert_eq!((finished.usage.input, finished.usage.output), (100, 7));
        assert_eq!(finished.model.to_string(), "lab/m-1");
        assert_eq!(server.requests()[0].key(), Some("key-of-the-test-0123456789"));
    }
}

#[tokio::test]
async fn several_calls_with_fragmented_arguments() {
    let reply = Reply::new()
        .reasoning(["let me ", "see"])
        .then_text(["On it."])
        .call("call_a", "terminal", ["{\"comm", "and\": \"l", "s\"}"])
        .call("call_b", "read_file", ["{}"])
        .call("call_c", "nothing", []);
    for (server, endpoint) in both(&reply) {
        let finished = answer(endpoint(&server), &ask("go")).await.unwrap();
        assert_eq!(finished.reason, FinishReason::ToolCalls);
        assert_eq!(
            calls(&finished.message),
            [r#"call_a terminal {"command": "ls"}"#, "call_b read_file {}", "call_c nothing "]
        );
        let Message::Assistant { text, reasoning: Some(reasoning), .. } = &finished.message else { panic!() };
        assert_eq!((text.as_str(), reasoning.text.as_str()), ("On it.", "let me see"));
    }
}

#[tokio::test]
async fn a_document_instead_of_a_stream_gives_the_same() {
    let reply = Reply::new().reasoning(["hm"]).then_text(["Hello"]).call("call_a", "terminal", ["{\"a\":1}"]);
    for (streamed, whole) in both(&reply).into_iter().zip(both(&reply.clone().as_document())) {
        let expected = answer(streamed.1(&streamed.0), &ask("hi")).await.unwrap();
        let finished = answer(whole.1(&whole.0), &ask("hi")).await.unwrap();
        assert_eq!(finished, expected);
    }
    for (server, endpoint) in both(&reply) {
        let endpoint = Endpoint { delivery: Delivery::Whole, ..endpoint(&server) };
        let finished = answer(endpoint, &ask("hi")).await.unwrap();
        assert_eq!(calls(&finished.message), [r#"call_a terminal {"a":1}"#]);
        assert_eq!(server.requests()[0].body["stream"], false);
    }
}

#[tokio::test]
async fn text_is_told_before_the_answer_is_complete() {
    for dialect in [openai, anthropic] {
        let gate = Gate::new();
        let server = ModelServer::start([Reply::text("first").hold(&gate).then_text(["second"])]);
        let chain = Chain::new(dialect(&server), []);
        let (request, cancellation) = (ask("hi"), tokio_util::sync::CancellationToken::new());
        let mut stream = hermes_model::Model::stream(&chain, &request, &cancellation);
        loop {
            let event = tokio::time::timeout(PATIENCE, stream.next()).await.unwrap().unwrap().unwrap();
            if event == Event::Text("first".to_owned()) {
                break;
            }
        }
        gate.open();
        assert_eq!(stream.finished().await.unwrap().message.text(), "firstsecond");
    }
}

#[tokio::test]
async fn ends_are_told_apart() {
    for (dialect, word, expected) in [
        (openai as fn(&ModelServer) -> Endpoint, "length", FinishReason::Length),
        (openai, "content_filter", FinishReason::ContentFilter),
        (openai, "eos", FinishReason::Stop),
        (openai, "tool_calls", FinishReason::Stop),
        (openai, "function_call", FinishReason::Stop),
        (anthropic, "max_tokens", FinishReason::Length),
        (anthropic, "refusal", FinishReason::ContentFilter),
        (anthropic, "stop_sequence", FinishReason::Stop),
        (anthropic, "pause_turn", FinishReason::Stop),
    ] {
        let server = ModelServer::start([Reply::text("x").finish(word)]);
        assert_eq!(answer(dialect(&server), &ask("hi")).await.unwrap().reason, expected, "{word}");
        let server = ModelServer::start([Reply::new().call("a", "t", ["{}"]).finish("stop")]);
        assert_eq!(answer(dialect(&server), &ask("hi")).await.unwrap().reason, FinishReason::ToolCalls);
    }
}

#[tokio::test]
async fn an_answer_goes_back_as_it_came() {
    for (server, endpoint) in [
        (ModelServer::start([first(), Reply::text("done")]), openai as fn(&ModelServer) -> Endpoint),
        (ModelServer::start([first(), Reply::text("done")]), anthropic),
    ] {
        let mut request = ask("go");
        let finished = answer(endpoint(&server), &request).await.unwrap();
        let results: Vec<_> =
            finished.message.tool_calls().iter().map(|call: &ToolCall| Message::tool_result(call, "ok")).collect();
        request.messages.push(finished.message);
        request.messages.extend(results);
        answer(endpoint(&server), &request).await.unwrap();
        let sent = server.requests()[1].body["messages"].to_string();
        // What the model thought is sent back with it: under its field, or with its signature.
        assert!(
            sent.contains(r#""reasoning_content":"thought""#) || sent.contains(r#""signature":"c2lnbmVk""#),
            "{sent}"
        );
        // One connection serves both requests of one client; two clients are two.
        assert_eq!(server.connections(), 2);
    }
}

fn first() -> Reply {
    Reply::new().reasoning(["thought"]).call("call_a", "terminal", ["{\"command\":\"ls\"}"]).call("call_b", "t", ["{}"])
}

/// The script that benchmarks use: each conversation is answered by what it holds.
#[tokio::test]
async fn the_scripted_calls_end_with_an_answer() {
    for dialect in [openai, anthropic] {
        let server = ModelServer::serve(Script::terminal_calls(3, "true"));
        let mut request = ask("go");
        for _ in 0..3 {
            let message = answer(dialect(&server), &request).await.unwrap().message;
            let result = Message::tool_result(&message.tool_calls()[0], "ok");
            assert_eq!(message.tool_calls()[0].arguments, r#"{"command":"true"}"#);
            request.messages.extend([message, result]);
        }
        assert_eq!(answer(dialect(&server), &request).await.unwrap().message.text(), "All 3 commands have been run.");
    }
}

#[tokio::test]
async fn a_connection_is_used_again() {
    for dialect in [openai, anthropic] {
        let server = ModelServer::start((0..5).map(|_| Reply::text("x")));
        let chain = Chain::new(dialect(&server), []);
        for _ in 0..5 {
            let (_, error) = events(&chain, &ask("hi")).await;
            assert!(error.is_none());
        }
        assert_eq!(server.connections(), 1);
    }
}

#[tokio::test]
async fn tokens_of_the_cache_are_counted() {
    let server = ModelServer::start([Reply::text("x").usage(1000, 5)]);
    let usage = answer(openai(&server), &ask("hi")).await.unwrap().usage;
    assert_eq!(usage, Usage { input: 1000, output: 5, cached_input: 500, ..Usage::default() });
    let stream = concat!(
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,",
        "\"cache_creation_input_tokens\":200,\"cache_read_input_tokens\":3000,\"output_tokens\":1}}}\n\n",
        "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":42}}\n\n",
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    );
    let server = ModelServer::start([Reply::bytes("text/event-stream", [stream.as_bytes()])]);
    let usage = answer(anthropic(&server), &ask("hi")).await.unwrap().usage;
    assert_eq!(usage, Usage { input: 3210, output: 42, cached_input: 3000, cache_write: 200, reasoning: 0 });
}
