//! What is removed, and what has to stay.

use std::borrow::Cow;

use hermes_proto::Secret;
use proptest::prelude::*;

use super::{Redactor, shapes};

fn check(text: &str, expected: &str) {
    let redactor = Redactor::default();
    let once = redactor.redact(text).into_owned();
    assert_eq!(once, expected, "{text}");
    assert_eq!(redactor.redact(&once), expected, "twice: {text}");
}

/// Nothing to remove: the same text, and not even a copy of it.
fn check_stays(text: &str) {
    assert!(matches!(Redactor::default().redact(text), Cow::Borrowed(same) if same == text), "{text}");
}

#[test]
fn every_pattern_compiles() {
    assert!(shapes::all_patterns_compile());
}

#[test]
fn keys_with_a_makers_prefix_are_removed() {
    for (text, expected) in [
        ("using sk-abcdefghijklmnop0123 now", "using sk-**** now"),
        ("sk-ant-api03-AbCdEf0123456789-xyz_A", "sk-ant-****"),
        ("(sk-or-v1-0123456789abcdef0123456789abcdef)", "(sk-or-****)"),
        ("sk-proj-AbCdEfGhIjKlMnOpQr12", "sk-proj-****"),
        ("the key sk-abcdefghijklmnop0123.", "the key sk-****."),
        ("ghp_0123456789abcdefABCDEF0123456789abcd", "ghp_****"),
        ("github_pat_11ABCDEFG0_0123456789abcdef", "github_pat_****"),
        ("xoxb-123456789012-abcdefABCDEF", "xoxb-****"),
        ("xoxp-123456789012-abcdefABCDEF", "xoxp-****"),
        ("id AKIAIOSFODNN7EXAMPLE used", "id AKIA**** used"),
        ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "AIza****"),
        ("hf_abcdefABCDEF0123456789", "hf_****"),
        ("gsk_abcdefABCDEF0123456789", "gsk_****"),
        ("glpat-abcdefABCDEF0123456789", "glpat-****"),
        ("sk_live_abcdefABCDEF0123456789", "sk_live_****"),
    ] {
        check(text, expected);
    }
}

#[test]
fn tokens_headers_urls_and_private_keys_are_removed() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
    check(&format!("got {jwt} back"), "got eyJ**** back");
    check("Authorization: Bearer abc.def-123", "Authorization: Bearer ****");
    check("authorization: Basic dXNlcjpwYXNz", "authorization: Basic ****");
    check(r#"{"Authorization": "Bearer abcdef", "x": 1}"#, r#"{"Authorization": "Bearer ****", "x": 1}"#);
    check("curl -H 'Authorization: token abcdef' https://x", "curl -H 'Authorization: token ****' https://x");
    check("Authorization: AWS4-HMAC-SHA256 Credential=x/y, Signature=z", "Authorization: AWS4-HMAC-SHA256 ****");
    check("sent bearer 0123456789abcdef to it", "sent bearer **** to it");
    check("Set-Cookie: session=abc; Path=/", "Set-Cookie: ****");
    check(
        "https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/getMe",
        "https://api.telegram.org/bot123456789:****/getMe",
    );
    check("token 12345678:AAabcdefghijklmnopqrstuvwxyz0123456", "token 12345678:****");
    check("postgres://hermes:hunter2@db/x", "postgres://hermes:****@db/x");
    check("https://u:p@ss@host/path@x", "https://u:****@host/path@x");
    check("https://x/?key=abcdef123&page=2", "https://x/?key=****&page=2");
    check(
        "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb",
        "a\n-----BEGIN RSA PRIVATE KEY-----****-----END RSA PRIVATE KEY-----\nb",
    );
    check("-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----****");
}

