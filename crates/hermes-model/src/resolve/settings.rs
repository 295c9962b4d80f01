//! What config.yaml says about one provider, in its present and in its older form.

use std::collections::BTreeMap;

use hermes_home::config::Provider;
use hermes_proto::Secret;
use hermes_proto::credential::providers;
use serde_json::Value as Json;

use super::Sources;

/// How an older entry is referred to.
const CUSTOM: &str = "custom:";

impl Sources {
    /// The settings of a provider: under its name, its id or one of its aliases, else among the older entries.
    pub(super) fn settings(&self, name: &str) -> Option<Provider> {
        let plain = name.strip_prefix(CUSTOM).unwrap_or(name);
        let known = providers::find(name);
        let means = |key: &str| {
            key.eq_ignore_ascii_case(plain) || key == name || known.is_some_and(|provider| provider.is_called(key))
        };
        let written = self.config.providers.iter().find(|(key, _)| means(key)).map(|(_, settings)| settings.clone());
        written.or_else(|| {
            let older = self.config.custom_providers.as_array().into_iter().flatten();
            older
                .filter(|entry| text(entry, "name").is_some_and(|name| name.eq_ignore_ascii_case(plain)))
                .map(of_older)
                .next()
        })
    }

    /// Names that config.yaml gives to providers.
    pub(super) fn described(&self) -> Vec<String> {
        let older = self.config.custom_providers.as_array().into_iter().flatten();
        let older = older.filter_map(|entry| text(entry, "name")).map(|name| format!("{CUSTOM}{name}"));
        self.config.providers.keys().cloned().chain(older).collect()
    }

    /// Whether config.yaml itself has a key for this provider.
    pub(super) fn has_own_key(&self, name: &str) -> bool {
        self.settings(name).is_some_and(|settings| {
            usable(settings.api_key.as_ref()).is_some()
                || self.variable(&settings.key_env).is_some()
                || !settings.key_cmd.trim().is_empty()
        })
    }
}

/// A key that is one: a reference to a variable that is not set is none.
pub(super) fn usable(key: Option<&Secret>) -> Option<Secret> {
    let key = key?.expose().trim();
    (!key.is_empty() && !key.starts_with("${")).then(|| Secret::new(key))
}

fn of_older(entry: &Json) -> Provider {
    let strings = |field: &str| -> BTreeMap<String, String> {
        let pairs = entry.get(field).and_then(Json::as_object).into_iter().flatten();
        pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    };
    let field = |name: &str| text(entry, name).unwrap_or_default().to_owned();
    let usual = Provider::default();
    let seconds = |name: &str, usual: u64| entry.get(name).and_then(Json::as_u64).unwrap_or(usual);
    Provider {
        name: field("name"),
        base_url: field("base_url"),
        key_env: field("key_env"),
        key_cmd: field("key_cmd"),
        api_key: text(entry, "api_key").map(Secret::new),
        api_mode: field("api_mode"),
        default_model: text(entry, "model").or(text(entry, "default_model")).unwrap_or_default().to_owned(),
        extra_headers: strings("extra_headers"),
        extra_body: entry.get("extra_body").cloned().unwrap_or(Json::Null),
        models: entry.get("models").cloned().unwrap_or(Json::Null),
        request_timeout_seconds: seconds("request_timeout_seconds", usual.request_timeout_seconds),
        stale_timeout_seconds: seconds("stale_timeout_seconds", usual.stale_timeout_seconds),
        ..usual
    }
}

fn text<'a>(entry: &'a Json, field: &str) -> Option<&'a str> {
    entry.get(field).and_then(Json::as_str).map(str::trim).filter(|text| !text.is_empty())
}
