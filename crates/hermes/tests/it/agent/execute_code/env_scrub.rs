//! What a script sees of the environment: a list, less what looks like a secret, plus what somebody opened, but never a
//! provider's credential.

use std::collections::BTreeMap;
use std::sync::Arc;

use hermes_proto::consent::NobodyToAsk;

use super::super::ground::{Ground, Made, interactive};
use super::{execute, output};

/// The environment of a script on a host with these variables, of which some are opened.
async fn seen(variables: &[(&'static str, &'static str)], opened: &[&str]) -> BTreeMap<String, String> {
    let made = Made::with(|config| {
        config.terminal.env_passthrough = opened.iter().map(|&name| name.to_owned()).collect();
        // What is printed here is meant to be seen.
        config.security.redact_secrets = false;
    });
    let ground = Ground::of(Made { variables: variables.to_vec(), ..made });
    let code = "import json, os\nprint(json.dumps(dict(os.environ)))";
    let reply = execute(&ground, &interactive(Arc::new(NobodyToAsk)), code).await;
    ground.workshop.close().await;
    serde_json::from_str(output(&reply)).unwrap_or_else(|error| panic!("{error}: {reply:?}"))
}

#[tokio::test]
async fn allowlist() {
    let host = [
        ("LANG", "C.UTF-8"),
        ("LC_TIME", "de_DE"),
        ("XDG_CACHE_HOME", "/x"),
        ("VIRTUAL_ENV", "/venv"),
        ("HERMES_PROFILE", "work"),
        ("HERMES_GATEWAY_URL", "http://internal"),
        ("HERMES_EXEC_ASK", "1"),
        ("EDITOR", "vi"),
        ("AWS_REGION", "eu"),
    ];
    let seen = seen(&host, &[]).await;
    for (name, is_there) in [
        ("PATH", true),
        ("HOME", true),
        ("LANG", true),
        ("HERMES_RPC_SOCKET", true),
        ("PYTHONDONTWRITEBYTECODE", true),
        ("HERMES_SESSION_KEY", true),
        ("HERMES_GATEWAY_URL", false),
        ("HERMES_EXEC_ASK", false),
        ("EDITOR", false),
        ("AWS_REGION", false),
    ] {
        assert_eq!(seen.contains_key(name), is_there, "{name}: {seen:?}");
    }
    assert!(!seen["PYTHONPATH"].contains("hermes/src"), "no module path of the host: {seen:?}");
}

#[tokio::test]
async fn secret_rules() {
    // Each starts as the allowed names do; what it contains decides.
    let host = [
        ("XDG_KEY", "v"),
        ("XDG_token", "v"),
        ("LC_SECRET", "v"),
        ("HOME_PASSWORD", "v"),
        ("USER_CREDENTIAL_FILE", "v"),
        ("TERM_PASSWD", "v"),
        ("PATH_AUTH", "v"),
        ("LANG_DSN", "postgres://u:p@h"),
        ("XDG_WEBHOOK_URL", "https://hooks"),
        ("SENTRY_DSN", "v"),
        ("SLACK_WEBHOOK", "v"),
        ("XDG_PLAIN", "v"),
    ];
    let seen = seen(&host, &[]).await;
    let found: Vec<_> = host.iter().filter(|(name, _)| seen.contains_key(*name)).map(|(name, _)| *name).collect();
    assert!(found.iter().all(|name| *name == "XDG_PLAIN"), "{found:?}");
}

#[tokio::test]
async fn passthrough_opens_names_but_no_provider_credential() {
    let host = [
        ("MY_SERVICE_TOKEN", "mine"),
        ("OPENAI_API_KEY", "sk-host"),
        ("ANTHROPIC_API_KEY", "sk-ant"),
        ("OPENROUTER_API_KEY", "sk-or"),
        ("TELEGRAM_BOT_TOKEN", "123:abc"),
    ];
    let opened: Vec<_> = host.iter().map(|(name, _)| *name).collect();
    let seen = seen(&host, &opened).await;
    let found: Vec<_> = host.iter().filter(|(name, _)| seen.contains_key(*name)).map(|(name, _)| *name).collect();
    assert_eq!(found, ["MY_SERVICE_TOKEN"]);
}
