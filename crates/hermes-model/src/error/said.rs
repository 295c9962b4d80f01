//! What a server said about its refusal, made fit to be shown.

use std::fmt;

use hermes_home::redact::Redactor;
use hermes_proto::Secret;
use serde_json::Value as Json;

/// Characters of it that are shown.
const LONGEST: usize = 400;

/// A server's own words: one line, short, without secrets. May be empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said(String);

impl Said {
    /// The telling part of a body: the message of an error object, else the text.
    pub(crate) fn of_body(body: &str, secrets: &[Secret]) -> Self {
        let parsed = serde_json::from_str::<Json>(body).ok();
        let told = parsed.as_ref().and_then(message_of);
        Self::new(told.as_deref().unwrap_or(body), secrets)
    }

    pub(crate) fn new(text: &str, secrets: &[Secret]) -> Self {
        // Redacted as a whole before it is cut: half a key would no longer be recognised.
        let redacted = Redactor::new(secrets.iter().cloned()).redact(text).into_owned();
        let line = redacted.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut shown: String = line.chars().filter(|character| !character.is_control()).take(LONGEST + 1).collect();
        if shown.chars().count() > LONGEST {
            shown.pop();
            shown.push('…');
        }
        Self(shown)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, ": {}", self.0) }
    }
}

/// The message of an error body: `error.message`, with what a relay passes on from behind it.
fn message_of(body: &Json) -> Option<String> {
    const PLACES: [&str; 6] = ["/error/message", "/message", "/detail", "/error", "/0/error/message", "/msg"];
    let message = PLACES.iter().find_map(|place| body.pointer(place).and_then(Json::as_str))?;
    match body.pointer("/error/metadata/raw").and_then(Json::as_str) {
        Some(raw) => Some(format!("{message} ({raw})")),
        None => Some(message.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_part_is_shown_without_secrets_on_one_line() {
        let key = Secret::new("zz-very-own-key-0123");
        let long = format!("<html>{}</html>", "x ".repeat(5000));
        for (body, expected) in [
            ("", String::new()),
            (r#"{"error":{"message":"no\n  such model"}}"#, ": no such model".to_owned()),
            (r#"{"error":"plain"}"#, ": plain".to_owned()),
            (r#"{"detail":"here"}"#, ": here".to_owned()),
            (r#"[{"error":{"message":"google"}}]"#, ": google".to_owned()),
            (
                r#"{"error":{"message":"Provider returned error","metadata":{"raw":"slow"}}}"#,
                ": Provider returned error (slow)".to_owned(),
            ),
            ("bad gateway\u{1b}[31m", ": bad gateway[31m".to_owned()),
            (r#"{"error":{"message":"wrong key zz-very-own-key-0123"}}"#, ": wrong key ****".to_owned()),
            ("Incorrect API key provided: sk-abcdefghijklmnopqrstuvwxyz0123456789", String::new()),
            (&long, String::new()),
        ] {
            let shown = Said::of_body(body, std::slice::from_ref(&key)).to_string();
            assert!(!shown.contains("0123") && shown.chars().count() <= LONGEST + 3, "{shown}");
            if !expected.is_empty() {
                assert_eq!(shown, expected, "{body}");
            }
        }
    }
}
