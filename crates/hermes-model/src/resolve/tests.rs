//! Files as people have them, and which model they mean.

use hermes_home::config::{Overrides, load};
use hermes_home::{Asked as AskedHome, HomeRoot};
use hermes_proto::{Explain, HostEnvironment};

use super::{Asked, Resolution, ResolveError, Sources, offers};
use crate::{Delivery, Dialect, KeyNeed};

struct Fixture {
    _folder: tempfile::TempDir,
    sources: Sources,
}

/// A home with this config.yaml and `.env`, in this environment.
fn fixture(config: &str, dotenv: &str, variables: &[(&str, &str)]) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let home_path = folder.path().join("home").display().to_string();
    let pairs = [("HERMES_HOME", home_path.as_str()), ("PATH", "/usr/bin:/bin")];
    let environment = HostEnvironment::from_pairs(pairs.into_iter().chain(variables.iter().copied()));
    let home = HomeRoot::find(&environment).unwrap().select(&AskedHome::Nothing).unwrap();
    std::fs::write(home.config_path(), config).unwrap();
    std::fs::write(home.env_path(), dotenv).unwrap();
    let loaded = load(&home, &environment, &Overrides::none()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    Fixture { sources: Sources::read(&home, &environment, loaded.config).unwrap(), _folder: folder }
}

fn asked(model: &str, provider: &str) -> Asked {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Asked { model: given(model), provider: given(provider) }
}

fn resolve(config: &str, dotenv: &str) -> Result<Resolution, ResolveError> {
    fixture(config, dotenv, &[]).sources.resolve(&Asked::default())
}

