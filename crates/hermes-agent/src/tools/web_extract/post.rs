//! Tells an address something, under the same check of addresses as fetching.

use std::sync::Arc;
use std::time::Duration;

use hermes_home::config::Security;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Url};

use super::address::{Reach, Resolver};
use super::fetch::{CONNECT_PATIENCE, FetchError, failed};

const PATIENCE: Duration = Duration::from_secs(30);

/// Posts to addresses of the open internet, or to all where the configuration says so. Clones share connections.
#[derive(Debug, Clone)]
pub struct Poster {
    client: Client,
    reach: Reach,
}

/// What an address answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    /// Seconds after which it wants to be asked again.
    pub retry_after: Option<u64>,
}

/// Why nothing was answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// This address is never told anything.
    #[error("{cause}")]
    Refused { cause: String },
    /// It may work later.
    #[error("{cause}")]
    Failed { cause: String },
}

impl Poster {
    pub fn new(security: &Security) -> Result<Self, PostError> {
        let refused = |error: &dyn std::fmt::Display| PostError::Refused { cause: error.to_string() };
        let reach = Reach::of(security);
        let client = Client::builder()
            .tls_backend_preconfigured(hermes_model::tls(None).map_err(|error| refused(&error))?)
            // Whoever is told is whom the operator named.
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(Resolver(reach.clone())))
            .connect_timeout(CONNECT_PATIENCE)
            .timeout(PATIENCE)
            .no_proxy()
            .build()
            .map_err(|error| refused(&error))?;
        Ok(Self { client, reach })
    }

    /// Posts this; what is answered is not read.
    pub async fn post(&self, url: &str, headers: &[(&str, String)], body: String) -> Result<Answered, PostError> {
        let refused = |error: FetchError| PostError::Refused { cause: error.to_string() };
        let url = Url::parse(url.trim()).map_err(|error| PostError::Refused { cause: error.to_string() })?;
        self.reach.check(&url).map_err(refused)?;
        let mut request = self.client.post(url).body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let response = request.send().await.map_err(|error| match failed(error) {
            error @ FetchError::OutOfReach { .. } => refused(error),
            error => PostError::Failed { cause: error.to_string() },
        })?;
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        Ok(Answered { status: response.status().as_u16(), retry_after })
    }
}
