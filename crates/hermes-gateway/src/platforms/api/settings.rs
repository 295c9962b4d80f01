//! How the API is configured: `gateway.api_server` and its variables, and `platforms.api_server` of files that the original wrote.

use hermes_home::HomeName;
use hermes_home::config::{ApiServer as Section, Config};
use hermes_proto::Secret;
use serde_json::Value as Json;

use crate::platforms::{Setup, SetupError};

/// Bytes of a key at least. Shorter ones can be guessed over a network.
const SHORTEST_KEY: usize = 16;
/// The port of the default home, and what the configuration has where nobody wrote one.
const DEFAULT_PORT: u16 = 8642;
/// How the agent is called as a model.
const DEFAULT_MODEL: &str = "hermes-agent";
const PLATFORM: &str = "api_server";

/// A served API's settings, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiSettings {
    pub(super) key: Secret,
    pub(super) host: String,
    pub(super) port: u16,
    /// Web pages that may call it; none by default.
    pub(super) origins: Vec<String>,
    pub(super) model_name: String,
    /// Runs at once.
    pub(super) most_runs: usize,
}

impl ApiSettings {
    /// Nothing where the API is not wanted.
    pub(super) fn configured(setup: &Setup<'_>) -> Result<Option<Self>, SetupError> {
        let section = &setup.config.gateway.api_server;
        let written = Written(&setup.config.platforms[PLATFORM]);
        if !is_wanted(setup.config) {
            return Ok(None);
        }
        let key = section.key.clone().filter(|key| !key.is_empty()).or_else(|| written.text("key").map(Secret::new));
        Ok(Some(Self {
            key: checked(key)?,
            host: host(section, &written),
            port: port(setup, section, &written),
            origins: origins(section, &written)?,
            model_name: model_name(section, &written, setup.home.name()),
            most_runs: usize::try_from(section.max_concurrent_runs.max(1)).unwrap_or(1),
        }))
    }
}

/// Whether the configuration asks for the API.
pub fn is_wanted(config: &Config) -> bool {
    config.gateway.api_server.enabled || Written(&config.platforms[PLATFORM]).flag("enabled")
}

fn checked(key: Option<Secret>) -> Result<Secret, SetupError> {
    let problem = match key {
        Some(key) if key.expose().trim().len() >= SHORTEST_KEY => return Ok(key),
        Some(_) => format!("API_SERVER_KEY is shorter than {SHORTEST_KEY} characters"),
        None => "it is enabled, but there is no API_SERVER_KEY".to_owned(),
    };
    let remedy = "hermes config set API_SERVER_KEY \"$(openssl rand -hex 32)\"".to_owned();
    Err(SetupError { platform: PLATFORM, problem, remedy })
}

fn host(section: &Section, written: &Written<'_>) -> String {
    let is_default = section.host == Section::default().host;
    written.text("host").filter(|_| is_default).unwrap_or_else(|| section.host.clone())
}

/// A port that somebody chose, else the one of this home.
fn port(setup: &Setup<'_>, section: &Section, written: &Written<'_>) -> u16 {
    let is_chosen = section.port != DEFAULT_PORT || (setup.variable)("API_SERVER_PORT").is_some();
    if is_chosen { section.port } else { written.port().unwrap_or(setup.default_api_port) }
}

fn origins(section: &Section, written: &Written<'_>) -> Result<Vec<String>, SetupError> {
    let own = Some(&section.cors_origins).filter(|own| !own.is_null());
    let listed = match own.or_else(|| written.get("cors_origins")) {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::String(text)) => text.split(',').map(|one| one.trim().to_owned()).collect(),
        Some(Json::Array(all)) => all.iter().filter_map(Json::as_str).map(ToOwned::to_owned).collect(),
        Some(_) => return Err(no_origin("it is neither a text nor a list")),
    };
    let listed: Vec<String> = listed.into_iter().filter(|one| !one.is_empty()).collect();
    match listed.iter().find(|one| *one != "*" && !is_origin(one)) {
        Some(wrong) => Err(no_origin(&format!("{wrong:?} is no origin"))),
        None => Ok(listed),
    }
}

fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/'))
}

