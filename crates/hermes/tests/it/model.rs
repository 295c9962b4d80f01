//! `hermes model` as a person or a script uses it.

use hermes_testkit::ModelServer;
use hermes_testkit::model_server::Script;
use serde_json::Value;

use crate::support::Sandbox;

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    serde_json::from_str(&sandbox.ok(arguments)).unwrap()
}

fn lab(server: &ModelServer) -> String {
    format!(
        "model: {{provider: lab, default: m-1}}\nproviders: {{lab: {{name: The Lab, base_url: {}, api_key: lab-key-0123456789}}}}\n",
        server.openai_url()
    )
}

#[test]
fn without_configuration_the_built_in_model_answers() {
    let sandbox = Sandbox::new();
    let shown = sandbox.ok(["model"]);
    assert!(shown.contains("offline/hermes-offline: built in") && shown.contains("hermes auth add"), "{shown}");
    let shown = json(&sandbox, &["model", "show", "--json"]);
    assert_eq!((&shown["offline"], shown["provider"].as_str()), (&Value::Bool(true), Some("offline")));
    let listed = sandbox.ok(["model", "list"]);
    assert!(listed.contains("* hermes-offline"), "{listed}");
}

#[test]
fn list_asks_the_provider_and_marks_what_is_used() {
    let server = ModelServer::serve(Script::of([]).with_models(["m-2", "m-1", "m-3\u{1b}[31m"]));
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", lab(&server));
    let listed = sandbox.ok(["model", "list"]);
    assert!(listed.contains("lab  The Lab") && listed.contains("reachable, 3 models"), "{listed}");
    assert!(listed.contains("* m-1\n") && listed.contains("  m-2\n") && !listed.contains('\u{1b}'), "{listed}");
    let all = json(&sandbox, &["model", "list", "lab", "--json"]);
    assert_eq!((&all[0]["reachable"], all[0]["models"].as_array().unwrap().len()), (&Value::Bool(true), 3));
    let quiet = json(&sandbox, &["model", "list", "--json", "--offline"]);
    assert_eq!(quiet[0]["reachable"], Value::Null);
    assert!(!listed.contains("lab-key") && !all.to_string().contains("lab-key"));
}

#[test]
fn list_says_what_cannot_be_reached_and_goes_on() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "config.yaml",
        "model: {provider: lab, default: m}\nproviders: {lab: {base_url: 'http://user:hunter2@127.0.0.1:1/v1', models: [m, n]}}\n",
    );
    let listed = sandbox.ok(["model", "list"]);
    assert!(listed.contains("not reachable") && listed.contains("* m\n") && listed.contains("  n\n"), "{listed}");
    assert!(!listed.contains("hunter2"), "{listed}");
    assert!(sandbox.fails(78, ["model", "list", "groq"]).contains("hint: store one with: hermes auth add groq"));
    assert!(sandbox.fails(78, ["model", "list", "opnrouter"]).contains("hint: did you mean openrouter?"));
}

#[test]
fn use_writes_the_choice_and_keeps_the_rest() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "# mine\nmodel:\n  provider: custom # old\n  base_url: http://127.0.0.1:1/v1\n  default: x\nterminal: {timeout: 7} # keep\n");
    sandbox.write(".env", "OPENROUTER_API_KEY=sk-or-0123456789abcdef\nOPENAI_API_KEY=sk-0123456789abcdef\n");
    assert_eq!(sandbox.ok(["model", "use", "openrouter/anthropic/claude-x"]), "openrouter/anthropic/claude-x\n");
    let text = sandbox.read("config.yaml");
    assert!(text.contains("# mine") && text.contains("timeout: 7} # keep") && !text.contains("127.0.0.1"), "{text}");
    let shown = json(&sandbox, &["model", "show", "--json"]);
    assert_eq!((shown["provider"].as_str(), shown["model"].as_str()), (Some("openrouter"), Some("anthropic/claude-x")));
    assert_eq!(shown["base_url"], "https://openrouter.ai/api/v1");
    // A model of the present provider, and back again.
    assert_eq!(sandbox.ok(["model", "use", "deepseek-v9"]), "openrouter/deepseek-v9\n");
    assert_eq!(sandbox.ok(["model", "use", "openai/gpt-x"]), "openai/gpt-x\n");
    assert_eq!(sandbox.ok(["model", "use", "offline"]), "offline/hermes-offline\n");
    assert!(sandbox.ok(["model"]).contains("built in"));
}

#[test]
fn use_refuses_what_would_not_work_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let config = "model: {provider: offline}\n";
    sandbox.write("config.yaml", config);
    for (name, told) in [("groq/x", "no key for groq"), ("gpt-5", "no provider has a key"), ("custom/x", "no address")]
    {
        let error = sandbox.fails(78, ["model", "use", name]);
        assert!(error.contains(told) && error.contains("hint: "), "{name}: {error}");
    }
    assert_eq!(sandbox.read("config.yaml"), config);
}

#[test]
fn a_name_in_one_word_becomes_a_map() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "model: gpt-5 # short\n");
    sandbox.write(".env", "OPENAI_API_KEY=sk-0123456789abcdef\n");
    assert!(sandbox.ok(["model"]).contains("model:    gpt-5\n"));
    assert_eq!(sandbox.ok(["model", "use", "openai/gpt-6"]), "openai/gpt-6\n");
    assert_eq!(
        json(&sandbox, &["config", "get", "model", "--json"]),
        serde_json::json!({"default": "gpt-6", "provider": "openai"})
    );
}

#[test]
fn a_file_that_may_not_work_is_told_with_its_remedy() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "model: {provider: anthropic, default: claude-x}\n");
    let error = sandbox.fails(78, ["model", "show"]);
    assert!(error.contains("there is no key for anthropic") && error.contains("ANTHROPIC_API_KEY"), "{error}");
    sandbox.write(".env", "ANTHROPIC_API_KEY=sk-ant-0123456789abcdef\n");
    let shown = sandbox.ok(["model", "show", "-vv"]);
    assert!(shown.contains("api:      anthropic_messages") && shown.contains("keys:     1"), "{shown}");
    assert!(!shown.contains("0123456789"), "{shown}");
}

#[test]
fn fallbacks_are_shown_and_those_that_cannot_be_used_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "model: {provider: openai, default: a}\nfallback_providers: [openai/b, groq/c]\n");
    sandbox.write(".env", "OPENAI_API_KEY=sk-0123456789abcdef\n");
    let run = sandbox.run(["model"]);
    assert!(run.code == 0 && run.stdout.contains("then:     openai/b\n"), "{run:?}");
    assert!(run.stderr.contains("warning: a fallback model cannot be used: there is no key for groq"), "{run:?}");
}
