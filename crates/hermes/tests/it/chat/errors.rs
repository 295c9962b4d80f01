//! What a person can act on: a code, a line, a hint. Nothing on standard output.

use hermes_testkit::ModelServer;
use hermes_testkit::model_server::Reply;

use super::{Ground, config};

#[test]
fn a_model_without_a_key_says_how_to_store_one() {
    let ground = Ground::new();
    let error = ground.fails(78, &["chat", "-m", "gpt-5", "-Q", "-q", "hi"]);
    assert!(
        error.contains("no provider has a key") && error.contains("hint: store a key with: hermes auth add"),
        "{error}"
    );
    let error = ground.fails(78, &["-m", "anthropic/claude-x", "-z", "hi"]);
    assert!(error.contains("no key for anthropic"), "{error}");
    assert!(ground.fails(78, &["--provider", "opnrouter", "-m", "x", "-z", "hi"]).contains("did you mean openrouter?"));
    // Nothing was said, so nothing is kept.
    assert_eq!(ground.answer(&["sessions", "list", "--json"]), "[]\n");
}

#[test]
fn a_wrong_key_is_to_be_mended() {
    let server = ModelServer::start([Reply::wrong_key()]);
    let ground = Ground::served(&server);
    let error = ground.fails(78, &["chat", "-Q", "-q", "hi"]);
    assert!(error.contains("key") && error.contains("hint: "), "{error}");
    assert!(!error.contains("lab-key-0123456789"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_worth_another_try() {
    let ground = Ground::new();
    let server = ModelServer::start([]);
    let text = config(&server);
    drop(server);
    ground.sandbox.write("config.yaml", format!("{text}agent: {{api_max_retries: 0}}\n"));
    let error = ground.fails(75, &["chat", "-Q", "-q", "hi"]);
    assert!(error.contains("127.0.0.1") && error.contains("hint: "), "{error}");
}

#[test]
fn a_session_that_is_not_there_is_not_begun() {
    let ground = Ground::new();
    for arguments in [["chat", "--resume", "nothing", "-q", "hi"], ["chat", "--continue", "a title", "-q", "hi"]] {
        let error = ground.fails(1, &arguments);
        assert!(error.contains("no session") && error.contains("hint: hermes sessions list"), "{error}");
    }
    ground.fails(1, &["chat", "--resume", "latest", "-q", "hi"]);
    assert_eq!(ground.answer(&["sessions", "list", "--json"]), "[]\n");
}

#[test]
fn a_place_that_cannot_be_had_is_told_before_anything_is_asked() {
    let ground = Ground::new();
    ground.sandbox.write("config.yaml", "terminal: {backend: ssh}\n");
    let error = ground.fails(78, &["chat", "-Q", "-q", "hi"]);
    assert!(error.contains("terminal.backend is ssh") && error.contains("hint: "), "{error}");
}
