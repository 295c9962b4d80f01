//! From a name to an endpoint: address, dialect, keys, limits.

use std::time::Duration;

use hermes_home::config::Provider;
use hermes_proto::Secret;
use hermes_proto::credential::providers::{self, Access};
use serde_json::{Map, Value as Json};

use super::entry::Entry;
use super::settings::usable;
use super::{ResolveError, Sources, name};
use crate::{Delivery, Dialect, Endpoint, KeyCommand, KeyNeed, ModelId, Proxies, Timeouts};

/// Providers that speak neither dialect.
const UNSUPPORTED: &[&str] = &["openai-codex", "bedrock"];

/// The model of a provider where none is named. Only those whose name lasts.
const USUAL_MODELS: &[(&str, &str)] = &[
    ("openrouter", "anthropic/claude-sonnet-4.5"),
    ("nous", "Hermes-4-405B"),
    ("anthropic", "claude-sonnet-4-5"),
    ("openai", "gpt-5"),
    ("gemini", "gemini-2.5-pro"),
    ("deepseek", "deepseek-chat"),
    ("mistral", "mistral-large-latest"),
    ("xai", "grok-4"),
    ("zai", "glm-4.6"),
];

/// Which settings of `model:` concern an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// It is the model that `model:` is about.
    Main,
    Other,
}

pub(super) fn is_unsupported(provider: &str) -> bool {
    UNSUPPORTED.contains(&provider)
}

impl Sources {
    pub(super) fn endpoint(&self, entry: &Entry, spot: Spot) -> Result<Endpoint, ResolveError> {
        let known = providers::find(&entry.provider.to_ascii_lowercase());
        let settings = self.settings(&entry.provider);
        let is_custom = entry.base_url.is_some() || entry.provider.starts_with("custom:");
        if known.is_none() && settings.is_none() && !is_custom {
            let described = self.described().into_iter();
            let nearest = name::nearest(&entry.provider, described);
            return Err(ResolveError::UnknownProvider { asked: entry.provider.clone(), nearest });
        }
        let provider = known.map_or(entry.provider.as_str(), |known| known.id).to_owned();
        let has_mode = settings.as_ref().is_some_and(|settings| !settings.api_mode.is_empty());
        if is_unsupported(&provider) && !has_mode {
            return Err(ResolveError::Unsupported { provider });
        }
        let settings = settings.unwrap_or_default();
        let building = Building { sources: self, entry, spot, settings, provider };
        building.endpoint()
    }

    pub(super) fn proxies(&self) -> Proxies {
        let either = |upper: &str, lower: &str| self.environment.text(upper).or_else(|| self.environment.text(lower));
        let of = |value: Option<&str>| value.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned);
        let all = of(either("ALL_PROXY", "all_proxy"));
        Proxies {
            http: of(either("HTTP_PROXY", "http_proxy")).or_else(|| all.clone()),
            https: of(either("HTTPS_PROXY", "https_proxy")).or(all),
            // One's own machine is never behind a proxy.
            except: format!("localhost,127.0.0.1,::1,{}", either("NO_PROXY", "no_proxy").unwrap_or_default()),
        }
    }
}

/// An endpoint on its way.
struct Building<'a> {
    sources: &'a Sources,
    entry: &'a Entry,
    spot: Spot,
    settings: Provider,
    provider: String,
}

