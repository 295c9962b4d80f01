//! Webhooks as a platform: a port that is called, and callbacks that are told.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_agent::Toolset;
use hermes_agent::tools::Poster;
use hermes_home::config::Security;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::PLATFORM;
use super::callback::call;
use super::receive::{Receiver, find};
use super::route::Target;
use super::serve::serve;
use super::settings::Settings;
use crate::host::configured_toolsets;
use crate::platforms::{Setup, SetupError};
use crate::{
    Adapter, AdapterError, Buttons, Capabilities, DeliveryError, Edits, Files, Inbox, Outgoing, Pending, Platform,
    Progress, Question, Receipt, Repeats, Showing, Unit,
};

/// What an agent may use for a request, unless `platform_toolsets.webhook` says otherwise: strangers write what it reads.
const NARROW: [Toolset; 2] = [Toolset::Web, Toolset::Clarify];
/// Bytes of an answer in one callback.
const LONGEST: usize = 256 * 1024;

/// Serves webhooks.
#[derive(Debug)]
pub struct WebhookAdapter {
    platform: Platform,
    settings: Arc<Settings>,
    toolsets: Vec<Toolset>,
    home: PathBuf,
    public: Poster,
    everywhere: Poster,
    bound: watch::Sender<Option<SocketAddr>>,
}

impl WebhookAdapter {
    /// Nothing where webhooks are not wanted.
    pub fn configured(setup: &Setup<'_>) -> Result<Option<Arc<Self>>, SetupError> {
        let Some(settings) = Settings::configured(setup)? else { return Ok(None) };
        let wrong =
            |problem: String| SetupError { platform: PLATFORM, problem, remedy: "see docs/webhook.md".to_owned() };
        let platform: Platform = PLATFORM.parse().map_err(|error| wrong(format!("{error}")))?;
        let security = &setup.config.security;
        let everywhere = Security { allow_private_urls: true, ..security.clone() };
        let poster = |security: &Security| Poster::new(security).map_err(|error| wrong(error.to_string()));
        Ok(Some(Arc::new(Self {
            toolsets: configured_toolsets(setup.config, &platform).unwrap_or_else(|| NARROW.to_vec()),
            settings: Arc::new(settings),
            home: setup.home.path().to_owned(),
            public: poster(security)?,
            everywhere: poster(&everywhere)?,
            bound: watch::Sender::new(None),
            platform,
        })))
    }

    /// Where it listens, once it does.
    pub async fn address(&self) -> Option<SocketAddr> {
        let mut bound = self.bound.subscribe();
        bound.wait_for(Option::is_some).await.ok().and_then(|bound| *bound)
    }

    async fn listen(&self, inbox: Inbox, shutdown: CancellationToken) -> Result<(), AdapterError> {
        let wanted = SocketAddr::new(self.settings.host, self.settings.port);
        let listener = TcpListener::bind(wanted).await.map_err(|error| {
            let problem = format!("cannot listen on {wanted}: {error}");
            match error.kind() {
                ErrorKind::AddrInUse | ErrorKind::PermissionDenied | ErrorKind::AddrNotAvailable => {
                    AdapterError::NeedsAttention(problem)
                }
                _ => AdapterError::Interrupted(problem),
            }
        })?;
        self.bound.send_replace(listener.local_addr().ok());
        let receiver = Receiver::new(
            self.settings.clone(),
            self.platform.clone(),
            self.toolsets.clone(),
            self.home.clone(),
            inbox,
        );
        serve(listener, receiver, shutdown).await;
        Ok(())
    }

    async fn hand_over(&self, outgoing: &Outgoing) -> Result<Receipt, DeliveryError> {
        let route = find(&self.settings, &self.home, outgoing.to.chat.as_str()).await;
        match route.map(|route| route.target) {
            Some(Target::Callback(callback)) => {
                let poster = if callback.allow_private { &self.everywhere } else { &self.public };
                call(poster, &callback, outgoing).await
            }
            // What goes to a chat is delivered there, and never comes by here.
            Some(Target::Log | Target::Chat(_)) => {
                tracing::info!(route = %outgoing.to.chat, text = outgoing.content.text(), "a webhook was worked on");
                Ok(Receipt { message: None })
            }
            None => Err(DeliveryError::never("its route is gone")),
        }
    }
}

impl Adapter for WebhookAdapter {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            longest_message: LONGEST,
            unit: Unit::Bytes,
            edits: Edits::None,
            buttons: Buttons::None,
            files: Files::None,
            repeats: Repeats::Recognised,
        }
    }

    fn run(self: Arc<Self>, inbox: Inbox, shutdown: CancellationToken) -> Pending<'static, Result<(), AdapterError>> {
        Box::pin(async move { self.listen(inbox, shutdown).await })
    }

    fn deliver<'a>(&'a self, outgoing: &'a Outgoing) -> Pending<'a, Result<Receipt, DeliveryError>> {
        Box::pin(self.hand_over(outgoing))
    }

    /// Nobody is there.
    fn ask<'a>(&'a self, _question: &'a Question) -> Pending<'a, Result<(), DeliveryError>> {
        Box::pin(std::future::ready(Err(DeliveryError::never("nobody is behind a webhook"))))
    }

    fn show<'a>(&'a self, _showing: &'a Showing, _progress: &'a Progress) -> Pending<'a, Result<(), DeliveryError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
