//! What becomes of an entry's texts before they are stored: secrets out, length bounded.
//!
//! Redaction comes before the cut: a secret that the cut went through would no longer look like one.

use std::borrow::Cow;

use hermes_home::redact::Redactor;
use hermes_proto::credential::is_secret_name;
use serde_json::{Map, Value as Json, json};

/// Bytes of a subject that are kept.
pub const LONGEST_SUBJECT: usize = 8 << 10;
/// Bytes of any other text that are kept.
pub const LONGEST_FIELD: usize = 1 << 10;
/// Bytes of a detail's JSON text; a longer detail is replaced by its length.
pub const LONGEST_DETAIL: usize = 16 << 10;

/// What stands in place of a secret.
const MASK: &str = "****";

/// A redacted text and the length it had before it was cut.
pub(super) struct Clean<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) length: usize,
}

pub(super) fn clean<'t>(redactor: &Redactor, text: &'t str, longest: usize) -> Clean<'t> {
    let text = redactor.redact(text);
    let length = text.len();
    if length <= longest {
        return Clean { text, length };
    }
    let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    };
    Clean { text, length }
}

/// The detail as JSON text, `None` for nothing.
pub(super) fn detail(redactor: &Redactor, detail: &Json) -> Option<String> {
    if detail.is_null() {
        return None;
    }
    let text = tree(redactor, detail).to_string();
    Some(if text.len() > LONGEST_DETAIL { json!({ "cut": text.len() }).to_string() } else { text })
}

/// Redacts each text by itself, names too: in the JSON text a mask could take a quotation mark with it.
fn tree(redactor: &Redactor, value: &Json) -> Json {
    match value {
        Json::String(text) => Json::from(redactor.redact(text)),
        Json::Array(items) => items.iter().map(|item| tree(redactor, item)).collect(),
        Json::Object(map) => map.iter().map(|(name, value)| pair(redactor, name, value)).collect::<Map<_, _>>().into(),
        other => other.clone(),
    }
}

/// A value whose name says that it is secret shows it by nothing else.
fn pair(redactor: &Redactor, name: &str, value: &Json) -> (String, Json) {
    let value = match value {
        Json::String(_) if is_secret_name(name) => Json::from(MASK),
        other => tree(redactor, other),
    };
    (redactor.redact(name).into_owned(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "sk-or-v1-0123456789abcdef0123456789abcdef";

    #[test]
    fn a_secret_that_the_cut_goes_through_is_gone_too() {
        let text = format!("{} {SECRET}", "x".repeat(LONGEST_SUBJECT - 12));
        let redactor = Redactor::default();
        let cleaned = clean(&redactor, &text, LONGEST_SUBJECT);
        assert!(!cleaned.text.contains("0123"), "{}", &cleaned.text[LONGEST_SUBJECT - 40..]);
        assert!(cleaned.text.len() <= LONGEST_SUBJECT);
    }

    #[test]
    fn a_cut_keeps_whole_characters_and_the_length() {
        let text = format!("a{}", "é".repeat(LONGEST_FIELD));
        let cleaned = clean(&Redactor::default(), &text, LONGEST_FIELD);
        assert_eq!((cleaned.text.len(), cleaned.length), (LONGEST_FIELD - 1, 2 * LONGEST_FIELD + 1));
    }

    #[test]
    fn a_detail_stays_json_and_loses_its_secrets() {
        let given = json!({
            "argv": ["curl", "-H", format!("Authorization: Bearer {SECRET}")],
            "environment": { "GROQ_API_KEY": "abc", "LANG": "C" },
            SECRET: 1,
            "exit": 3,
        });
        let text = detail(&Redactor::default(), &given).unwrap();
        let back: Json = serde_json::from_str(&text).unwrap();
        assert!(!text.contains("0123456789"), "{text}");
        assert_eq!(back["environment"], json!({ "GROQ_API_KEY": "****", "LANG": "C" }));
        assert_eq!(back["exit"], 3);
        assert_eq!(detail(&Redactor::default(), &Json::Null), None);
        let long = detail(&Redactor::default(), &json!("x".repeat(LONGEST_DETAIL))).unwrap();
        assert_eq!(long, json!({ "cut": LONGEST_DETAIL + 2 }).to_string());
    }
}