#[test]
fn values_with_a_secrets_name_are_removed() {
    for (text, expected) in [
        ("OPENAI_API_KEY=abc", "OPENAI_API_KEY=****"),
        ("export HASS_TOKEN='abc def' # x", "export HASS_TOKEN='****' # x"),
        (r#"{"api_key": "abc", "model": "m"}"#, r#"{"api_key": "****", "model": "m"}"#),
        (r#"{"accessToken":"abc"}"#, r#"{"accessToken":"****"}"#),
        (r#"body: "{\"password\":\"abc\"}""#, r#"body: "{\"password\":\"****\"}""#),
        (r#"{"token": "a\"b", "x": 1}"#, r#"{"token": "****", "x": 1}"#),
        (r#"secret="it's""#, r#"secret="****""#),
        ("password: hunter2", "password: ****"),
        ("spring.datasource.password=abc", "spring.datasource.password=****"),
        ("https://x/?access_token=abc&page=2", "https://x/?access_token=****&page=2"),
        ("x-api-key: abc", "x-api-key: ****"),
        ("--api-key=abc --verbose", "--api-key=**** --verbose"),
        (r#"session_key: "a api_key=abc b""#, r#"session_key: "a api_key=**** b""#),
        ("SUDO_PASSWORD = abc", "SUDO_PASSWORD = ****"),
        ("A_TOKEN=1,B_TOKEN=2;C=3", "A_TOKEN=****,B_TOKEN=****;C=3"),
    ] {
        check(text, expected);
    }
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "",
        "the quick brown fox",
        "commit 32d7493c0a9f6e1b2d3c4b5a69788796a5b4c3d2",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "123e4567-e89b-12d3-a456-426614174000",
        "1731662195:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "2026-11-15T09:16:17Z INFO hermes: started in 12 ms",
        "task-management and disk-usage-of-this-very-machine",
        "scikit sk-learn-and-other-hyphenated-words",
        "the bearer certificates were checked",
        "max_tokens=4096, total_tokens: 17",
        "https://example.org:8080/path?page=2",
        "ssh://git@example.org/repo.git",
        "mailto:someone@example.org",
        "api_key: null",
        "OPENAI_API_KEY=$OPENAI_API_KEY",
        r#"{"token": null, "secret": false}"#,
        "HERMES_SESSION_KEY=agent:main:telegram:dm:1",
        "docker_shared_container_key: team",
        "primary_key=id public_key=abc",
        "keyboard: qwerty, monkey=1",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "eyJ is how they start",
        "AKIA is a prefix",
        "the password was wrong",
    ] {
        check_stays(text);
    }
}

#[test]
fn known_values_are_removed_wherever_they_stand() {
    let known =
        ["hunter2", "correct horse", "pa\"ss\\word", "abc", "line one of a long value\nline two of a long value"];
    let redactor = Redactor::new(known.map(Secret::new));
    for (text, expected) in [
        ("it is hunter2!", "it is ****!"),
        ("xxhunter2hunter2xx", "xx********xx"),
        ("a correct horse b", "a **** b"),
        (r#"raw pa"ss\word"#, "raw ****"),
        (r#""pa\"ss\\word""#, r#""****""#),
        ("> line two of a long value", "> ****"),
        ("abc is too short to be looked for", "abc is too short to be looked for"),
    ] {
        assert_eq!(redactor.redact(text), expected);
    }
    assert!(!format!("{redactor:?}").contains("hunter2"));
}

#[test]
fn of_two_known_values_the_longer_is_removed_whole() {
    let redactor = Redactor::new(["secretvalue", "secretvalue-and-more"].map(Secret::new));
    assert_eq!(redactor.redact("secretvalue-and-more"), "****");
}

proptest! {
    #[test]
    fn any_text_is_redacted_without_harm(text: String, secret in "[!-~]{8,40}") {
        let redactor = Redactor::new([Secret::new(secret.clone())]);
        let around = format!("{text}{secret}{text}");
        prop_assert!(!redactor.redact(&around).contains(&secret));
        redactor.redact(&text);
    }

    #[test]
    fn a_named_value_never_survives(value in "[A-Za-z0-9_+/=-]{5,40}") {
        for text in [format!("MY_API_KEY={value}"), format!("\"token\": \"{value}\""), format!("password: '{value}'")] {
            let redacted = Redactor::default().redact(&text).into_owned();
            prop_assert!(!redacted.contains(&value), "{}", redacted);
        }
    }
}
