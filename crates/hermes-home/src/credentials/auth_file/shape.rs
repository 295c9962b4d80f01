//! Whether the JSON of `auth.json` has the shape that the rest of this module reads.
//!
//! Checked once and as a whole, so that a pool that is a list is named by its path
//! instead of looking like a pool without credentials.

use serde_json::{Map, Value};

/// Where the shape is wrong, as a JSON path, and what should stand there.
pub(super) struct Misshapen {
    pub(super) at: String,
    pub(super) expected: &'static str,
}

/// Fields of a pool entry that are text where they are present.
const TEXTS: [&str; 5] = ["id", "label", "auth_type", "source", "access_token"];

pub(super) fn check(root: Value) -> Result<Map<String, Value>, Misshapen> {
    let Value::Object(root) = root else {
        return Err(wrong("the whole file", "a JSON object"));
    };
    for (key, entries) in members(&root, "credential_pool")? {
        check_pool(&format!("credential_pool.{key}"), entries)?;
    }
    for (key, state) in members(&root, "providers")? {
        check_kind(state, &format!("providers.{key}"), "an object", Value::is_object)?;
    }
    if let Some(active) = root.get("active_provider") {
        check_kind(active, "active_provider", "text", Value::is_string)?;
    }
    Ok(root)
}

fn check_pool(at: &str, entries: &Value) -> Result<(), Misshapen> {
    check_kind(entries, at, "a list", Value::is_array)?;
    for (index, entry) in entries.as_array().into_iter().flatten().enumerate() {
        let at = format!("{at}[{index}]");
        let fields = entry.as_object().ok_or_else(|| wrong(at.as_str(), "an object"))?;
        for name in TEXTS {
            if let Some(value) = fields.get(name) {
                check_kind(value, &format!("{at}.{name}"), "text", Value::is_string)?;
            }
        }
        if let Some(value) = fields.get("priority") {
            check_kind(value, &format!("{at}.priority"), "a number", Value::is_number)?;
        }
    }
    Ok(())
}

/// The members of an object that may be missing or null.
fn members<'a>(
    root: &'a Map<String, Value>,
    name: &str,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, Misshapen> {
    let value = root.get(name).unwrap_or(&Value::Null);
    check_kind(value, name, "an object", Value::is_object)?;
    Ok(value.as_object().into_iter().flatten())
}

/// Null stands for "not there" wherever the original wrote it.
fn check_kind(value: &Value, at: &str, expected: &'static str, is: fn(&Value) -> bool) -> Result<(), Misshapen> {
    if value.is_null() || is(value) { Ok(()) } else { Err(wrong(at, expected)) }
}

fn wrong(at: impl Into<String>, expected: &'static str) -> Misshapen {
    Misshapen { at: at.into(), expected }
}