impl Building<'_> {
    fn endpoint(&self) -> Result<Endpoint, ResolveError> {
        let base_url = self.base_url()?;
        let model = self.model()?;
        let special = self.special(&model);
        let number = |field: &str| special.get(field).and_then(Json::as_u64);
        let config = &self.sources.config.model;
        // What is said about the configured model is not true of another one that was asked for.
        let is_it = self.spot == Spot::Main && config.default.trim().ends_with(self.entry.model.as_str());
        let main = |value: Option<u64>| value.filter(|_| is_it);
        let headers = self.settings.extra_headers.iter();
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), Secret::new(value.as_str())));
        let mut extra_body = self.settings.extra_body.as_object().cloned().unwrap_or_default();
        extra_body.extend(self.entry.extra_body.clone());
        let mut endpoint = Endpoint {
            dialect: self.dialect(&base_url)?,
            keys: self.keys(),
            key_command: self.key_command(),
            headers: headers.collect(),
            extra_body,
            delivery: if config.streaming { Delivery::Streamed } else { Delivery::Whole },
            timeouts: self.timeouts(&base_url),
            max_tokens: number("max_tokens").or(main(config.max_tokens)),
            context_length: number("context_length").or(main(config.context_length)),
            proxies: self.sources.proxies(),
            trusted: self.sources.environment.path("SSL_CERT_FILE"),
            ..Endpoint::new(ModelId::new(self.provider.as_str(), model), Dialect::ChatCompletions, base_url)
        };
        endpoint.key_need = self.key_need(&endpoint);
        match &endpoint.key_need {
            KeyNeed::Required { variable } if endpoint.keys.is_empty() && endpoint.key_command.is_none() => {
                Err(ResolveError::NoKey { provider: self.provider.clone(), variable: variable.clone() })
            }
            _ => Ok(endpoint),
        }
    }

    /// Whether what `model:` says is about this endpoint: it is that model, at the provider that is named there.
    fn is_configured_model(&self) -> bool {
        let named = self.sources.config.model.provider.trim();
        let same = providers::find(named).map_or(named, |known| known.id) == self.provider;
        self.spot == Spot::Main && (same || ((named.is_empty() || named == "auto") && self.provider == "custom"))
    }

    fn base_url(&self) -> Result<String, ResolveError> {
        let known = providers::find(&self.provider);
        let of_model = Some(self.sources.config.model.base_url.as_str()).filter(|_| self.is_configured_model());
        let variable = known.and_then(|known| known.base_url_variable).and_then(|name| self.sources.variable(name));
        let places = [
            self.entry.base_url.as_deref(),
            of_model,
            Some(self.settings.base_url.as_str()),
            variable,
            known.and_then(|known| known.base_url),
        ];
        let found = places.into_iter().flatten().map(str::trim).find(|url| !url.is_empty());
        let base_url = found.ok_or_else(|| ResolveError::NoAddress { provider: self.provider.clone() })?;
        let base_url = base_url.trim_end_matches('/');
        let is_address =
            reqwest::Url::parse(base_url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        if !is_address {
            // Only its beginning: somebody may have written a key here.
            let base_url = base_url.chars().take(8).collect();
            return Err(ResolveError::Address { provider: self.provider.clone(), base_url });
        }
        // Google serves the common dialect beside its own.
        let google = base_url.contains("generativelanguage.googleapis.com") && !base_url.ends_with("/openai");
        Ok(if google { format!("{base_url}/openai") } else { base_url.to_owned() })
    }

    fn dialect(&self, base_url: &str) -> Result<Dialect, ResolveError> {
        let of_model = Some(self.sources.config.model.api_mode.as_str()).filter(|_| self.is_configured_model());
        let places = [self.entry.api_mode.as_deref(), of_model, Some(self.settings.api_mode.as_str())];
        let mode = places.into_iter().flatten().map(str::trim).find(|mode| !mode.is_empty());
        let by_address = base_url.ends_with("/anthropic") || base_url.contains("://api.anthropic.com");
        match mode.map(str::to_ascii_lowercase).as_deref() {
            None | Some("auto") if by_address => Ok(Dialect::AnthropicMessages),
            None | Some("auto" | "chat_completions" | "openai" | "openai_chat") => Ok(Dialect::ChatCompletions),
            Some("anthropic_messages" | "anthropic") => Ok(Dialect::AnthropicMessages),
            Some(mode) => Err(ResolveError::ApiMode { provider: self.provider.clone(), mode: mode.to_owned() }),
        }
    }

    fn model(&self) -> Result<String, ResolveError> {
        let usual = USUAL_MODELS.iter().find(|(provider, _)| *provider == self.provider).map(|(_, model)| *model);
        let written = [self.entry.model.as_str(), self.settings.default_model.as_str()];
        let model = written.into_iter().map(str::trim).find(|model| !model.is_empty()).or(usual);
        // The provider's name before the model's, where both were written.
        let own_prefix = format!("{}/", self.provider);
        let model = model.map(|model| model.strip_prefix(&own_prefix).unwrap_or(model));
        model.map(str::to_owned).ok_or_else(|| ResolveError::NoModel { provider: self.provider.clone() })
    }

    /// What `providers.<id>.models` says about this model.
    fn special(&self, model: &str) -> Map<String, Json> {
        let found = match &self.settings.models {
            Json::Object(models) => models.get(model),
            Json::Array(models) => models.iter().find(|entry| entry["name"] == model || entry["id"] == model),
            _ => None,
        };
        found.and_then(Json::as_object).cloned().unwrap_or_default()
    }

    /// What is written for it alone, then what is stored for its provider.
    fn keys(&self) -> Vec<Secret> {
        let variable = |name: &str| self.sources.variable(name).map(Secret::new);
        let of_model = self.sources.config.model.api_key.as_ref().filter(|_| self.is_configured_model());
        let own = [
            self.entry.key.clone(),
            self.entry.key_env.as_deref().and_then(variable),
            usable(of_model),
            usable(self.settings.api_key.as_ref()),
            variable(&self.settings.key_env),
        ];
        let mut keys: Vec<Secret> = own.into_iter().flatten().collect();
        // A key of somebody's own for this address is the only one that may go there.
        if self.entry.base_url.is_none() || keys.is_empty() {
            keys.extend(self.sources.credentials_of(&self.provider).filter_map(|one| one.secret.clone()));
        }
        if keys.is_empty() && self.provider == "custom" {
            // As the original documents it for servers of one's own.
            keys.extend(variable("OPENAI_API_KEY"));
        }
        keys
    }

    fn key_command(&self) -> Option<KeyCommand> {
        let command = self.settings.key_cmd.trim();
        (!command.is_empty()).then(|| KeyCommand::new(command, &self.sources.environment))
    }

    fn key_need(&self, endpoint: &Endpoint) -> KeyNeed {
        let known = providers::find(&self.provider).filter(|known| known.access != Access::OptionalKey);
        let has_header = endpoint.headers.keys().any(|name| name == "authorization" || name == "x-api-key");
        match known {
            Some(known) if !has_header && !is_local(&endpoint.base_url) => {
                KeyNeed::Required { variable: known.key_variables.first().map(|name| (*name).to_owned()) }
            }
            _ => KeyNeed::Optional,
        }
    }

    fn timeouts(&self, base_url: &str) -> Timeouts {
        let seconds = |seconds: u64| Duration::from_secs(seconds.max(1));
        let (whole, silence) = (self.settings.request_timeout_seconds, self.settings.stale_timeout_seconds);
        // A server on one's own machine may read a long conversation for minutes before its first word.
        let usual = if is_local(base_url) { whole } else { silence.saturating_mul(2) };
        Timeouts {
            connect: seconds(self.settings.connect_timeout_seconds),
            first_byte: seconds(self.settings.first_byte_timeout_seconds.unwrap_or(usual)),
            silence: seconds(silence),
            whole: seconds(whole),
        }
    }
}

/// Whether a server is on this machine or in its network.
fn is_local(base_url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(base_url) else { return false };
    match url.host_str().map(|host| host.trim_matches(['[', ']'])) {
        None => false,
        Some(host) => match host.parse::<std::net::IpAddr>() {
            Ok(std::net::IpAddr::V4(address)) => {
                address.is_loopback() || address.is_private() || address.is_link_local()
            }
            Ok(std::net::IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
            Err(_) => {
                host == "localhost" || host.ends_with(".local") || host.ends_with(".internal") || !host.contains('.')
            }
        },
    }
}
