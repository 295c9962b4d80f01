//! What Telegram finds in a text, and which HTML it takes.

use serde_json::{Value, json};

const TAGS: [&str; 8] = ["b", "i", "u", "s", "a", "code", "pre", "blockquote"];

/// Names and commands in a text, in units of UTF-16.
pub(super) fn entities(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut offset = 0;
    for word in text.split(' ') {
        let length = word.encode_utf16().count();
        let kind = match word.chars().next() {
            Some('@') => Some("mention"),
            Some('/') => Some("bot_command"),
            _ => None,
        };
        found.extend(kind.map(|kind| json!({"type": kind, "offset": offset, "length": length})));
        offset += length + 1;
    }
    found
}

/// What is wrong with HTML, as Telegram would say it.
pub(super) fn problem(html: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>') else { return Some("unclosed start tag".to_owned()) };
        let tag = &rest[start + 1..start + end];
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
        if !TAGS.contains(&name) {
            return Some(format!("Unsupported start tag \"{name}\""));
        }
        if !tag.starts_with('/') {
            open.push(name);
        } else if open.pop() != Some(name) {
            return Some("unmatched end tag".to_owned());
        }
        rest = &rest[start + end + 1..];
    }
    (!open.is_empty()).then(|| "can't find end tag".to_owned())
}

/// The text that people see.
pub(super) fn visible(html: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for character in html.chars() {
        match character {
            '<' => is_tag = true,
            '>' => is_tag = false,
            _ if is_tag => {}
            character => text.push(character),
        }
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}
