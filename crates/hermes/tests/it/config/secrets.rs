//! Secrets go to `.env` and are masked wherever a configuration is shown.

use std::os::unix::fs::PermissionsExt;

use crate::support::Sandbox;

const KEY: &str = "sk-or-0123456789abcdef";

#[test]
fn a_secret_goes_to_the_env_file_and_says_so() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["config", "set", "openrouter_api_key", KEY]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    assert_eq!(
        run.stderr,
        format!("OPENROUTER_API_KEY is a secret and was written to {}\n", sandbox.file(".env").display())
    );
    assert!(sandbox.read(".env").contains(&format!("OPENROUTER_API_KEY={KEY}")));
    let mode = std::fs::metadata(sandbox.file(".env")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!sandbox.file("config.yaml").exists());
    for name in ["OPENROUTER_API_KEY", "openrouter_api_key"] {
        assert_eq!(sandbox.ok(["config", "get", name]), format!("{KEY}\n"));
    }
    sandbox.ok(["config", "unset", "OPENROUTER_API_KEY"]);
    assert_eq!(sandbox.fails(1, ["config", "get", "OPENROUTER_API_KEY"]), "hermes: OPENROUTER_API_KEY is not set\n");
    assert_eq!(sandbox.fails(1, ["config", "unset", "OPENROUTER_API_KEY"]), "hermes: OPENROUTER_API_KEY is not set\n");
}

#[test]
fn a_secret_can_be_piped_in() {
    let sandbox = Sandbox::new();
    let run = sandbox.run_with_input(["config", "set", "TELEGRAM_BOT_TOKEN", "-"], "12:ab'c $x\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(sandbox.ok(["config", "get", "TELEGRAM_BOT_TOKEN"]), "12:ab'c $x\n");
    assert_eq!(sandbox.run_with_input(["config", "set", "TELEGRAM_BOT_TOKEN", "-"], "\n").code, 2);
    sandbox.fails(2, ["config", "set", "TELEGRAM_BOT_TOKEN", "5", "--json"]);
    sandbox.ok(["config", "set", "TELEGRAM_BOT_TOKEN", "\"5\"", "--json"]);
    assert_eq!(sandbox.ok(["config", "get", "TELEGRAM_BOT_TOKEN"]), "5\n");
}

#[test]
fn a_secret_in_the_file_is_warned_about() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["config", "set", "providers.x.api_key", KEY]);
    assert!(
        run.code == 0 && run.stderr.contains("providers.x.api_key is a secret") && !run.stderr.contains(KEY),
        "{run:?}"
    );
    let run = sandbox.run(["config", "set", "providers.x.api_key", "${X_API_KEY}"]);
    assert_eq!(
        run.stderr,
        "warning: providers.x.api_key: variable X_API_KEY is not set, so ${X_API_KEY} stays as it is\n"
    );
    sandbox.ok(["config", "set", "X_API_KEY", KEY]);
    let run = sandbox.run(["config", "set", "providers.x.api_key", "${X_API_KEY}"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn show_masks_and_get_does_not() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", format!("terminal: {{sudo_password: {KEY}}}\nproviders: {{x: {{api_key: {KEY}, extra_headers: {{X-Auth-Token: {KEY}}}}}}}\nmcp_servers: {{y: {{env: {{A_SECRET: {KEY}}}}}}}\n"));
    for arguments in [&["config", "show"][..], &["config", "show", "--json"]] {
        let shown = sandbox.ok(arguments);
        assert!(!shown.contains(&KEY[..12]) && shown.matches("****cdef").count() == 4, "{shown}");
    }
    assert_eq!(sandbox.ok(["config", "get", "terminal.sudo_password"]), format!("{KEY}\n"));
}

#[test]
fn variables_stand_in_for_settings() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "TERMINAL_TIMEOUT=11\nTERMINAL_ENV=ssh\n");
    assert_eq!(sandbox.ok(["config", "get", "terminal.timeout"]), "11\n");
    let run = crate::support::finish(
        sandbox.command(["config", "get", "terminal.timeout"]).env("TERMINAL_TIMEOUT", "12").spawn().unwrap(),
    );
    assert_eq!(run.stdout, "12\n");
    sandbox.ok(["config", "set", "terminal.timeout", "13"]);
    assert_eq!(sandbox.ok(["config", "get", "terminal.timeout"]), "13\n");
    assert_eq!(sandbox.ok(["config", "get", "terminal.backend"]), "ssh\n");
}
