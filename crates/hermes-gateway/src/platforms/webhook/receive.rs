//! One request: known by its signature, then counted, then handed over. It is acknowledged when it is on disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use axum::Json;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hermes_agent::Toolset;
use hermes_proto::turn::{Delivery, Surface};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::prompt::filled;
use super::rate::Rates;
use super::route::{Route, Signing, subscribed};
use super::settings::Settings;
use super::signature::{Signed, check, fingerprint};
use crate::{
    Accepted, Address, Chat, ChatKind, Inbox, Incoming, InvalidIdentifier, NotAccepted, Person, Platform, Role,
};

/// Bytes of a request.
const LARGEST: usize = 1024 * 1024;
/// For a request's body.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of an event's name.
const LONGEST_EVENT: usize = 100;

/// What requests are worked on with. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Receiver(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    settings: Arc<Settings>,
    platform: Platform,
    toolsets: Vec<Toolset>,
    home: PathBuf,
    inbox: Inbox,
    rates: Rates,
}

/// Why a request was not taken. Nothing in it says how near somebody came.
#[derive(Debug)]
enum Refused {
    NoRoute,
    NotSigned,
    TooLarge,
    TooSlow,
    NotJson,
    TooOften(Duration),
    NotNow(NotAccepted),
    NoEvent(InvalidIdentifier),
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, error) = match &self {
            Self::NoRoute => (StatusCode::NOT_FOUND, "there is no such route"),
            Self::NotSigned => (StatusCode::UNAUTHORIZED, "the request is not signed as it should be"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time"),
            Self::NotJson => (StatusCode::BAD_REQUEST, "the request is not JSON"),
            Self::TooOften(_) => (StatusCode::TOO_MANY_REQUESTS, "this route was called too often"),
            Self::NotNow(NotAccepted::TooLong(_)) => (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"),
            Self::NotNow(error) => {
                tracing::warn!(%error, "a webhook was not accepted");
                (StatusCode::SERVICE_UNAVAILABLE, "not now; try again later")
            }
            Self::NoEvent(error) => {
                tracing::error!(%error, "a webhook's event has no usable name");
                (StatusCode::INTERNAL_SERVER_ERROR, "the request cannot be named")
            }
        };
        let answer = (status, Json(json!({ "error": error })));
        let wait = match &self {
            Self::TooOften(wait) => wait.as_secs().max(1),
            Self::NotNow(_) => 10,
            _ => return answer.into_response(),
        };
        ([(header::RETRY_AFTER, wait.to_string())], answer).into_response()
    }
}

impl Receiver {
    pub(super) fn new(
        settings: Arc<Settings>,
        platform: Platform,
        toolsets: Vec<Toolset>,
        home: PathBuf,
        inbox: Inbox,
    ) -> Self {
        Self(Arc::new(Parts { settings, platform, toolsets, home, inbox, rates: Rates::default() }))
    }
}

/// Takes a request.
pub(super) async fn receive(
    State(receiver): State<Receiver>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    receiver.0.take(&name, &headers, body).await.unwrap_or_else(IntoResponse::into_response)
}

impl Parts {
    async fn take(&self, name: &str, headers: &HeaderMap, body: Body) -> Result<Response, Refused> {
        let route = find(&self.settings, &self.home, name).await.ok_or(Refused::NoRoute)?;
        let body = read(body).await?;
        let signed = match &route.signing {
            Signing::Secret(secret) => check(secret.expose(), headers, &body, SystemTime::now()).map_err(|why| {
                tracing::warn!(route = name, ?why, "a webhook was not signed as it should be");
                Refused::NotSigned
            })?,
            Signing::Nobody => Signed { id: fingerprint(&[&body]) },
        };
        self.rates.count(name, route.rate.unwrap_or(self.settings.rate), Instant::now()).map_err(Refused::TooOften)?;
        let payload: Value = serde_json::from_slice(&body).map_err(|_| Refused::NotJson)?;
        let event = event(headers, &payload);
        let is_wanted = route.events.is_empty() && event != "ping" || route.events.contains(&event);
        if !is_wanted {
            return Ok(Json(json!({ "status": "ignored", "event": event })).into_response());
        }
        let incoming = self.incoming(name, &route, &event, &payload, &signed).map_err(Refused::NoEvent)?;
        match self.inbox.accept(incoming).await.map_err(Refused::NotNow)? {
            Accepted::New(_) => {
                let answer = json!({ "status": "accepted", "route": name, "delivery_id": signed.id });
                Ok((StatusCode::ACCEPTED, Json(answer)).into_response())
            }
            Accepted::Repeated => {
                Ok(Json(json!({ "status": "duplicate", "route": name, "delivery_id": signed.id })).into_response())
            }
        }
    }

    /// Every request is a conversation of its own.
    fn incoming(
        &self,
        name: &str,
        route: &Route,
        event: &str,
        payload: &Value,
        signed: &Signed,
    ) -> Result<Incoming, InvalidIdentifier> {
        let address =
            Address { platform: self.platform.clone(), chat: name.parse()?, thread: Some(signed.id.parse()?) };
        let chat = Chat { address, kind: ChatKind::Direct, name: None, parent: None, scope: None };
        let person = Person::new(format!("webhook:{name}").parse()?, Role::User);
        Ok(Incoming {
            surface: Surface::Unattended,
            delivery: Delivery::Unsupported,
            toolsets: Some(self.toolsets.clone()),
            deliver_to: route.chat().cloned(),
            ..Incoming::text(chat, person, signed.id.parse()?, filled(&route.prompt, name, event, payload))
        })
    }
}

/// The route of this name: of the configuration, or of the subscriptions as they are now.
pub(super) async fn find(settings: &Arc<Settings>, home: &std::path::Path, name: &str) -> Option<Route> {
    if let Some(route) = settings.routes.get(name) {
        return Some(route.clone());
    }
    let (settings, home, name) = (settings.clone(), home.to_owned(), name.to_owned());
    let found = tokio::task::spawn_blocking(move || {
        let written = subscribed(&home, &name)?;
        let checked = settings.route(&name, written);
        checked.inspect_err(|problem| tracing::warn!(route = name, problem, "a subscription is not served")).ok()
    });
    found.await.ok().flatten()
}

async fn read(body: Body) -> Result<Bytes, Refused> {
    let body = timeout(PATIENCE, to_bytes(body, LARGEST)).await.map_err(|_| Refused::TooSlow)?;
    body.map_err(|_| Refused::TooLarge)
}

/// What happened, as the sender calls it.
fn event(headers: &HeaderMap, payload: &Value) -> String {
    let named = ["x-github-event", "x-gitlab-event", "x-webhook-event"].into_iter();
    let header = named.filter_map(|name| headers.get(name)?.to_str().ok()).next();
    let inside = ["event_type", "event", "type"].into_iter().find_map(|name| payload.get(name)?.as_str());
    let event = header.or(inside).unwrap_or("unknown");
    event.chars().filter(|c| !c.is_control()).take(LONGEST_EVENT).collect()
}
