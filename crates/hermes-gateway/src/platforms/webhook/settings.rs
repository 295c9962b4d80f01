//! `platforms.webhook` of the configuration.
//!
//! A route that nobody has to sign for is refused when the gateway starts: who can reach the port could have the agent work for them.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use hermes_proto::Secret;
use serde::Deserialize;
use serde_json::Value;

use super::PLATFORM;
use super::route::{Route, WrittenRoute};
use crate::platforms::{Setup, SetupError};

const PORT: u16 = 8644;
/// Requests of a route in a minute.
const RATE: u32 = 30;

/// How webhooks are served.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) host: IpAddr,
    pub(super) port: u16,
    pub(super) rate: u32,
    /// For routes that have none of their own.
    pub(super) secret: Option<Secret>,
    pub(super) routes: BTreeMap<String, Route>,
}

#[derive(Debug, Deserialize)]
struct Written {
    enabled: Option<bool>,
    host: Option<IpAddr>,
    port: Option<u16>,
    rate_limit: Option<u32>,
    secret: Option<String>,
    #[serde(default)]
    routes: BTreeMap<String, WrittenRoute>,
}

impl Settings {
    /// Nothing where webhooks are not wanted.
    pub(super) fn configured(setup: &Setup<'_>) -> Result<Option<Self>, SetupError> {
        let variable = |name: &str| (setup.variable)(name).filter(|text| !text.trim().is_empty());
        let written: Written = serde_json::from_value(flattened(&setup.config.platforms[PLATFORM]))
            .map_err(|error| wrong(format!("platforms.webhook cannot be read: {error}")))?;
        let is_wanted = variable("WEBHOOK_ENABLED").is_some_and(|text| matches!(text.as_str(), "1" | "true" | "yes"));
        if !written.enabled.unwrap_or(is_wanted) {
            return Ok(None);
        }
        let port = match variable("WEBHOOK_PORT") {
            Some(text) => text.parse().map_err(|_| wrong(format!("WEBHOOK_PORT is {text:?}, which is no port")))?,
            None => written.port.unwrap_or(PORT),
        };
        let mut settings = Self {
            host: written.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            port,
            rate: written.rate_limit.unwrap_or(RATE).max(1),
            secret: written
                .secret
                .or_else(|| variable("WEBHOOK_SECRET"))
                .filter(|text| !text.is_empty())
                .map(Secret::new),
            routes: BTreeMap::new(),
        };
        for (name, route) in written.routes {
            let route = settings.route(&name, route).map_err(|problem| wrong(format!("route {name:?}: {problem}")))?;
            settings.routes.insert(name, route);
        }
        Ok(Some(settings))
    }

    /// A route as it is written, checked.
    pub(super) fn route(&self, name: &str, written: WrittenRoute) -> Result<Route, String> {
        Route::checked(name, written, self.secret.as_ref(), self.host)
    }
}

/// What the original wrote below `extra` counts as if it stood beside it.
fn flattened(section: &Value) -> Value {
    let mut all = section.as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(extra)) = all.remove("extra") {
        for (name, value) in extra {
            all.entry(name).or_insert(value);
        }
    }
    Value::Object(all)
}

fn wrong(problem: String) -> SetupError {
    SetupError { platform: PLATFORM, problem, remedy: "see docs/webhook.md, then hermes config edit".to_owned() }
}
