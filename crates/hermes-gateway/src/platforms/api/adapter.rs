//! The API as a platform of the host.
//!
//! Its callers wait for their answers themselves, so nothing is ever delivered by it.

use std::net::SocketAddr;
use std::sync::Arc;

use hermes_approval::PromptId;
use hermes_home::HomeRoot;
use hermes_proto::consent::Consent;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::metrics::HttpMetrics;
use super::runs::RunBoard;
use super::serve::serve;
use super::settings::ApiSettings;
use super::state::{ApiState, Parts};
use super::{attached, taken};
use crate::platforms::{Setup, SetupError};
use crate::{
    Adapter, AdapterError, Buttons, Capabilities, DeliveryError, Edits, Files, Inbox, InvalidPlatform, Outgoing,
    Pending, Platform, Progress, Question, Receipt, Repeats, Showing, Unit,
};

const NAME: &str = "api_server";

/// Serves the API.
#[derive(Debug)]
pub struct ApiServer {
    parts: Arc<Parts>,
    root: HomeRoot,
    address: watch::Sender<Option<SocketAddr>>,
}

/// An adapter if the API is wanted.
pub fn build(setup: &Setup<'_>) -> Result<Option<Arc<dyn Adapter>>, SetupError> {
    Ok(match ApiServer::configured(setup)? {
        Some(server) => Some(Arc::new(server)),
        None => None,
    })
}

impl ApiServer {
    /// Nothing where it is not wanted.
    pub fn configured(setup: &Setup<'_>) -> Result<Option<Self>, SetupError> {
        let Some(settings) = ApiSettings::configured(setup)? else { return Ok(None) };
        let platform = NAME.parse().map_err(|error: InvalidPlatform| SetupError {
            platform: NAME,
            problem: error.to_string(),
            remedy: "this is a bug; please report it".to_owned(),
        })?;
        let parts = Parts {
            platform,
            board: RunBoard::default(),
            http: HttpMetrics::new(),
            runs: Arc::new(Semaphore::new(settings.most_runs)),
            settings,
            config: setup.config.clone(),
            store: setup.store.clone(),
            home: setup.home.clone(),
        };
        Ok(Some(Self { parts: Arc::new(parts), root: setup.root.clone(), address: watch::Sender::new(None) }))
    }

    /// Where it listens, once it does.
    pub async fn address(&self) -> Option<SocketAddr> {
        self.address.subscribe().wait_for(Option::is_some).await.ok().and_then(|address| *address)
    }

    async fn listen(&self) -> Result<TcpListener, AdapterError> {
        let (host, port) = (self.parts.settings.host.as_str(), self.parts.settings.port);
        let cannot =
            |cause: String| AdapterError::NeedsAttention(format!("cannot listen on {host} port {port}: {cause}"));
        let mut addresses = tokio::net::lookup_host((host, port)).await.map_err(|error| cannot(error.to_string()))?;
        let address = addresses.next().ok_or_else(|| cannot("the host has no address".to_owned()))?;
        match TcpListener::bind(address).await {
            Ok(listener) => Ok(listener),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                Err(cannot(taken::owner(address, &self.root).await))
            }
            Err(error) => Err(cannot(error.to_string())),
        }
    }
}

impl Adapter for ApiServer {
    fn platform(&self) -> &Platform {
        &self.parts.platform
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            longest_message: 1024 * 1024,
            unit: Unit::Bytes,
            edits: Edits::None,
            buttons: Buttons::None,
            repeats: Repeats::Recognised,
            files: Files::None,
        }
    }

    fn run(self: Arc<Self>, inbox: Inbox, shutdown: CancellationToken) -> Pending<'static, Result<(), AdapterError>> {
        Box::pin(async move {
            let recovered = self.parts.board.recover(&self.parts.store).await;
            recovered.map_err(|error| AdapterError::Interrupted(error.to_string()))?;
            let listener = self.listen().await?;
            let address = listener.local_addr().map_err(|error| AdapterError::Interrupted(error.to_string()))?;
            tracing::info!(%address, "the API is served");
            self.address.send_replace(Some(address));
            let folder = inbox.attachments().to_owned();
            let _ = tokio::task::spawn_blocking(move || attached::prune(&folder)).await;
            serve(listener, ApiState { inbox, parts: self.parts.clone() }, shutdown).await;
            self.parts.board.finish().await;
            Ok(())
        })
    }

    fn deliver<'a>(&'a self, _outgoing: &'a Outgoing) -> Pending<'a, Result<Receipt, DeliveryError>> {
        Box::pin(std::future::ready(Err(DeliveryError::never("callers of the API take their answers themselves"))))
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<(), DeliveryError>> {
        Box::pin(std::future::ready(self.parts.board.ask(question)))
    }

    fn closed(&self, question: &PromptId, outcome: &Consent) {
        self.parts.board.closed(question, outcome);
    }

    fn show<'a>(&'a self, _showing: &'a Showing, _progress: &'a Progress) -> Pending<'a, Result<(), DeliveryError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
