//! What tools give to the model, without what it should not see.
//!
//! Two things are taken out. Escape sequences, from what programs printed: they are for terminals, and to a model they are noise
//! that costs tokens. Secrets, from everything: a key that once is in a conversation is sent to a provider with each further
//! request, and is on disk. It is a net and no wall: a command can print a key in any disguise.

use hermes_home::redact::Redactor;
use serde_json::Value;

use crate::tool::ToolReply;

/// What a program printed, as plain text.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// The reply without secrets.
pub(crate) fn redacted(mut reply: ToolReply, redactor: &Redactor) -> ToolReply {
    redact(&mut reply.content, redactor);
    reply
}

/// Each text by itself: in the text of the whole, a key of several lines is not recognised.
fn redact(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(clean) = redactor.redact(text) {
                *text = clean;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| redact(value, redactor)),
        Value::Object(map) => map.values_mut().for_each(|value| redact(value, redactor)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use hermes_home::redact::Redactor;
    use hermes_proto::Secret;
    use serde_json::json;

    use super::{plain, redacted};
    use crate::tool::ToolReply;

    #[test]
    fn escape_sequences_go_and_text_stays() {
        for (text, expected) in [
            ("plain\ttext\r\n", "plain\ttext\r\n"),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("grüß\u{1b}[K\tok\nnext", "grüß\tok\nnext"),
            ("\u{1b}[?25lhidden\u{1b}[?25h", "hidden"),
            ("half \u{1b}[3", "half "),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn secrets_are_found_at_any_depth_and_numbers_stay() {
        let redactor = Redactor::new([Secret::new("hunter2hunter2")]);
        let key = "-----BEGIN PRIVATE KEY-----\nMIIabcdef\n-----END PRIVATE KEY-----";
        let content = json!({"a": ["x hunter2hunter2 y", {"b": key}], "n": 7, "none": null, "plain": "words"});
        let reply = redacted(ToolReply::done(content, ""), &redactor);
        let text = reply.content.to_string();
        assert!(!text.contains("hunter2") && !text.contains("MIIabcdef"), "{text}");
        assert_eq!((&reply.content["n"], &reply.content["plain"]), (&json!(7), &json!("words")));
    }
}
