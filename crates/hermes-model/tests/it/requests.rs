//! What is sent, held against the providers' published schemas by the server.

use std::sync::Arc;

use hermes_model::{Dialect, Effort, Endpoint, ModelId, Request, ToolSchema};
use hermes_proto::Secret;
use hermes_proto::message::{ContentPart, ImageSource, Message, Reasoning, ToolCall};
use hermes_testkit::ModelServer;
use hermes_testkit::model_server::Reply;
use serde_json::{Value as Json, json};

use crate::support::{answer, anthropic, ask, openai};

const DIALECTS: [fn(&ModelServer) -> Endpoint; 2] = [openai, anthropic];

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "terminal".to_owned(), arguments: arguments.to_owned() }
}

fn calls(text: &str, calls: &[ToolCall]) -> Message {
    Message::Assistant { text: text.to_owned(), reasoning: None, tool_calls: calls.to_vec() }
}

fn tools() -> Arc<[ToolSchema]> {
    ["terminal", "read_file"]
        .map(|name| ToolSchema {
            name: name.to_owned(),
            description: "does it".to_owned(),
            parameters: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
        })
        .into()
}

/// Everything a conversation can hold, and every oddity that earlier providers or broken models leave in it.
fn everything() -> Request {
    let image = |data: &str| ContentPart::Image {
        media_type: "image/png".to_owned(),
        source: ImageSource::Base64(data.to_owned()),
    };
    let odd_id = "call_1|fc_0123456789012345678901234567890123456789";
    let (one, two, three) = (call("call_a", r#"{"command":"ls"}"#), call(odd_id, "not json"), call("call_c", ""));
    let unnamed = ToolCall { name: "no such ✗".to_owned(), ..call("call_d", "[1]") };
    let thought = Reasoning {
        text: "hm".to_owned(),
        replay: Some(json!({"model": "other/model", "data": [{"type": "thinking"}]}).to_string()),
    };
    Request {
        messages: vec![
            Message::system("be kind"),
            Message::User { content: vec![ContentPart::text("look"), image("AA=="), ContentPart::Unknown] },
            calls("", &[one.clone(), two.clone()]),
            Message::Tool {
                call_id: one.id.clone(),
                name: one.name.clone(),
                content: vec![ContentPart::text("ok"), image("BB==")],
            },
            Message::tool_result(&two, ""),
            Message::Assistant {
                text: "so. \n".to_owned(),
                reasoning: Some(thought),
                tool_calls: vec![three.clone(), unnamed.clone()],
            },
            Message::tool_result(&three, "x"),
            Message::tool_result(&unnamed, "Unknown tool"),
            Message::user("and"),
            Message::user("another"),
            Message::assistant(""),
            Message::system("a reminder"),
            Message::user("go on"),
        ],
        tools: tools(),
        max_tokens: Some(500),
        temperature: Some(0.3),
        effort: None,
    }
}

#[tokio::test]
async fn whatever_a_conversation_holds_is_sent_as_the_provider_wants_it() {
    for dialect in DIALECTS {
        let server = ModelServer::start([Reply::text("fine")]);
        answer(dialect(&server), &everything()).await.unwrap();
        let sent = server.requests()[0].body.to_string();
        for part in ["be kind", "a reminder", "AA==", "BB==", "malformed_arguments", "no_such__", "another"] {
            assert!(sent.contains(part), "{part}: {sent}");
        }
        assert!(!sent.contains("hm") && !sent.contains("fc_0123"), "{sent}");
    }
}

#[tokio::test]
async fn a_conversation_cut_at_its_beginning_is_still_one() {
    for dialect in DIALECTS {
        let server = ModelServer::start([Reply::text("fine")]);
        let request = Request::new(vec![Message::system("s"), Message::assistant("earlier"), Message::user("now")]);
        answer(dialect(&server), &request).await.unwrap();
    }
}

/// Somebody may speak while tools run; with Anthropic the results have to come first all the same.
#[tokio::test]
async fn results_stand_before_what_was_said_meanwhile() {
    let server = ModelServer::start([Reply::text("fine")]);
    let (one, two) = (call("a", "{}"), call("b", "{}"));
    let messages = vec![
        Message::user("go"),
        calls("", &[one.clone(), two.clone()]),
        Message::tool_result(&one, "1"),
        Message::user("hurry"),
        Message::tool_result(&two, "2"),
    ];
    answer(anthropic(&server), &Request::new(messages)).await.unwrap();
}

#[tokio::test]
async fn the_server_notices_a_wrong_conversation() {
    for dialect in DIALECTS {
        let server = ModelServer::start([Reply::text("never")]);
        let request = Request::new(vec![Message::user("x"), calls("", &[call("a", "{}")]), Message::user("y")]);
        assert!(answer(dialect(&server), &request).await.is_err());
        assert!(!server.forgive().is_empty());
    }
}

#[tokio::test]
async fn the_beginning_is_marked_for_the_cache_and_stays_the_same() {
    let server = ModelServer::start([Reply::text("a"), Reply::text("b")]);
    let mut request = everything();
    answer(anthropic(&server), &request).await.unwrap();
    request.messages.extend([Message::assistant("a"), Message::user("next")]);
    answer(anthropic(&server), &request).await.unwrap();
    let bodies: Vec<Json> = server.requests().into_iter().map(|request| request.body).collect();
    for body in &bodies {
        assert!(body["system"].as_array().unwrap().last().unwrap().get("cache_control").is_some());
        assert!(body["tools"].as_array().unwrap().last().unwrap().get("cache_control").is_some());
        let marked = |message: &&Json| {
            message["content"].as_array().is_some_and(|blocks| blocks.last().unwrap().get("cache_control").is_some())
        };
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(messages.iter().filter(marked).count(), 2);
        assert!(messages.last().unwrap()["content"].as_array().unwrap().last().unwrap().get("cache_control").is_some());
    }
    // What was marked last is marked again, so that the next request finds it in the cache.
    let [first, second] = &bodies[..] else { panic!() };
    assert_eq!((&first["system"], &first["tools"]), (&second["system"], &second["tools"]));
    let last = first["messages"].as_array().unwrap().len() - 1;
    assert_eq!(first["messages"][last], second["messages"][last]);
}

#[tokio::test]
async fn effort_is_asked_for_in_each_providers_words() {
    let request = |effort| Request { effort: Some(effort), temperature: Some(1.0), ..ask("hi") };
    let server = ModelServer::start([Reply::text("x"), Reply::text("x"), Reply::text("x"), Reply::text("x")]);
    answer(openai(&server), &request(Effort::High)).await.unwrap();
    let named = |model: &str| Endpoint { id: ModelId::new("lab", model), ..anthropic(&server) };
    answer(named("claude-sonnet-4-5"), &request(Effort::High)).await.unwrap();
    answer(named("claude-opus-4-7"), &request(Effort::Minimal)).await.unwrap();
    // After calls whose thoughts are not known, thinking has to rest.
    let mut tool_turn = request(Effort::High);
    tool_turn.messages.extend([calls("", &[call("a", "{}")]), Message::tool_result(&call("a", ""), "ok")]);
    tool_turn.tools = tools();
    answer(named("claude-sonnet-4-5"), &tool_turn).await.unwrap();
    let sent: Vec<Json> = server.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(sent[0]["reasoning_effort"], "high");
    assert_eq!(sent[1]["thinking"], json!({"type": "enabled", "budget_tokens": 16000}));
    assert_eq!(
        (&sent[2]["thinking"], &sent[2]["output_config"]),
        (&json!({"type": "adaptive"}), &json!({"effort": "low"}))
    );
    assert!(sent[3].get("thinking").is_none());
}

#[tokio::test]
async fn settings_and_headers_go_with_the_request() {
    for dialect in DIALECTS {
        let server = ModelServer::start([Reply::text("x")]);
        let mut endpoint = Endpoint { max_tokens: Some(99), ..dialect(&server) };
        endpoint.headers.insert("x-team".to_owned(), Secret::new("blue"));
        endpoint.extra_body.insert("temperature".to_owned(), json!(0.5));
        answer(endpoint, &ask("hi")).await.unwrap();
        let request = &server.requests()[0];
        assert_eq!((&request.body["temperature"], &request.body["max_tokens"]), (&json!(0.5), &json!(99)));
        assert_eq!(request.headers["x-team"], "blue");
        assert!(request.headers["user-agent"].starts_with("hermes/"));
    }
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_told_without_its_value() {
    let server = ModelServer::start([]);
    let mut endpoint = openai(&server);
    endpoint.headers.insert("x-team".to_owned(), Secret::new("bl\nue-secret"));
    let error = answer(endpoint, &ask("hi")).await.unwrap_err();
    assert!(error.to_string().contains("x-team") && !format!("{error:?}").contains("secret"), "{error}");
}

#[tokio::test]
async fn images_are_read_from_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    std::fs::write(&path, b"\x89PNG").unwrap();
    let image = |path: &std::path::Path| {
        let source = ImageSource::Path(path.display().to_string());
        Request::new(vec![Message::User {
            content: vec![ContentPart::text("see"), ContentPart::Image { media_type: "image/png".to_owned(), source }],
        }])
    };
    for dialect in DIALECTS {
        let server = ModelServer::start([Reply::text("x")]);
        answer(dialect(&server), &image(&path)).await.unwrap();
        assert!(server.requests()[0].body.to_string().contains("iVBORw=="));
        for missing in [folder.path().join("none.png"), folder.path().to_owned(), "/dev/zero".into()] {
            let error = answer(dialect(&server), &image(&missing)).await.unwrap_err();
            assert!(error.to_string().contains(&missing.display().to_string()), "{error}");
        }
    }
}

#[tokio::test]
async fn a_login_of_anthropic_is_shown_as_one() {
    // Only the real host takes it; here the dialect's two headers are what is seen.
    let server = ModelServer::start([Reply::text("x")]);
    answer(anthropic(&server), &ask("hi")).await.unwrap();
    let request = &server.requests()[0];
    assert_eq!(request.headers["anthropic-version"], "2023-06-01");
    assert!(request.headers.contains_key("x-api-key"));
    assert_eq!(request.path, "/v1/messages");
    let server = ModelServer::start([Reply::text("x")]);
    let endpoint = Endpoint {
        base_url: format!("{}/v1/", server.anthropic_url()),
        dialect: Dialect::AnthropicMessages,
        ..anthropic(&server)
    };
    answer(endpoint, &ask("hi")).await.unwrap();
    assert_eq!(server.requests()[0].path, "/v1/messages");
}
