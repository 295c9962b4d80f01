//! One address that programs can call: who may, about what, what the agent is told, and where the result goes.

use std::net::IpAddr;
use std::path::Path;

use hermes_proto::Secret;
use serde::Deserialize;

use crate::{Address, Identifier, Platform};

/// For routes on a machine that nobody else reaches.
const UNSIGNED: &str = "INSECURE_NO_AUTH";
const SHORTEST_SECRET: usize = 16;
const LONGEST_NAME: usize = 64;
/// Bytes of the file of subscriptions.
const LARGEST_FILE: u64 = 1024 * 1024;
const SUBSCRIPTIONS: &str = "webhook_subscriptions.json";

/// A route as it is written in config.yaml or in the subscriptions.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct WrittenRoute {
    secret: Option<String>,
    #[serde(default)]
    events: Vec<String>,
    #[serde(default)]
    prompt: String,
    deliver: Option<String>,
    #[serde(default)]
    deliver_extra: WrittenTarget,
    callback: Option<WrittenCallback>,
    rate_limit: Option<u32>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct WrittenTarget {
    chat_id: Option<serde_json::Value>,
    thread_id: Option<serde_json::Value>,
}

#[derive(Debug, Clone, Deserialize)]
struct WrittenCallback {
    url: String,
    secret: Option<String>,
    #[serde(default)]
    allow_private: bool,
}

/// A route that can be served.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub(super) signing: Signing,
    /// Only these; all if none is named.
    pub(super) events: Vec<String>,
    pub(super) prompt: String,
    pub(super) target: Target,
    /// Requests in a minute, if it has a limit of its own.
    pub(super) rate: Option<u32>,
}

/// Who may call.
#[derive(Debug, Clone)]
pub(super) enum Signing {
    Secret(Secret),
    /// Everybody on this machine.
    Nobody,
}

/// Where what comes of a request goes.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// Into the log.
    Log,
    Chat(Address),
    Callback(Callback),
}

/// An address elsewhere that is told.
#[derive(Debug, Clone)]
pub(super) struct Callback {
    pub(super) url: String,
    pub(super) secret: Secret,
    /// Also addresses of private networks.
    pub(super) allow_private: bool,
}

impl Route {
    /// Checks a route; `common` is the secret of routes that have none, `host` where it is served.
    pub(super) fn checked(
        name: &str,
        written: WrittenRoute,
        common: Option<&Secret>,
        host: IpAddr,
    ) -> Result<Self, String> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_letter) {
            return Err("a name has letters, digits, - and _, at most 64".to_owned());
        }
        let secret =
            written.secret.clone().filter(|text| !text.is_empty()).map(Secret::new).or_else(|| common.cloned());
        let signing = match secret {
            None => return Err("it has no secret".to_owned()),
            Some(secret) if secret.expose() == UNSIGNED && host.is_loopback() => Signing::Nobody,
            Some(secret) if secret.expose() == UNSIGNED => {
                return Err(format!("{UNSIGNED} is only for routes that are served on this machine"));
            }
            Some(secret) => Signing::Secret(usable(secret)?),
        };
        let target = target(&written, &signing)?;
        Ok(Self { signing, events: written.events, prompt: written.prompt, target, rate: written.rate_limit })
    }

    /// Where answers go, if to a chat of another platform.
    pub(super) fn chat(&self) -> Option<&Address> {
        match &self.target {
            Target::Chat(address) => Some(address),
            Target::Log | Target::Callback(_) => None,
        }
    }
}

/// A secret that nobody guesses.
fn usable(secret: Secret) -> Result<Secret, String> {
    // What names a variable that is not set is known to everybody who knows the configuration's example.
    if secret.expose().starts_with("${") {
        return Err("its secret names a variable that is not set".to_owned());
    }
    if secret.expose().len() < SHORTEST_SECRET {
        return Err(format!("its secret is shorter than {SHORTEST_SECRET} characters"));
    }
    Ok(secret)
}

fn target(written: &WrittenRoute, signing: &Signing) -> Result<Target, String> {
    match (written.deliver.as_deref(), &written.callback) {
        (None | Some("callback"), Some(callback)) => {
            let secret = match (callback.secret.clone().map(Secret::new), signing) {
                (Some(own), _) => usable(own)?,
                (None, Signing::Secret(secret)) => secret.clone(),
                (None, Signing::Nobody) => return Err("its callback has no secret".to_owned()),
            };
            Ok(Target::Callback(Callback { url: callback.url.clone(), secret, allow_private: callback.allow_private }))
        }
        (None | Some("log"), None) => Ok(Target::Log),
        (Some("callback"), None) => Err("it delivers to a callback and has none".to_owned()),
        (Some(_), Some(_)) => Err("it has a callback and delivers to something else".to_owned()),
        (Some(platform), None) => {
            let platform: Platform = platform.parse().map_err(|error| format!("deliver: {error}"))?;
            let extra = &written.deliver_extra;
            let chat = identifier(extra.chat_id.as_ref())?.ok_or("deliver_extra.chat_id is missing")?;
            Ok(Target::Chat(Address { platform, chat, thread: identifier(extra.thread_id.as_ref())? }))
        }
    }
}

/// An id, which people write as a number or as text.
fn identifier(value: Option<&serde_json::Value>) -> Result<Option<Identifier>, String> {
    let text = match value {
        None | Some(serde_json::Value::Null) => return Ok(None),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Number(number)) => number.to_string(),
        Some(other) => return Err(format!("{other} is no id")),
    };
    text.parse().map(Some).map_err(|error| format!("{error}"))
}

/// A route that was subscribed to while the gateway runs: the file may have changed since it was looked at last.
pub(super) fn subscribed(home: &Path, name: &str) -> Option<WrittenRoute> {
    let path = home.join(SUBSCRIPTIONS);
    let size = std::fs::metadata(&path).ok()?.len();
    if size > LARGEST_FILE {
        tracing::warn!(size, "webhook_subscriptions.json is too large to be read");
        return None;
    }
    let text = std::fs::read(&path).inspect_err(|error| tracing::warn!(%error, "subscriptions cannot be read")).ok()?;
    let mut all: std::collections::BTreeMap<String, WrittenRoute> = serde_json::from_slice(&text)
        .inspect_err(|error| tracing::warn!(%error, "webhook_subscriptions.json cannot be understood"))
        .ok()?;
    all.remove(name)
}
