//! Webhooks: signed requests become turns that nobody watches, and what comes of them is told where the route says.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hermes_agent::ToolReply;
use hermes_gateway::Content;
use hermes_gateway::platforms::webhook::sign;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::ground::{Ground, PATIENCE, Running};

const SECRET: &str = "a-secret-of-many-letters";

/// What was answered: its status, its headers and its body.
struct Answer {
    status: u16,
    head: String,
    body: Value,
}

async fn send(running: &Running, request: &str) -> Answer {
    let address = running.webhook.as_ref().unwrap().address().await.unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that refuses early may close before it has read everything.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut text = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut text)).await.expect("no answer");
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_lowercase(), body: serde_json::from_str(body).unwrap_or_default() }
}

async fn post(running: &Running, route: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!("POST /webhooks/{route} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n{headers}\r\n");
    send(running, &format!("{head}{body}")).await
}

/// As GitHub signs.
async fn github(running: &Running, route: &str, event: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let signature = format!("sha256={}", sign(SECRET, body.as_bytes()));
    post(running, route, &[("X-Hub-Signature-256", &signature), ("X-GitHub-Event", event)], &body).await
}

fn hooked(routes: &str) -> Ground {
    Ground::new().with(&format!("platforms: {{webhook: {{enabled: true, port: 0, routes: {{{routes}}}}}}}"))
}

