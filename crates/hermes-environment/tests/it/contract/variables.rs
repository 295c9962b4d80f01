//! What commands are sent, and what the engine is told.

use hermes_environment::docker::{ForwardedNames, Variables, normalized, sent};
use hermes_home::dotenv::EnvFile;
use hermes_proto::HostEnvironment;
use serde_json::{Value, json};

use crate::support::Fixture;

fn map(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// What a command is sent, from configuration, forwarded names, the process and `.env`.
fn check(configured: &[(&str, &str)], names: &[&str], host: &[(&str, &str)], dotenv: &str, expected: &[(&str, &str)]) {
    let host = HostEnvironment::from_pairs(host.iter().copied());
    let names = ForwardedNames::new(names.iter().copied());
    assert_eq!(sent(&map(configured), &names, &host, &EnvFile::parse(dotenv)), map(expected));
}

#[test]
fn test_init_env_args_uses_hermes_dotenv_for_allowlisted_env() {
    let dotenv = "DATABASE_URL=value_from_dotenv\nOTHER=not asked for\n";
    check(&[], &["DATABASE_URL"], &[], dotenv, &[("DATABASE_URL", "value_from_dotenv")]);
}

#[test]
fn test_init_env_args_prefers_shell_env_over_hermes_dotenv() {
    let host = [("DATABASE_URL", "value_from_shell"), ("OTHER", "not asked for")];
    let expected = [("DATABASE_URL", "value_from_shell")];
    check(&[], &["DATABASE_URL"], &host, "DATABASE_URL=value_from_dotenv\n", &expected);
}

#[test]
fn test_docker_env_appears_in_run_command() {
    let mut fixture = Fixture::new("test-task");
    fixture.terminal.docker_env.insert("SSH_AUTH_SOCK".to_owned(), "/run/user/1000/ssh-agent.sock".into());
    fixture.terminal.docker_env.insert("GNUPGHOME".to_owned(), "/root/.gnupg".into());
    // What is forwarded may be secret: it is in no argument.
    fixture.terminal.docker_forward_env = vec!["OPENAI_API_KEY".to_owned()];
    fixture.variables = vec![("OPENAI_API_KEY".to_owned(), "sk-secret".to_owned())];
    let _container = fixture.acquire();
    let run = fixture.fake.run_call();
    assert_eq!(run.values("-e"), ["GNUPGHOME=/root/.gnupg", "SSH_AUTH_SOCK=/run/user/1000/ssh-agent.sock"]);
    assert!(!fixture.fake.calls().iter().any(|call| call.text().contains("sk-secret")));
}

#[test]
fn test_docker_env_appears_in_init_env_args() {
    check(&[("MY_VAR", "my_value")], &[], &[], "", &[("MY_VAR", "my_value")]);
}

#[test]
fn test_forward_env_overrides_docker_env_in_init_args() {
    let host = [("MY_KEY", "dynamic_value")];
    check(&[("MY_KEY", "static_value")], &["MY_KEY"], &host, "", &[("MY_KEY", "dynamic_value")]);
}

#[test]
fn test_docker_env_and_forward_env_merge_in_init_args() {
    let socket = ("SSH_AUTH_SOCK", "/run/user/1000/agent.sock");
    check(&[socket], &["TOKEN"], &[("TOKEN", "secret123")], "", &[socket, ("TOKEN", "secret123")]);
}

#[test]
fn test_normalize_env_dict_filters_invalid_keys() {
    let given =
        json!({"VALID_KEY": "ok", "123bad": "rejected", "": "rejected", "also valid": "rejected", "GOOD": "ok"});
    assert_eq!(normalized(&given), map(&[("VALID_KEY", "ok"), ("GOOD", "ok")]));
}

#[test]
fn test_normalize_env_dict_coerces_scalars() {
    let given = json!({"PORT": 8080, "DEBUG": true, "RATIO": 0.5});
    assert_eq!(normalized(&given), map(&[("PORT", "8080"), ("DEBUG", "True"), ("RATIO", "0.5")]));
}

#[test]
fn test_normalize_env_dict_rejects_non_dict() {
    for given in [json!("not a dict"), Value::Null, json!([])] {
        assert_eq!(normalized(&given), Variables::new(), "{given}");
    }
}

#[test]
fn test_normalize_env_dict_rejects_complex_values() {
    let given = json!({"GOOD": "string", "BAD_LIST": [1, 2, 3], "BAD_DICT": {"nested": true}});
    assert_eq!(normalized(&given), map(&[("GOOD", "string")]));
}

#[test]
fn a_credential_is_forwarded_only_when_it_was_named_and_a_session_variable_never() {
    let mut fixture = Fixture::new("test-task");
    let names = |fixture: &Fixture| ForwardedNames::of(&fixture.terminal);
    let host = [("OPENAI_API_KEY", "sk"), ("MODE", "fast"), ("HERMES_SESSION_KEY", "foreign")];
    let host = HostEnvironment::from_pairs(host);
    fixture.terminal.env_passthrough =
        ["OPENAI_API_KEY", "MODE", "HERMES_SESSION_KEY", "no name"].map(str::to_owned).to_vec();
    let none = EnvFile::default();
    assert_eq!(sent(&map(&[]), &names(&fixture), &host, &none), map(&[("MODE", "fast")]));
    fixture.terminal.docker_forward_env = vec![" OPENAI_API_KEY ".to_owned(), "HERMES_SESSION_KEY".to_owned()];
    let expected = map(&[("MODE", "fast"), ("OPENAI_API_KEY", "sk")]);
    assert_eq!(sent(&map(&[]), &names(&fixture), &host, &none), expected);
}
