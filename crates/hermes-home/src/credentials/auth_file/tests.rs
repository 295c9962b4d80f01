//! What `auth.json` means, what is wrong with it, and that changes lose nothing.

use std::path::Path;
use std::time::UNIX_EPOCH;

use hermes_proto::{Explain, Fault};
use proptest::prelude::*;
use serde_json::Value;

use super::{AuthFile, AuthFileError, NewKey, Place};
use crate::credentials::{ApiKey, ProviderId};

/// As the original leaves it, with fields only it knows.
const ORIGINAL: &str = r#"{
  "version": 1,
  "providers": {
    "nous": {"access_token": "nous-access-0123456789", "expires_at": 1763200000.1234567, "scope": "inference"},
    "openai-codex": {"tokens": {"access_token": "codex-access-0123456789", "refresh_token": "r"}}
  },
  "zebra": [3, 2.50, 1e3, 18446744073709551615],
  "credential_pool": {
    "openrouter": [
      {"id": "bbbbbb", "label": "spare", "auth_type": "api_key", "priority": 1, "source": "manual", "access_token": "sk-or-spare-0123456789", "last_status": null},
      {"id": "aaaaaa", "label": "main", "auth_type": "api_key", "priority": 0, "source": "manual", "access_token": "sk-or-main-0123456789", "request_count": 7}
    ],
    "openai-api": [{"id": "cccccc", "label": "work", "auth_type": "api_key", "priority": 0, "access_token": "sk-work-0123456789"}],
    "custom:local": [{"label": "record only"}]
  },
  "active_provider": "nous",
  "updated_at": "2025-01-01T00:00:00+00:00"
}
"#;

fn parse(text: &str) -> Result<AuthFile, AuthFileError> {
    AuthFile::parse(Path::new("auth.json"), text.as_bytes())
}

fn json(file: &AuthFile) -> Value {
    serde_json::from_slice(&file.render(UNIX_EPOCH)).unwrap()
}

fn provider(id: &str) -> ProviderId {
    id.parse().unwrap()
}

fn add(file: &mut AuthFile, id: &str, key: &str) -> Result<String, AuthFileError> {
    file.add(&provider(id), &ApiKey::parse(key).unwrap(), &NewKey::default())
}

#[test]
fn entries_come_by_priority_and_logins_with_their_token() {
    let file = parse(ORIGINAL).unwrap();
    let pool: Vec<_> = file.pool().into_iter().map(|(key, entry)| (key, entry.label.unwrap())).collect();
    let expected =
        [("openrouter", "main"), ("openrouter", "spare"), ("openai-api", "work"), ("custom:local", "record only")];
    assert_eq!(pool, expected.map(|(key, label)| (key, label.to_owned())));
    let tokens: Vec<_> = file.logins().into_iter().map(|login| login.access_token.unwrap()).collect();
    assert_eq!(
        tokens.iter().map(|t| t.expose()).collect::<Vec<_>>(),
        ["nous-access-0123456789", "codex-access-0123456789"]
    );
    assert_eq!(file.active_provider(), Some("nous"));
    assert!(!format!("{file:?} {:?} {:?}", file.pool(), file.logins()).contains("0123456789"));
}

#[test]
fn a_change_keeps_unknown_fields_numbers_and_order() {
    let mut file = parse(ORIGINAL).unwrap();
    assert_eq!(add(&mut file, "anthropic", "sk-ant-1").unwrap(), "api-key-1");
    let mut expected: Value = serde_json::from_str(ORIGINAL).unwrap();
    let entry = json(&file)["credential_pool"]["anthropic"][0].clone();
    assert_eq!(entry["id"].as_str().unwrap().len(), 6);
    assert_eq!(
        (&entry["source"], &entry["priority"], &entry["access_token"]),
        (&"manual".into(), &0.into(), &"sk-ant-1".into())
    );
    expected["credential_pool"]["anthropic"] = Value::Array(vec![entry]);
    expected["updated_at"] = "1970-01-01T00:00:00+00:00".into();
    assert_eq!(json(&file).to_string(), expected.to_string());
    let text = String::from_utf8(file.render(UNIX_EPOCH)).unwrap();
    assert!(text.contains("1763200000.1234567") && text.contains("18446744073709551615"), "{text}");
    assert!(text.ends_with("}\n"));
}

#[test]
fn a_key_goes_where_its_provider_already_is() {
    let mut file = parse(ORIGINAL).unwrap();
    assert_eq!(add(&mut file, "openai", "sk-new").unwrap(), "api-key-2");
    let entries = &json(&file)["credential_pool"]["openai-api"];
    assert_eq!(entries[1]["access_token"], "sk-new");
    assert_eq!(entries[1]["priority"], 1);
}

#[test]
fn a_new_file_has_a_version_and_the_key() {
    let mut file = AuthFile::default();
    add(&mut file, "openrouter", "sk-1").unwrap();
    let keys: Vec<_> = json(&file).as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["version", "credential_pool", "updated_at"]);
}