/// A route whose result goes to the chat `c` of the platform `test`.
fn to_chat(more: &str) -> String {
    format!("r: {{secret: {SECRET}, prompt: '{{text}}', deliver: test, deliver_extra: {{chat_id: c}}{more}}}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_request_is_worked_on_once_and_told_to_the_chat_of_its_route() {
    let ground = hooked(&to_chat(""));
    let running = ground.start();
    let answer = github(&running, "r", "push", &json!({"text": "say done"})).await;
    assert_eq!((answer.status, &answer.body["status"]), (202, &json!("accepted")), "{}", answer.body);
    let outgoing = running.adapter.next().await;
    assert!(matches!(&outgoing.content, Content::Reply { text, .. } if text == "done"), "{outgoing:?}");
    assert_eq!((outgoing.to.chat.as_str(), &outgoing.reply_to), ("c", &None));
    // Sent again, also with another number beside the signature: nothing happens twice.
    let answer = github(&running, "r", "push", &json!({"text": "say done"})).await;
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!("duplicate")));
    // Another request is another conversation.
    github(&running, "r", "push", &json!({"text": "heard"})).await;
    assert_eq!(running.hears("c").await, "heard");
    assert!(running.stop().await.rest().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_for_a_request_that_is_not_signed_as_it_should_be() {
    let ground = hooked(&to_chat(""));
    let running = ground.start();
    let body = json!({"text": "say evil"}).to_string();
    let wrong = format!("sha256={}", sign("another-secret-0123456789", body.as_bytes()));
    let old = sign(SECRET, format!("1000000000.{body}").as_bytes());
    for headers in [
        vec![],
        vec![("X-Hub-Signature-256", wrong.as_str())],
        vec![("X-Hub-Signature-256", "sha256=")],
        vec![("X-Gitlab-Token", "guess")],
        vec![("X-Webhook-Signature", old.as_str()), ("X-Webhook-Timestamp", "1000000000")],
    ] {
        let answer = post(&running, "r", &headers, &body).await;
        assert_eq!(answer.status, 401, "{headers:?}");
    }
    for route in ["R", "r2", "r/x", "..%2f", "%72%00", ""] {
        let answer = github(&running, route, "push", &json!({})).await;
        assert!(matches!(answer.status, 404 | 400), "{route}: {}", answer.status);
    }
    assert_eq!(ground.server.requests().len(), 0);
    assert!(running.stop().await.rest().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn other_senders_sign_in_their_own_way() {
    let ground = hooked(&to_chat(""));
    let running = ground.start();
    let answer = post(&running, "r", &[("X-Gitlab-Token", SECRET)], "{\"text\": \"say one\"}").await;
    assert_eq!(answer.status, 202);
    assert_eq!(running.hears("c").await, "one");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().to_string();
    let body = "{\"text\": \"say two\"}";
    let signature = sign(SECRET, format!("{now}.{body}").as_bytes());
    let headers = [("X-Webhook-Signature", signature.as_str()), ("X-Webhook-Timestamp", now.as_str())];
    assert_eq!(post(&running, "r", &headers, body).await.status, 202);
    assert_eq!(running.hears("c").await, "two");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_sizes_kinds_and_numbers_of_requests_are_bounded() {
    let ground = hooked(&to_chat(", events: [push], rate_limit: 4"));
    let running = ground.start();
    let answer = github(&running, "r", "issues", &json!({"text": "say no"})).await;
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!("ignored")));
    let signature = format!("sha256={}", sign(SECRET, b"no json"));
    assert_eq!(post(&running, "r", &[("X-Hub-Signature-256", &signature)], "no json").await.status, 400);
    let large = "x".repeat(1024 * 1024 + 1);
    assert_eq!(post(&running, "r", &[("X-Hub-Signature-256", "sha256=00")], &large).await.status, 413);
    assert_eq!(send(&running, "GET /webhooks/r HTTP/1.1\r\nHost: x\r\n\r\n").await.status, 405);
    // Who cannot sign uses up nothing.
    for _ in 0..8 {
        assert_eq!(post(&running, "r", &[], "{}").await.status, 401);
    }
    assert_eq!(github(&running, "r", "push", &json!({"text": "say 1"})).await.status, 202);
    assert_eq!(github(&running, "r", "push", &json!({"text": "say 2"})).await.status, 202);
    let answer = github(&running, "r", "push", &json!({"text": "say 3"})).await;
    assert!(answer.status == 429 && answer.head.contains("retry-after:"), "{}", answer.head);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_stranger_wrote_gets_few_tools_and_gives_no_commands() {
    let mut ground = hooked(&to_chat("")).tool("shell", |_| async { ToolReply::done(json!("harm"), "harm") });
    ground.tools.push(Arc::new(hermes_agent::tools::Clarify));
    let running = ground.start();
    github(&running, "r", "push", &json!({"text": "call shell"})).await;
    let heard = running.hears("c").await;
    assert!(heard.contains("shell") && !heard.contains("harm"), "{heard}");
    let request = ground.server.requests().remove(0);
    let offered: Vec<_> =
        request.body["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].clone()).collect();
    assert_eq!(offered, ["clarify"]);
    github(&running, "r", "push", &json!({"text": "ask Which?|one|two"})).await;
    assert!(running.hears("c").await.contains("nobody can be asked"));
    for text in ["/yolo on", "/stop", "/approve all"] {
        github(&running, "r", "push", &json!({ "text": text })).await;
        assert_eq!(running.hears("c").await, format!("you said {text:?}"));
    }
    // A message that waits for the next gateway has no more tools there.
    running.kill().await;
    let running = ground.start();
    github(&running, "r", "push", &json!({"text": "say on"})).await;
    assert_eq!(running.hears("c").await, "on");
    assert_eq!(ground.server.requests().last().unwrap().body["tools"].as_array().map(Vec::len), Some(1));
    running.stop().await;
}

/// Takes callbacks, and answers them with these statuses, one after the other.
async fn callbacks(statuses: &'static [u16]) -> (u16, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for status in statuses.iter().cycle() {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut text = Vec::new();
            while !is_whole(&text) {
                let mut piece = [0; 4096];
                let length = stream.read(&mut piece).await.unwrap();
                text.extend_from_slice(&piece[..length]);
            }
            let answer =
                format!("HTTP/1.1 {status} X\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            sender.send(String::from_utf8(text).unwrap()).unwrap();
        }
    });
    (port, receiver)
}

fn is_whole(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    body.len() >= length.parse::<usize>().unwrap()
}

fn header<'a>(request: &'a str, name: &str) -> &'a str {
    request.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_is_signed_and_tried_again_with_the_same_number() {
    let (port, mut called) = callbacks(&[503, 200]).await;
    let callback = format!("callback: {{url: 'http://127.0.0.1:{port}/done', allow_private: true}}");
    let ground = hooked(&format!("r: {{secret: {SECRET}, prompt: '{{text}}', {callback}}}"));
    let running = ground.start();
    let accepted = github(&running, "r", "push", &json!({"text": "say done"})).await;
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let request = tokio::time::timeout(PATIENCE, called.recv()).await.expect("nobody was told").unwrap();
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        let (time, tag) = header(&request, "x-hermes-signature").split_once(",v1=").unwrap();
        let time = time.strip_prefix("t=").unwrap();
        assert_eq!(tag, sign(SECRET, format!("{time}.{body}").as_bytes()));
        let told: Value = serde_json::from_str(body).unwrap();
        assert_eq!((&told["text"], &told["kind"], &told["route"]), (&json!("done"), &json!("reply"), &json!("r")));
        assert_eq!(told["request_id"], accepted.body["delivery_id"]);
        numbers.push(header(&request, "x-hermes-delivery").to_owned());
    }
    assert_eq!(numbers[0], numbers[1]);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_into_a_private_network_is_never_made() {
    let (port, mut called) = callbacks(&[200]).await;
    for host in ["127.0.0.1", "localhost", "169.254.169.254"] {
        let callback = format!("callback: {{url: 'http://{host}:{port}/'}}");
        let ground = hooked(&format!("r: {{secret: {SECRET}, prompt: '{{text}}', {callback}}}"));
        let running = ground.start();
        github(&running, "r", "push", &json!({"text": "say done"})).await;
        let ledger = hermes_store::ledger::Ledger::open(&ground.store());
        let given_up = async {
            while !ledger.open_messages().unwrap().is_empty() || ledger.due_count().unwrap() > 0 {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, given_up).await.expect("it is still tried");
        running.stop().await;
    }
    assert!(called.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_are_served_as_they_are_now_and_only_with_a_secret() {
    let ground = hooked("");
    let running = ground.start();
    let body = json!({"text": "say done"});
    assert_eq!(github(&running, "later", "push", &body).await.status, 404);
    let route = |secret: &str| json!({"secret": secret, "prompt": "{text}", "deliver": "test", "deliver_extra": {"chat_id": "c"}});
    let write = |all: Value| std::fs::write(ground.home().join("webhook_subscriptions.json"), all.to_string()).unwrap();
    for secret in ["", "short"] {
        write(json!({ "later": route(secret) }));
        assert_eq!(github(&running, "later", "push", &body).await.status, 404, "{secret:?}");
    }
    write(json!({ "later": route(SECRET) }));
    assert_eq!(github(&running, "later", "push", &body).await.status, 202);
    assert_eq!(running.hears("c").await, "done");
    running.stop().await;
}

#[test]
fn a_route_that_anybody_could_call_is_refused_at_the_start() {
    let check = |webhook: &str, expected: Result<bool, &str>| {
        let ground = Ground::new().with(&format!("platforms: {{webhook: {webhook}}}"));
        let outcome = ground.configured_webhook();
        match (outcome, expected) {
            (Ok(adapter), Ok(is_there)) => assert_eq!(adapter.is_some(), is_there, "{webhook}"),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (outcome, expected) => panic!("{webhook}: {outcome:?}, not {expected:?}"),
        }
    };
    check("{}", Ok(false));
    check("{enabled: false, routes: {r: {}}}", Ok(false));
    check("{enabled: true}", Ok(true));
    check("{enabled: true, routes: {r: {}}}", Err("no secret"));
    check("{enabled: true, routes: {r: {secret: short}}}", Err("shorter"));
    check("{enabled: true, secret: '${NO_SUCH_VARIABLE}', routes: {r: {}}}", Err("secret"));
    check(
        "{enabled: true, secret: a-secret-of-many-letters, routes: {r: {callback: {url: 'http://x/', secret: s}}}}",
        Err("shorter"),
    );
    check("{enabled: true, routes: {'../r': {secret: a-secret-of-many-letters}}}", Err("a name has"));
    check("{enabled: true, secret: a-secret-of-many-letters, routes: {r: {}}}", Ok(true));
    check("{enabled: true, extra: {secret: a-secret-of-many-letters, routes: {r: {}}}}", Ok(true));
    check("{enabled: true, routes: {r: {secret: INSECURE_NO_AUTH}}}", Ok(true));
    check("{enabled: true, host: 0.0.0.0, routes: {r: {secret: INSECURE_NO_AUTH}}}", Err("only for routes"));
    check("{enabled: true, secret: a-secret-of-many-letters, routes: {r: {deliver: telegram}}}", Err("chat_id"));
    check("{enabled: true, secret: a-secret-of-many-letters, routes: {r: {deliver: callback}}}", Err("has none"));
    check("{enabled: true, port: 99999}", Err("cannot be read"));
}