fn no_origin(problem: &str) -> SetupError {
    SetupError {
        platform: PLATFORM,
        problem: format!("cors_origins: {problem}"),
        remedy: "write origins as in https://chat.example.org, without a path".to_owned(),
    }
}

fn model_name(section: &Section, written: &Written<'_>, home: &HomeName) -> String {
    let configured = Some(section.model_name.clone()).filter(|name| !name.is_empty());
    configured
        .or_else(|| written.text("model_name"))
        .unwrap_or_else(|| home.profile().map_or(DEFAULT_MODEL, |name| name.as_str()).to_owned())
}

/// `platforms.api_server`, where settings also stand under `extra`.
struct Written<'a>(&'a Json);

impl<'a> Written<'a> {
    fn get(&self, name: &str) -> Option<&'a Json> {
        [&self.0[name], &self.0["extra"][name]].into_iter().find(|value| !value.is_null())
    }

    fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Some(Json::Bool(flag)) => *flag,
            Some(Json::String(text)) => matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1"),
            _ => false,
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.as_str().filter(|text| !text.is_empty()).map(ToOwned::to_owned)
    }

    fn port(&self) -> Option<u16> {
        match self.get("port")? {
            Json::Number(number) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
            Json::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_home::HomeName;
    use hermes_home::config::ApiServer as Section;
    use hermes_proto::Secret;
    use serde_json::{Value as Json, json};

    use super::{Written, checked, host, model_name, origins};

    #[test]
    fn a_key_is_there_and_long_enough() {
        assert_eq!(checked(Some(Secret::new("0123456789abcdef"))).unwrap().expose(), "0123456789abcdef");
        for (key, problem) in [
            (None, "it is enabled, but there is no API_SERVER_KEY"),
            (Some("0123456789abcde"), "API_SERVER_KEY is shorter than 16 characters"),
            (Some("  0123456789abcde  "), "API_SERVER_KEY is shorter than 16 characters"),
        ] {
            let error = checked(key.map(Secret::new)).unwrap_err();
            assert_eq!(error.problem, problem);
            assert!(error.remedy.starts_with("hermes config set API_SERVER_KEY"), "{}", error.remedy);
        }
    }

    #[test]
    fn origins_are_listed_or_written_with_commas_and_are_none_by_default() {
        let of = |own: Json, written: Json| {
            let section = Section { cors_origins: own, ..Section::default() };
            origins(&section, &Written(&written)).map_err(|error| error.problem)
        };
        assert_eq!(of(Json::Null, Json::Null), Ok(Vec::new()));
        assert_eq!(of(json!(""), json!({"cors_origins": "https://old"})), Ok(Vec::new()));
        let two = Ok(vec!["http://a".to_owned(), "https://b:1".to_owned()]);
        assert_eq!(of(json!("http://a, https://b:1"), Json::Null), two);
        assert_eq!(of(json!(["http://a", "https://b:1"]), Json::Null), two);
        assert_eq!(of(Json::Null, json!({"extra": {"cors_origins": ["http://a", "https://b:1"]}})), two);
        for wrong in [json!("a"), json!("http://a/path"), json!("http://a\nb"), json!(7)] {
            of(wrong.clone(), Json::Null).unwrap_err();
        }
    }

    #[test]
    fn files_of_the_original_are_understood() {
        let file = json!({"enabled": "true", "extra": {"port": "9001", "host": "0.0.0.0", "model_name": "old"}});
        let written = Written(&file);
        assert!(written.flag("enabled"));
        assert_eq!(written.port(), Some(9001));
        let section = Section::default();
        assert_eq!(host(&section, &written), "0.0.0.0");
        let own = Section { host: "127.0.0.2".to_owned(), model_name: "new".to_owned(), ..Section::default() };
        assert_eq!(host(&own, &written), "127.0.0.2");
        let coder: HomeName = "coder".parse().unwrap();
        assert_eq!(model_name(&own, &written, &coder), "new");
        assert_eq!(model_name(&section, &written, &coder), "old");
        assert_eq!(model_name(&section, &Written(&Json::Null), &coder), "coder");
        assert_eq!(model_name(&section, &Written(&Json::Null), &HomeName::Default), "hermes-agent");
    }
}
