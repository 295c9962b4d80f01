//! One model as somebody named it, in whichever of the forms that config.yaml has for that.

use hermes_home::config::Auxiliary;
use hermes_proto::Secret;
use serde_json::{Map, Value as Json};

use super::ResolveError;

/// A provider, a model of it, and what is special about it here.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Entry {
    /// Empty for: whichever has it.
    pub(super) provider: String,
    /// Empty for: the provider's usual one.
    pub(super) model: String,
    pub(super) base_url: Option<String>,
    pub(super) key: Option<Secret>,
    pub(super) key_env: Option<String>,
    pub(super) api_mode: Option<String>,
    pub(super) extra_body: Map<String, Json>,
}

impl Entry {
    /// `provider/model`, a model's name, or a map with both.
    pub(super) fn of(value: &Json) -> Option<Self> {
        let text = |field: &str| {
            value.get(field).and_then(Json::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        match value {
            Json::String(name) if !name.trim().is_empty() => {
                Some(Self { model: name.trim().to_owned(), ..Self::default() })
            }
            Json::Object(_) => {
                let entry = Self {
                    provider: text("provider").filter(|provider| provider != "auto").unwrap_or_default(),
                    model: text("model").or(text("default")).unwrap_or_default(),
                    base_url: text("base_url"),
                    key: text("api_key").filter(|key| !key.starts_with("${")).map(Secret::new),
                    key_env: text("key_env").or(text("api_key_env")),
                    api_mode: text("api_mode"),
                    extra_body: value.get("extra_body").and_then(Json::as_object).cloned().unwrap_or_default(),
                };
                let is_something = !entry.provider.is_empty() || !entry.model.is_empty() || entry.base_url.is_some();
                is_something.then_some(entry)
            }
            _ => None,
        }
    }

    /// The entries of a list, or the one that stands alone.
    pub(super) fn of_list(value: &Json) -> Vec<Result<Self, ResolveError>> {
        let one = |value: &Json| Self::of(value).ok_or_else(|| ResolveError::Entry { entry: shown(value) });
        match value {
            Json::Null => Vec::new(),
            Json::Array(items) => items.iter().map(one).collect(),
            Json::String(text) if text.trim().is_empty() => Vec::new(),
            Json::Object(fields) if fields.is_empty() => Vec::new(),
            value => vec![one(value)],
        }
    }

    /// The model of a task; `None` if it says nothing of its own.
    pub(super) fn of_task(task: &Auxiliary) -> Option<Self> {
        let provider =
            Some(task.provider.trim()).filter(|provider| !matches!(*provider, "auto" | "main")).unwrap_or_default();
        let base_url = Some(task.base_url.trim().to_owned()).filter(|url| !url.is_empty());
        let entry = Self {
            provider: provider.to_owned(),
            model: task.model.trim().to_owned(),
            base_url,
            key: task.api_key.clone().filter(|key| !key.is_empty()),
            extra_body: task.extra_body.as_object().cloned().unwrap_or_default(),
            ..Self::default()
        };
        let is_own = !entry.provider.is_empty() || !entry.model.is_empty() || entry.base_url.is_some();
        is_own.then_some(entry)
    }
}

/// Only its keys: the values may be secrets.
fn shown(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            format!("a map of {}", fields.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
        }
        _ => "neither text nor a map".to_owned(),
    }
}
