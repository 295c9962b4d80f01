//! The connection: made when it is first needed, over TLS with *ring* and the roots that are compiled in, following no
//! redirect, because a redirect would carry the key to another host.

use std::time::SystemTime;

use hermes_proto::Secret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, NoProxy, Proxy, Response};

use super::Server;
use super::clock::Clock;
use crate::error::classify::retry_after;
use crate::{Dialect, ModelError, Phase, Proxies, Status, TlsError};

/// Bytes of a refusal that are read.
const REFUSAL_LIMIT: usize = 64 * 1024;
const USER_AGENT: &str = concat!("hermes/", env!("CARGO_PKG_VERSION"));
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// What Anthropic wants to be told when a login's token stands for a key.
const ANTHROPIC_LOGIN: &str = "oauth-2025-04-20";

impl Server {
    /// Sends the request; an answer that is no refusal.
    pub(super) async fn open(
        &self,
        body: &[u8],
        key: Option<&Secret>,
        clock: &mut Clock,
    ) -> Result<Response, ModelError> {
        let base = self.endpoint.base_url.trim_end_matches('/');
        let url = format!("{base}{}", self.endpoint.dialect.path(base));
        let request = self.client()?.post(url).headers(self.headers(key)?).body(body.to_vec());
        let response = clock.wait(request.send()).await?.map_err(|error| self.not_sent(error))?;
        if response.status().is_success() { Ok(response) } else { Err(self.refusal(response, key, clock).await) }
    }

    /// The provider's list of models, unparsed.
    pub(crate) async fn list_models(&self, key: Option<&Secret>) -> Result<String, ModelError> {
        const LIMIT: usize = 16 * 1024 * 1024;
        let base = self.endpoint.base_url.trim_end_matches('/');
        let path = match self.endpoint.dialect {
            Dialect::AnthropicMessages if !base.ends_with("/v1") => "/v1/models",
            _ => "/models",
        };
        let mut clock = Clock::start(self.provider(), self.endpoint.timeouts);
        let request = self.client()?.get(format!("{base}{path}")).headers(self.headers(key)?);
        let mut response = clock.wait(request.send()).await?.map_err(|error| self.not_sent(error))?;
        if !response.status().is_success() {
            return Err(self.refusal(response, key, &mut clock).await);
        }
        let mut body = Vec::new();
        while let Some(bytes) = clock.wait(response.chunk()).await?.map_err(|error| self.broken(error))? {
            clock.heard();
            if body.len() + bytes.len() > LIMIT {
                return Err(ModelError::TooLarge {
                    provider: self.provider(),
                    what: "the list of models",
                    limit: LIMIT,
                });
            }
            body.extend_from_slice(&bytes);
        }
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    pub(super) fn broken(&self, error: reqwest::Error) -> ModelError {
        ModelError::Disconnected { provider: self.provider(), source: error.into() }
    }

    fn not_sent(&self, error: reqwest::Error) -> ModelError {
        let provider = self.provider();
        match () {
            () if error.is_connect() && error.is_timeout() => {
                ModelError::TimedOut { provider, phase: Phase::Connect, limit: self.endpoint.timeouts.connect }
            }
            () if error.is_connect() => {
                ModelError::NotReachable { provider, address: address(&self.endpoint.base_url), source: error.into() }
            }
            () if error.is_builder() => ModelError::Setting {
                provider,
                what: format!("base_url {:?} is no address", address(&self.endpoint.base_url)),
            },
            () => self.broken(error),
        }
    }

    async fn refusal(&self, mut response: Response, key: Option<&Secret>, clock: &mut Clock) -> ModelError {
        let status = Status::Http(response.status().as_u16());
        let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = header.and_then(|header| retry_after(header, SystemTime::now()));
        let mut body = Vec::new();
        clock.heard();
        // What cannot be read of it is not needed to know that it was refused.
        while let Ok(Ok(Some(bytes))) = clock.wait(response.chunk()).await {
            clock.heard();
            body.extend_from_slice(&bytes[..bytes.len().min(REFUSAL_LIMIT - body.len())]);
            if body.len() >= REFUSAL_LIMIT {
                break;
            }
        }
        self.refused(key, status, wait, &String::from_utf8_lossy(&body))
    }

    fn client(&self) -> Result<&Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let unmade = |error: reqwest::Error| ModelError::Client(error.into());
        let mut builder = Client::builder()
            .tls_backend_preconfigured(self.tls()?)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(USER_AGENT)
            .connect_timeout(self.endpoint.timeouts.connect)
            // The environment is asked by whoever made the endpoint, not by a library.
            .no_proxy();
        for proxy in proxies(&self.endpoint.proxies).map_err(unmade)? {
            builder = builder.proxy(proxy);
        }
        let client = builder.build().map_err(unmade)?;
        Ok(self.client.get_or_init(|| client))
    }

