//! Calls of the Bot API over the program's one HTTP client.
//!
//! The token is part of every address: an address is never logged, never in an error, and no redirect is followed.

use std::time::Duration;

use hermes_proto::Secret;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, NoProxy, Proxy, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::ApiError;
use super::wire::Envelope;

const CONNECT: Duration = Duration::from_secs(15);
/// How long a call may take that does not wait for anything.
pub(super) const SOON: Duration = Duration::from_secs(30);
/// How long a file may take on its way; less than the host waits for a delivery.
const UPLOAD: Duration = Duration::from_secs(100);
/// Bytes of an answer.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;
/// Where Telegram says nothing about when to come again.
const PAUSE: Duration = Duration::from_secs(5);
const USER_AGENT: &str = concat!("hermes/", env!("CARGO_PKG_VERSION"));

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoClient {
    #[error(transparent)]
    Tls(#[from] hermes_model::TlsError),
    #[error("{0}")]
    Client(String),
}

#[derive(Debug)]
pub(super) struct Api {
    client: Client,
    base: String,
    token: Secret,
}

impl Api {
    pub(super) fn new(base: &str, token: Secret, proxy: Option<&Secret>) -> Result<Self, NoClient> {
        let unmade = |error: reqwest::Error| NoClient::Client(error.without_url().to_string());
        let mut builder = Client::builder()
            .tls_backend_preconfigured(hermes_model::tls(None)?)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(USER_AGENT)
            .connect_timeout(CONNECT)
            .no_proxy();
        if let Some(proxy) = proxy {
            let own = NoProxy::from_string("localhost,127.0.0.1,::1");
            builder = builder.proxy(Proxy::all(proxy.expose()).map_err(unmade)?.no_proxy(own));
        }
        let client = builder.build().map_err(unmade)?;
        Ok(Self { client, base: base.trim_end_matches('/').to_owned(), token })
    }

    /// Calls a method that answers at once.
    pub(super) async fn call<T: DeserializeOwned>(&self, method: &str, parameters: &Value) -> Result<T, ApiError> {
        self.call_within(SOON, method, parameters).await
    }

    pub(super) async fn call_within<T: DeserializeOwned>(
        &self,
        patience: Duration,
        method: &str,
        parameters: &Value,
    ) -> Result<T, ApiError> {
        self.post(patience, method, "application/json", parameters.to_string().into_bytes()).await
    }

    /// Calls a method with a file.
    pub(super) async fn upload<T: DeserializeOwned>(
        &self,
        method: &str,
        content_type: &str,
        body: Vec<u8>,
    ) -> Result<T, ApiError> {
        self.post(UPLOAD, method, content_type, body).await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        patience: Duration,
        method: &str,
        content_type: &str,
        content: Vec<u8>,
    ) -> Result<T, ApiError> {
        let url = format!("{}/bot{}/{method}", self.base, self.token.expose());
        let request = self.client.post(url).timeout(patience).header(CONTENT_TYPE, content_type);
        let response = request.body(content).send().await.map_err(|error| not_answered(&error))?;
        let status = response.status();
        let body = body(response, LARGEST_ANSWER).await?;
        let result = answer(status, &body)?;
        serde_json::from_value(result).map_err(|error| ApiError::Garbled(error.to_string()))
    }

    /// A file that Telegram keeps, by the path that getFile answered. Nothing if it is larger than this.
    pub(super) async fn download(&self, path: &str, largest: usize) -> Result<Option<Vec<u8>>, ApiError> {
        if path.split('/').any(|part| part.is_empty() || part.starts_with('.')) || path.contains(['?', '#', '\\']) {
            return Err(ApiError::Garbled("a file's path that is none".to_owned()));
        }
        let url = format!("{}/file/bot{}/{path}", self.base, self.token.expose());
        let response = self.client.get(url).timeout(SOON).send().await.map_err(|error| not_answered(&error))?;
        let status = response.status();
        if !status.is_success() {
            let body = body(response, LARGEST_ANSWER).await?;
            return match answer(status, &body) {
                Ok(_) => Ok(None),
                // Files are kept for an hour.
                Err(ApiError::Token) if status == StatusCode::NOT_FOUND => Ok(None),
                Err(error) => Err(error),
            };
        }
        if response.content_length().is_some_and(|length| length > largest as u64) {
            return Ok(None);
        }
        match body(response, largest).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(ApiError::Garbled(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// What is behind the envelope.
fn answer(status: StatusCode, body: &[u8]) -> Result<Value, ApiError> {
    let envelope: Option<Envelope> = serde_json::from_slice(body).ok();
    if let Some(Envelope { ok: true, result, .. }) = envelope {
        return Ok(result);
    }
    let code = envelope.as_ref().and_then(|envelope| envelope.error_code).unwrap_or(status.as_u16());
    let (description, parameters) =
        envelope.map(|envelope| (envelope.description, envelope.parameters)).unwrap_or_default();
    Err(match code {
        // A token that is not even formed like one is not found.
        401 | 404 => ApiError::Token,
        409 => ApiError::Conflict(description),
        429 => ApiError::TooMany { after: parameters.retry_after.map_or(PAUSE, Duration::from_secs) },
        500.. => ApiError::Unavailable(code),
        200..300 => ApiError::Garbled("not the JSON that was expected".to_owned()),
        code => ApiError::Refused { code, description, moved_to: parameters.migrate_to_chat_id },
    })
}

async fn body(mut response: Response, largest: usize) -> Result<Vec<u8>, ApiError> {
    let mut body = Vec::new();
    let broken = |error: reqwest::Error| ApiError::Broken(error.without_url().to_string());
    while let Some(bytes) = response.chunk().await.map_err(broken)? {
        if body.len() + bytes.len() > largest {
            return Err(ApiError::Garbled(format!("more than {largest} bytes")));
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

fn not_answered(error: &reqwest::Error) -> ApiError {
    // The error's own text would name the address, and with it the token.
    let mut cause = "no answer".to_owned();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        cause = inner.to_string();
        source = inner.source();
    }
    if error.is_connect() || error.is_builder() { ApiError::Unreachable(cause) } else { ApiError::Broken(cause) }
}