/// Provider, model and address of the first, or the error.
fn told(outcome: Result<Resolution, ResolveError>) -> String {
    match outcome {
        Ok(resolution) if resolution.is_offline() => "offline".to_owned(),
        Ok(resolution) => {
            let first = resolution.endpoints()[0];
            format!("{} {} {}", first.id.provider, first.id.model, first.base_url)
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn nothing_configured_means_the_built_in_model() {
    for (config, dotenv) in [
        ("", ""),
        ("model: {}\n", ""),
        ("model: {default: '', provider: auto}\n", "OPENROUTER_API_KEY=\n"),
        ("", "GITHUB_TOKEN=ghp_x\nHF_TOKEN=hf_x\n"),
        ("model: {provider: offline, default: x}\n", "OPENAI_API_KEY=k\n"),
        ("model: offline\n", "OPENAI_API_KEY=k\n"),
    ] {
        assert_eq!(told(resolve(config, dotenv)), "offline", "{config}");
    }
}

#[test]
fn auto_takes_the_provider_that_has_a_key() {
    for (config, dotenv, expected) in [
        (
            "",
            "OPENROUTER_API_KEY=k\nOPENAI_API_KEY=k\n",
            "openrouter anthropic/claude-sonnet-4.5 https://openrouter.ai/api/v1",
        ),
        ("", "OPENAI_API_KEY=k\n", "openai gpt-5 https://api.openai.com/v1"),
        ("", "OPENAI_API_KEY=k\nOPENAI_BASE_URL=http://host:1/v1/\n", "openai gpt-5 http://host:1/v1"),
        ("", "GEMINI_API_KEY=k\n", "gemini gemini-2.5-pro https://generativelanguage.googleapis.com/v1beta/openai"),
        ("", "GROQ_API_KEY=k\n", "error: no model of groq is configured"),
        ("model: gpt-5-mini\n", "OPENAI_API_KEY=k\n", "openai gpt-5-mini https://api.openai.com/v1"),
        // The maker's name, with a key of the maker, of a relay, of nobody.
        (
            "model: anthropic/claude-x\n",
            "ANTHROPIC_API_KEY=k\nOPENROUTER_API_KEY=k\n",
            "anthropic claude-x https://api.anthropic.com",
        ),
        (
            "model: anthropic/claude-x\n",
            "OPENROUTER_API_KEY=k\n",
            "openrouter anthropic/claude-x https://openrouter.ai/api/v1",
        ),
        ("model: anthropic/claude-x\n", "", "error: there is no key for anthropic"),
        ("model: some-model\n", "", "error: the model \"some-model\" is configured, and no provider has a key for it"),
        (
            "model: {default: m, base_url: 'http://127.0.0.1:8000/v1'}\n",
            "OPENROUTER_API_KEY=k\n",
            "custom m http://127.0.0.1:8000/v1",
        ),
    ] {
        assert_eq!(told(resolve(config, dotenv)), expected, "{config} {dotenv}");
    }
}

#[test]
fn a_provider_that_is_named_is_used() {
    let key = "OPENROUTER_API_KEY=k\nANTHROPIC_API_KEY=k\n";
    for (config, expected) in [
        ("model: {provider: openrouter, default: x/y}\n", "openrouter x/y https://openrouter.ai/api/v1"),
        ("model: {provider: or, default: openrouter/auto}\n", "openrouter auto https://openrouter.ai/api/v1"),
        ("model: {provider: claude}\n", "anthropic claude-sonnet-4-5 https://api.anthropic.com"),
        ("model: {provider: openai, default: gpt-5}\n", "error: there is no key for openai"),
        ("model: {provider: opnrouter, default: x}\n", "error: there is no provider \"opnrouter\""),
        ("model: {provider: custom, default: x}\n", "error: no address of custom is configured"),
        (
            "model: {provider: custom, default: x, base_url: nonsense}\n",
            "error: \"nonsense\" of custom is not an http or https address",
        ),
        (
            "model: {provider: custom, default: x, base_url: 'file:///etc/passwd'}\n",
            "error: \"file:///\" of custom is not an http or https address",
        ),
        ("model: {provider: ollama, default: qwen3}\n", "ollama qwen3 http://127.0.0.1:11434/v1"),
        (
            "model: {provider: openai-codex, default: x}\n",
            "error: openai-codex takes no requests of the kinds that are known here",
        ),
        (
            "model: {provider: anthropic, default: x, api_mode: codex_responses}\n",
            "error: anthropic is spoken to in \"codex_responses\", which is not known here",
        ),
        (
            "model: {provider: lab, default: x}\nproviders: {lab: {base_url: 'https://lab.example/v1'}}\n",
            "lab x https://lab.example/v1",
        ),
        (
            "model: {provider: lab}\nproviders: {lab: {base_url: 'https://lab.example/v1', default_model: d}}\n",
            "lab d https://lab.example/v1",
        ),
        (
            "model: {provider: 'custom:Lab'}\ncustom_providers: [{name: lab, base_url: 'https://old.example/v1', model: d}]\n",
            "custom:Lab d https://old.example/v1",
        ),
        (
            "model: {provider: anthropic, default: x}\nproviders: {anthropic: {base_url: 'https://relay.example'}}\n",
            "anthropic x https://relay.example",
        ),
    ] {
        assert_eq!(told(resolve(config, key)), expected, "{config}");
    }
}

#[test]
fn the_command_line_comes_first_and_aliases_are_followed() {
    let config = "model: {provider: anthropic, default: claude-x, context_length: 1000, base_url: 'https://relay.example', aliases: {fast: openai/gpt-mini}}\nmodel_aliases: {local: {model: qwen, provider: ollama}, odd: {model: m, base_url: 'http://127.0.0.1:9/v1'}}\nproviders: {lab: {base_url: 'https://lab.example/v1'}}\n";
    let fixture = fixture(config, "ANTHROPIC_API_KEY=k\nOPENAI_API_KEY=o\n", &[]);
    for (model, provider, expected) in [
        ("", "", "anthropic claude-x https://relay.example"),
        ("claude-y", "", "anthropic claude-y https://relay.example"),
        ("openai/gpt-5", "", "openai gpt-5 https://api.openai.com/v1"),
        ("lab/m", "", "lab m https://lab.example/v1"),
        ("fast", "", "openai gpt-mini https://api.openai.com/v1"),
        ("local", "", "ollama qwen http://127.0.0.1:11434/v1"),
        ("odd", "", "custom m http://127.0.0.1:9/v1"),
        ("", "openai", "openai gpt-5 https://api.openai.com/v1"),
        ("x", "lab", "lab x https://lab.example/v1"),
        ("offline", "", "offline"),
        ("", "offline", "offline"),
    ] {
        assert_eq!(told(fixture.sources.resolve(&asked(model, provider))), expected, "{model} {provider}");
    }
    let built_in = self::fixture("model: {provider: offline}\n", "", &[]);
    let refused = "error: the model \"gpt-5\" is configured, and no provider has a key for it";
    assert_eq!(told(built_in.sources.resolve(&asked("gpt-5", ""))), refused);
    assert_eq!(told(built_in.sources.resolve(&asked("hermes-offline", ""))), "offline");
    let length = |model| fixture.sources.resolve(&asked(model, "")).unwrap().endpoints()[0].context_length;
    assert_eq!((length(""), length("claude-y")), (Some(1000), None));
}

#[test]
fn settings_of_a_provider_reach_its_requests() {
    let config = "
model: {provider: lab, default: m, streaming: false, max_tokens: 77}
providers:
  lab:
    base_url: https://lab.example/anthropic
    key_env: LAB_SECRET
    api_key: ${NOT_SET}
    request_timeout_seconds: 600
    stale_timeout_seconds: 20
    connect_timeout_seconds: 3
    extra_headers: {X-Team: blue}
    extra_body: {top_k: 5}
    models: {m: {context_length: 4096}}
";
    let fixture = fixture_with_warnings(config, "LAB_SECRET=from-dotenv\n");
    let resolution = fixture.sources.resolve(&Asked::default()).unwrap();
    let endpoint = resolution.endpoints()[0];
    assert_eq!((endpoint.dialect, endpoint.delivery), (Dialect::AnthropicMessages, Delivery::Whole));
    assert_eq!((endpoint.context_length, endpoint.max_tokens), (Some(4096), Some(77)));
    let seconds =
        [endpoint.timeouts.connect, endpoint.timeouts.first_byte, endpoint.timeouts.silence, endpoint.timeouts.whole];
    assert_eq!(seconds.map(|limit| limit.as_secs()), [3, 40, 20, 600]);
    let keys: Vec<_> = endpoint.keys.iter().map(|key| key.expose()).collect();
    assert_eq!(keys, ["from-dotenv"]);
    assert_eq!(endpoint.headers["x-team"].expose(), "blue");
    assert_eq!(endpoint.extra_body["top_k"], 5);
    assert!(!format!("{resolution:?}").contains("from-dotenv") && !format!("{resolution:?}").contains("blue"));
}

/// As `fixture`, for a file that refers to a variable nobody set.
fn fixture_with_warnings(config: &str, dotenv: &str) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let environment = HostEnvironment::from_pairs([("HERMES_HOME", folder.path().join("home"))]);
    let home = HomeRoot::find(&environment).unwrap().select(&AskedHome::Nothing).unwrap();
    std::fs::write(home.config_path(), config).unwrap();
    std::fs::write(home.env_path(), dotenv).unwrap();
    let loaded = load(&home, &environment, &Overrides::none()).unwrap();
    Fixture { sources: Sources::read(&home, &environment, loaded.config).unwrap(), _folder: folder }
}

#[test]
fn all_keys_of_a_provider_are_used_and_none_of_another() {
    let fixture = fixture(
        "model: {provider: openrouter, default: m}\nfallback_providers: [{provider: custom, model: n, base_url: 'https://other.example/v1', api_key: own}, {provider: anthropic, model: c}]\n",
        "OPENROUTER_API_KEY=in-dotenv\nANTHROPIC_API_KEY=anthropics\n",
        &[("OPENROUTER_API_KEY", "exported"), ("OPENAI_API_KEY", "openais")],
    );
    let resolution = fixture.sources.resolve(&Asked::default()).unwrap();
    let keys: Vec<Vec<_>> =
        resolution.endpoints().iter().map(|one| one.keys.iter().map(|key| key.expose().to_owned()).collect()).collect();
    assert_eq!(keys, [vec!["in-dotenv", "exported"], vec!["own"], vec!["anthropics"]]);
    assert_eq!(
        resolution.endpoints()[0].key_need,
        KeyNeed::Required { variable: Some("OPENROUTER_API_KEY".to_owned()) }
    );
}

#[test]
fn fallbacks_that_cannot_be_used_are_told() {
    let config = "model: {provider: openai, default: a}\nfallback_providers: [openai/a, openai/b, {provider: groq, model: x}, {odd: 1}, 5]\nfallback_model: {provider: anthropic, model: c}\n";
    let fixture = fixture(config, "OPENAI_API_KEY=k\nANTHROPIC_API_KEY=k\n", &[]);
    let resolution = fixture.sources.resolve(&Asked::default()).unwrap();
    let ids: Vec<String> = resolution.endpoints().iter().map(|one| one.id.to_string()).collect();
    assert_eq!(ids, ["openai/a", "openai/b", "anthropic/c"]);
    assert_eq!(resolution.notes.len(), 3, "{:?}", resolution.notes);
    assert!(resolution.notes[0].contains("no key for groq"), "{:?}", resolution.notes);
}

#[test]
fn a_task_may_have_a_model_of_its_own() {
    let config = "model: {provider: openai, default: a}\nauxiliary: {compression: {provider: auto, model: small, timeout: 33}, vision: {provider: anthropic, model: c}, plain: {}}\n";
    let fixture = fixture(config, "OPENAI_API_KEY=k\nANTHROPIC_API_KEY=k\n", &[]);
    let task = |task: &str| fixture.sources.resolve_task(task, &Asked::default());
    assert_eq!(told(task("compression")), "openai small https://api.openai.com/v1");
    assert_eq!(task("compression").unwrap().endpoints()[0].timeouts.whole.as_secs(), 33);
    assert_eq!(told(task("vision")), "anthropic c https://api.anthropic.com");
    assert_eq!(told(task("plain")), "openai a https://api.openai.com/v1");
    assert_eq!(told(task("unknown")), "openai a https://api.openai.com/v1");
}

#[test]
fn proxies_come_from_the_environment_and_never_serve_this_machine() {
    let fixture = fixture(
        "model: {provider: openai, default: a}\n",
        "OPENAI_API_KEY=k\n",
        &[("https_proxy", "http://proxy:3128"), ("NO_PROXY", "lab.example")],
    );
    let resolution = fixture.sources.resolve(&Asked::default()).unwrap();
    let proxies = &resolution.endpoints()[0].proxies;
    assert_eq!((proxies.https.as_deref(), proxies.http.as_deref()), (Some("http://proxy:3128"), None));
    assert_eq!(proxies.except, "localhost,127.0.0.1,::1,lab.example");
}

#[test]
fn every_error_says_what_to_do() {
    for (config, hint) in [
        ("model: {provider: opnrouter, default: x}\n", "did you mean openrouter?"),
        ("model: {provider: openai, default: x}\n", "hermes auth add openai, or set OPENAI_API_KEY"),
        ("model: some-model\n", "hermes auth add PROVIDER"),
        ("model: {provider: custom, default: x}\n", "hermes config set model.base_url"),
    ] {
        let error = resolve(config, "").unwrap_err();
        assert!(error.hint().unwrap().contains(hint), "{error}: {:?}", error.hint());
    }
}

#[test]
fn offers_are_what_is_described_or_has_a_key() {
    let config = "model: {provider: lab, default: m}\nproviders: {lab: {name: The Lab, base_url: 'https://lab.example/v1', models: {a: {}, b: {}}}}\n";
    let fixture = fixture(config, "OPENAI_API_KEY=k\n", &[]);
    let shown: Vec<String> = offers(&fixture.sources)
        .iter()
        .map(|one| format!("{} {} {:?} {}", one.provider, one.name, one.models, one.endpoint.is_ok()))
        .collect();
    assert_eq!(shown, ["lab The Lab [\"a\", \"b\"] true", "openai OpenAI [] true"]);
}