    fn tls(&self) -> Result<rustls::ClientConfig, ModelError> {
        crate::tls(self.endpoint.trusted.as_deref()).map_err(|error| match error {
            TlsError::Certificates { path, what } => ModelError::Certificates { path, what },
            TlsError::Setup(error) => ModelError::Tls(error),
        })
    }

    fn headers(&self, key: Option<&Secret>) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        let mut put = |name: &str, value: &str| {
            let wrong = || ModelError::Setting {
                provider: self.provider(),
                what: format!("a header cannot be sent: {name:?} or its value holds what no header may"),
            };
            let (name, mut value) =
                (HeaderName::try_from(name).map_err(|_| wrong())?, HeaderValue::try_from(value).map_err(|_| wrong())?);
            value.set_sensitive(true);
            headers.insert(name, value);
            Ok(())
        };
        put("content-type", "application/json")?;
        put("accept", "text/event-stream, application/json")?;
        if self.endpoint.dialect == Dialect::AnthropicMessages {
            put("anthropic-version", ANTHROPIC_VERSION)?;
        }
        if let Some(key) = key {
            for (name, value) in self.key_headers(key.expose()) {
                put(name, &value)?;
            }
        }
        self.endpoint.headers.iter().try_for_each(|(name, value)| put(name, value.expose()))?;
        Ok(headers)
    }

    /// How the key is shown. Servers that only speak Anthropic's dialect want it in one of two ways, and take both.
    fn key_headers(&self, key: &str) -> Vec<(&'static str, String)> {
        let bearer = ("authorization", format!("Bearer {key}"));
        let is_anthropic = address(&self.endpoint.base_url).ends_with("api.anthropic.com");
        match self.endpoint.dialect {
            Dialect::ChatCompletions => vec![bearer],
            Dialect::AnthropicMessages if is_anthropic && key.starts_with("sk-ant-oat") => {
                vec![bearer, ("anthropic-beta", ANTHROPIC_LOGIN.to_owned())]
            }
            Dialect::AnthropicMessages if is_anthropic => vec![("x-api-key", key.to_owned())],
            Dialect::AnthropicMessages => vec![("x-api-key", key.to_owned()), bearer],
        }
    }
}

/// Scheme, host and port of an address: the rest may hold a secret.
fn address(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) => "(no address)".to_owned(),
    }
}

fn proxies(proxies: &Proxies) -> reqwest::Result<Vec<Proxy>> {
    let except = || NoProxy::from_string(&proxies.except);
    let http = proxies.http.iter().map(Proxy::http);
    let https = proxies.https.iter().map(Proxy::https);
    http.chain(https).map(|proxy| proxy.map(|proxy| proxy.no_proxy(except()))).collect()
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_in_a_message_holds_no_secret() {
        assert_eq!(address("http://user:secret@host:81/path?key=secret"), "http://host:81");
        assert_eq!(address("https://api.anthropic.com/v1"), "https://api.anthropic.com");
        assert_eq!(address("secret"), "(no address)");
    }
}
