//! How a request becomes a message: whose conversation it is, and which session it goes on with.
//!
//! Without headers a request is a conversation of its own, so that requests side by side never wait for or see each other. With
//! `X-Hermes-Session-Key` it belongs to the conversation that the caller chose; with `X-Hermes-Session-Id` it goes on with one session of its
//! conversation. An id routes, it authorises nothing: under another key the session does not exist.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use hermes_proto::session::SessionKey;
use hermes_proto::turn::{Delivery, Surface};
use hermes_store::sessions::{SessionError, Sessions};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::error::ApiError;
use super::state::ApiState;
use crate::{Attachment, Chat, Continuing, Identifier, Incoming, KeyRules, Person, Role};

pub(super) const SESSION_ID: &str = "x-hermes-session-id";
pub(super) const SESSION_KEY: &str = "x-hermes-session-key";
/// Whoever has the key.
const CALLER: &str = "api";

/// What a request's headers say about whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Caller {
    /// The conversation that the caller chose.
    pub(super) key: Option<SessionKey>,
    /// The session to go on with.
    pub(super) session: Option<String>,
}

impl Caller {
    /// Whose things these are: what was made under one key is not found under another. Empty for callers who chose none.
    pub(super) fn scope(&self) -> &str {
        self.key.as_ref().map_or("", SessionKey::as_str)
    }

    fn read(headers: &HeaderMap) -> Result<Self, ApiError> {
        let key = match text(headers, SESSION_KEY)? {
            Some(text) => {
                let key = text.parse::<SessionKey>().map_err(|error| wrong(SESSION_KEY, &error))?;
                Some(KeyRules::given(key).map_err(|error| wrong(SESSION_KEY, &error))?)
            }
            None => None,
        };
        let session = text(headers, SESSION_ID)?
            .map(|text| text.parse::<Identifier>().map_err(|error| wrong(SESSION_ID, &error)))
            .transpose()?;
        Ok(Self { key, session: session.map(String::from) })
    }
}

fn wrong(name: &'static str, error: &dyn std::fmt::Display) -> ApiError {
    ApiError::invalid(format!("{name}: {error}")).about(name)
}

fn text(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let text = std::str::from_utf8(value.as_bytes()).map_err(|error| wrong(name, &error))?.trim();
            Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
        }
        (Some(_), Some(_)) => Err(wrong(name, &"it is given twice")),
    }
}

impl FromRequestParts<ApiState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &ApiState) -> Result<Self, ApiError> {
        Self::read(&parts.headers)
    }
}

/// A conversation of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conversation {
    chat: Identifier,
    key: Option<SessionKey>,
}

impl Conversation {
    /// The one that the caller chose, or a new one.
    pub(super) fn of(caller: &Caller) -> Result<Self, ApiError> {
        let chat = match &caller.key {
            Some(key) => format!("key-{}", digest(key.as_str())),
            None => Uuid::now_v7().simple().to_string(),
        };
        Ok(Self { chat: identifier(chat)?, key: caller.key.clone() })
    }

    /// The one that this session belongs to, if it is this caller's.
    pub(super) async fn of_session(state: &ApiState, caller: &Caller, id: &str) -> Result<Self, ApiError> {
        let missing = || ApiError::not_found("session").about(SESSION_ID);
        let asked = id.to_owned();
        let found = state
            .in_store(move |store| match Sessions::open(store).find(&asked) {
                // Titles and beginnings of ids are for people.
                Ok(session) => Ok(Some(session).filter(|session| session.id.as_str() == asked)),
                Err(SessionError::Store(error)) => Err(error),
                Err(_) => Ok(None),
            })
            .await?;
        let session = found.filter(|session| session.source == state.parts.platform.as_str()).ok_or_else(missing)?;
        let key = session.key.ok_or_else(missing)?;
        let conversation = match &caller.key {
            Some(chosen) if chosen.as_str() == key => Self::of(caller)?,
            Some(_) => return Err(missing()),
            None => {
                let chat = key.rsplit(':').next().unwrap_or_default().to_owned();
                Self { chat: chat.parse().map_err(|_| missing())?, key: None }
            }
        };
        let own = state.inbox.key(&conversation.incoming(state, String::new(), Continuing::Conversation)?)?;
        if own.as_str() == key { Ok(conversation) } else { Err(missing()) }
    }

    /// A message in it. Nobody is there to be asked or to be told something later.
    pub(super) fn incoming(
        &self,
        state: &ApiState,
        text: String,
        continuing: Continuing,
    ) -> Result<Incoming, ApiError> {
        let chat = Chat::direct(state.parts.platform.clone(), self.chat.clone());
        let person = Person::new(caller_id()?, Role::User);
        let message = identifier(format!("req-{}", Uuid::now_v7().simple()))?;
        Ok(Incoming {
            delivery: Delivery::Unsupported,
            surface: Surface::Unattended,
            continuing,
            key: self.key.clone(),
            ..Incoming::text(chat, person, message, text)
        })
    }

    /// The same with files.
    pub(super) fn incoming_with(
        &self,
        state: &ApiState,
        text: String,
        attachments: Vec<Attachment>,
        continuing: Continuing,
    ) -> Result<Incoming, ApiError> {
        Ok(Incoming { attachments, ..self.incoming(state, text, continuing)? })
    }
}

/// Tells the caller which session it was, and repeats the key that it chose.
pub(super) fn tell_session(headers: &mut HeaderMap, caller: &Caller, session: Option<&str>) {
    for (name, value) in [(SESSION_ID, session), (SESSION_KEY, caller.key.as_ref().map(SessionKey::as_str))] {
        if let Some(value) = value.and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok()) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Who asks, and answers the questions of its own runs.
pub(super) fn caller_id() -> Result<Identifier, ApiError> {
    identifier(CALLER.to_owned())
}

fn identifier(text: String) -> Result<Identifier, ApiError> {
    Identifier::try_from(text).map_err(|error| ApiError::internal("an id cannot be made", &error))
}
