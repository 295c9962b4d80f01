//! What all providers want of names, ids and arguments when a conversation is sent back to them.
//!
//! A conversation may have been begun by another provider, and a model may have written what is no JSON. A request that
//! repeats either is refused for good: the session could never go on.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value as Json, json};

use hermes_proto::message::Reasoning;

use crate::ModelId;

/// Characters a name or an id may have with every provider.
const LONGEST_NAME: usize = 64;
const LONGEST_ID: usize = 40;

/// A call's id as every provider takes it.
pub(super) fn id(id: &str) -> String {
    if !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(is_plain) {
        return id.to_owned();
    }
    format!("call_{:016x}", hash(id))
}

/// A call's id as Mistral takes it: nine letters and digits.
pub(super) fn short_id(id: &str) -> String {
    const LENGTH: usize = 9;
    if id.len() == LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return id.to_owned();
    }
    format!("{:016x}", hash(id)).chars().take(LENGTH).collect()
}

/// A tool's name. The model may have called one that cannot even be named.
pub(super) fn name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii() && is_plain(c as u8) { c } else { '_' }).collect();
    if plain.is_empty() { "unnamed".to_owned() } else { plain.chars().take(LONGEST_NAME).collect() }
}

/// A call's arguments as the object they have to be.
pub(super) fn arguments(text: &str) -> Json {
    match serde_json::from_str(text) {
        Ok(Json::Object(object)) => Json::Object(object),
        _ if text.trim().is_empty() => json!({}),
        _ => json!({ "malformed_arguments": text }),
    }
}

/// Reasoning that this model can be sent back: what another one thought means nothing to it.
pub(super) fn replay(reasoning: Option<&Reasoning>, model: &ModelId) -> Option<Json> {
    let mut replay: Json = serde_json::from_str(reasoning?.replay.as_deref()?).ok()?;
    (replay.get("model")?.as_str()? == model.to_string()).then(|| replay["data"].take())
}

/// The form in which [`replay`] finds it again.
pub(super) fn to_replay(model: &ModelId, data: &Json) -> Json {
    json!({ "model": model.to_string(), "data": data })
}

/// An id for a call that came without one, or with one that another call has.
pub(super) fn made_up_id(seed: u64, index: usize) -> String {
    format!("call_{seed:016x}{index:02}")
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Only has to give a call and its result the same id, and the same one in each request so that caches hit.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_providers_refuse_is_made_acceptable() {
        assert_eq!(id("toolu_01A-b"), "toolu_01A-b");
        for odd in ["", "call_1|fc_2", &"a".repeat(41), "ä"] {
            let wire = id(odd);
            assert!(wire.len() == 21 && wire.bytes().all(is_plain) && wire == id(odd), "{wire}");
        }
        assert_ne!(id("a|b"), id("a.b"));
        assert_eq!((short_id("abcDEF123").as_str(), short_id("call_1").len()), ("abcDEF123", 9));
        assert_eq!((name("a b/ä").as_str(), name("").as_str()), ("a_b__", "unnamed"));
        assert_eq!(arguments(r#"{"a":1}"#), json!({"a": 1}));
        assert_eq!(arguments("  "), json!({}));
        for odd in ["[1]", "{\"a\":", "null"] {
            assert_eq!(arguments(odd), json!({ "malformed_arguments": odd }));
        }
    }
}