#[test]
fn the_same_key_and_the_same_label_are_refused() {
    let mut file = parse(ORIGINAL).unwrap();
    let error = add(&mut file, "openai", "sk-work-0123456789").unwrap_err();
    assert_eq!(error.to_string(), "this key is already stored for openai as \"work\"");
    let new = NewKey { label: Some("main".to_owned()), priority: Some(-3) };
    let error = file.add(&provider("openrouter"), &ApiKey::parse("sk-2").unwrap(), &new).unwrap_err();
    assert_eq!(error.to_string(), "openrouter already has a credential with the label \"main\"");
    assert!(add(&mut file, "anthropic", "sk-work-0123456789").is_ok(), "another provider may have the same key");
}

#[test]
fn removing_takes_one_entry_and_then_finds_it_gone() {
    let mut file = parse(ORIGINAL).unwrap();
    let (key, entry) = file.pool().into_iter().nth(1).map(|(key, entry)| (key.to_owned(), entry)).unwrap();
    let place = Place::Pool { key, entry };
    file.remove(&place).unwrap();
    assert_eq!(json(&file)["credential_pool"]["openrouter"].as_array().unwrap().len(), 1);
    assert!(matches!(file.remove(&place), Err(AuthFileError::Gone)));

    let login = Place::Login { key: "nous".to_owned() };
    file.remove(&login).unwrap();
    assert_eq!(file.active_provider(), None);
    assert_eq!(file.logins().len(), 1);
    assert!(matches!(file.remove(&login), Err(AuthFileError::Gone)));

    let last = file.pool().into_iter().last().map(|(key, entry)| (key.to_owned(), entry)).unwrap();
    file.remove(&Place::Pool { key: last.0, entry: last.1 }).unwrap();
    assert!(json(&file)["credential_pool"].get("custom:local").is_none());
}

#[test]
fn a_wrong_shape_is_named_by_its_path() {
    for (text, at) in [
        ("[]", "the whole file must be a JSON object"),
        ("null", "the whole file must be a JSON object"),
        (r#"{"credential_pool": []}"#, "credential_pool must be an object"),
        (r#"{"credential_pool": {"openrouter": {}}}"#, "credential_pool.openrouter must be a list"),
        (r#"{"credential_pool": {"a": [{}, 1]}}"#, "credential_pool.a[1] must be an object"),
        (r#"{"credential_pool": {"a": [{"access_token": 1}]}}"#, "credential_pool.a[0].access_token must be text"),
        (r#"{"credential_pool": {"a": [{"priority": "x"}]}}"#, "credential_pool.a[0].priority must be a number"),
        (r#"{"providers": "x"}"#, "providers must be an object"),
        (r#"{"providers": {"nous": []}}"#, "providers.nous must be an object"),
        (r#"{"active_provider": 1}"#, "active_provider must be text"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot use auth.json: {at}"));
        assert_eq!(error.fault(), Fault::Configuration);
    }
    for text in [
        "{}",
        r#"{"credential_pool": null, "providers": null, "active_provider": null}"#,
        r#"{"credential_pool": {"a": null}}"#,
    ] {
        assert!(parse(text).unwrap().pool().is_empty());
    }
}

#[test]
fn broken_json_is_an_error_with_its_position() {
    for (text, position) in
        [("", "line 1 column 0"), ("{\n  \"a\": 1,\n  oops\n}", "line 3 column 3"), ("{\"a\": 1", "line 1 column 7")]
    {
        let error = parse(text).unwrap_err();
        assert!(error.to_string().ends_with(position), "{error}");
        assert_eq!(error.fault(), Fault::Configuration);
        assert!(error.hint().unwrap().contains("left as it is"));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = AuthFile::parse(Path::new("auth.json"), &bytes);
    }

    #[test]
    fn a_damaged_file_is_read_or_refused_and_what_is_read_can_be_changed(
        position: prop::sample::Index, removed in 0usize..40, inserted in "[\\[\\]{}\":,0-9a-z. ]{0,8}",
    ) {
        let mut bytes = ORIGINAL.as_bytes().to_vec();
        let at = position.index(bytes.len());
        let end = (at + removed).min(bytes.len());
        bytes.splice(at..end, inserted.bytes());
        if let Ok(mut file) = AuthFile::parse(Path::new("auth.json"), &bytes) {
            let before = file.pool().len();
            add(&mut file, "groq", "gsk-1").unwrap();
            let again = AuthFile::parse(Path::new("auth.json"), &file.render(UNIX_EPOCH)).unwrap();
            prop_assert_eq!(again.pool().len(), before + 1);
        }
    }

    #[test]
    fn times_written_as_fractions_are_kept_to_the_last_digit(seconds in 0.0f64..4e9) {
        let text = format!("{{\"providers\": {{\"nous\": {{\"expires_at\": {seconds:?}}}}}}}");
        let rendered = String::from_utf8(parse(&text).unwrap().render(UNIX_EPOCH)).unwrap();
        prop_assert!(rendered.contains(&format!("\"expires_at\": {seconds:?}")), "{}", rendered);
    }
}
