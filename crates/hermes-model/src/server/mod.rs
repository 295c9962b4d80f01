//! One model at one provider: requests go out here and answers come in.

mod attempt;
mod body;
mod clock;
mod connect;
#[cfg(test)]
mod recorded;
mod tools;

use std::sync::OnceLock;

use hermes_proto::Secret;

use self::tools::WrittenTools;
use crate::dialect::{Target, encode};
use crate::error::classify::{Refused, classify};
use crate::keys::Keys;
use crate::{Delivery, Endpoint, ModelError, Request, Status};

/// An endpoint that is asked. Nothing is made before the first request.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) endpoint: Endpoint,
    pub(crate) keys: Keys,
    client: OnceLock<reqwest::Client>,
    tools: WrittenTools,
}

impl Server {
    pub(crate) fn new(endpoint: Endpoint) -> Self {
        let keys = Keys::new(endpoint.keys.iter().cloned());
        Self { endpoint, keys, client: OnceLock::new(), tools: WrittenTools::default() }
    }

    pub(crate) fn provider(&self) -> String {
        self.endpoint.id.provider.clone()
    }

    /// The request as it goes over the wire, the same for each attempt.
    pub(crate) fn body(&self, request: &Request) -> Vec<u8> {
        let endpoint = &self.endpoint;
        let url = reqwest::Url::parse(&endpoint.base_url).ok();
        let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        let target = Target { model: &endpoint.id, host, max_tokens: endpoint.max_tokens };
        let mut fields = encode(endpoint.dialect, request, target);
        if endpoint.delivery == Delivery::Whole {
            fields.insert("stream".to_owned(), false.into());
            fields.shift_remove("stream_options");
        }
        fields.extend(endpoint.extra_body.clone());
        // Strings, numbers and lists can always be written.
        let mut body = serde_json::to_vec(&fields).unwrap_or_default();
        if !request.tools.is_empty() && !fields.contains_key("tools") && body.pop() == Some(b'}') {
            body.extend_from_slice(b",\"tools\":");
            body.extend_from_slice(&self.tools.of(&request.tools, endpoint.dialect));
            body.push(b'}');
        }
        body
    }

    /// What a refusal means.
    fn refused(
        &self,
        key: Option<&Secret>,
        status: Status,
        retry_after: Option<std::time::Duration>,
        body: &str,
    ) -> ModelError {
        let secrets: Vec<Secret> = key.into_iter().chain(self.endpoint.headers.values()).cloned().collect();
        classify(&Refused { model: &self.endpoint.id, secrets: &secrets, status, retry_after, body })
    }
}
