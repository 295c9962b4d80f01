//! What callers are told when something fails: OpenAI's shape, the right status, and nothing about this machine.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::{FailureKind, NotAccepted, TurnFailure};

/// After which callers who came at a bad time should try again.
const LATER: Duration = Duration::from_secs(2);

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiError {
    status: StatusCode,
    kind: &'static str,
    message: String,
    param: Option<String>,
    code: Option<&'static str>,
    retry_after: Option<Duration>,
}

impl ApiError {
    fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into(), param: None, code: None, retry_after: None }
    }

    /// 400: what was asked for makes no sense as written.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
    }

    /// 401. One text for every cause.
    pub(super) fn unauthorized() -> Self {
        let message = "a valid API key is required: Authorization: Bearer KEY";
        Self::new(StatusCode::UNAUTHORIZED, "invalid_request_error", message).with_code("invalid_api_key")
    }

    /// 404: there is none, or none that this caller may know of.
    pub(super) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "invalid_request_error", format!("there is no such {what}"))
            .with_code("not_found")
    }

    /// 405.
    pub(super) fn no_such_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_request_error", "this method is not for this address")
            .with_code("method_not_allowed")
    }

    /// 408: the request did not arrive in time.
    pub(super) fn too_slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "invalid_request_error", "the request did not arrive in time")
    }

    /// 409: it is not in a state in which that can be done.
    pub(super) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "invalid_request_error", message).with_code("conflict")
    }

    /// 413.
    pub(super) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request_error", message).with_code("request_too_large")
    }

    /// 422: it makes sense, but not together with what was asked before.
    pub(super) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request_error", message)
    }

    /// 429: as many as there may be.
    pub(super) fn crowded(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", message);
        error.with_code("rate_limit_exceeded").after(LATER)
    }

    /// 429: as many runs as there may be.
    pub(super) fn busy(limit: usize) -> Self {
        let message = format!("too many runs go on already (at most {limit}, gateway.api_server.max_concurrent_runs)");
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", message);
        error.with_code("rate_limit_exceeded").after(LATER)
    }

    /// 500. The cause is for the log.
    pub(super) fn internal(message: &'static str, cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, message, "a request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", message).with_code("internal_error")
    }

    /// 503: the gateway is about to end.
    pub(super) fn stopping() -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", "the gateway is stopping");
        error.with_code("stopping").after(LATER)
    }

    /// Which field it is about.
    #[must_use]
    pub(super) fn about(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    #[must_use]
    pub(super) fn with_code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    fn after(mut self, pause: Duration) -> Self {
        self.retry_after = Some(pause);
        self
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn code(&self) -> &'static str {
        self.code.unwrap_or(self.kind)
    }

    /// As it stands in bodies and in streams.
    pub(super) fn to_json(&self) -> Value {
        let Self { kind, message, param, code, .. } = self;
        json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.to_json())).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(pause) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(pause.as_secs()));
        }
        response
    }
}

impl From<NotAccepted> for ApiError {
    fn from(error: NotAccepted) -> Self {
        match error {
            NotAccepted::Key(_) | NotAccepted::Reserved(_) => Self::invalid(error.to_string()),
            NotAccepted::TooLong(_) => Self::too_large(error.to_string()),
            NotAccepted::ConversationFull | NotAccepted::Full => {
                let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", error.to_string());
                error.with_code("rate_limit_exceeded").after(LATER)
            }
            NotAccepted::Stopping => Self::stopping(),
            NotAccepted::Ledger(_) | NotAccepted::Unwritable(_) => Self::internal("the request cannot be kept", &error),
        }
    }
}

impl From<TurnFailure> for ApiError {
    fn from(failure: TurnFailure) -> Self {
        let server = |status, code| Self::new(status, "server_error", failure.to_string()).with_code(code);
        match &failure {
            TurnFailure::Failed { fault: FailureKind::Caller, message } => Self::invalid(message.clone()),
            TurnFailure::Failed { fault: FailureKind::Model, .. } => server(StatusCode::BAD_GATEWAY, "model_error"),
            TurnFailure::Failed { fault: FailureKind::Gateway, .. } | TurnFailure::Crashed => {
                server(StatusCode::INTERNAL_SERVER_ERROR, "internal_error")
            }
            TurnFailure::Stalled => server(StatusCode::GATEWAY_TIMEOUT, "stalled"),
            TurnFailure::Stopping => Self::stopping(),
        }
    }
}
