//! A request's body: read whole within bounds of size and time, then taken for what it should be.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::error::ApiError;
use super::state::ApiState;

/// Bytes of a body; images come in it.
pub(super) const LARGEST: usize = 10 * 1024 * 1024;
/// Bytes after which somebody who sends too much is no longer listened to.
const MOST_THROWN_AWAY: usize = 8 * LARGEST;
/// For all of it, however slowly it drips in.
const PATIENCE: Duration = Duration::from_secs(60);

/// A JSON body. What it has more than it should is ignored; a field of the wrong type is named. The content type does not matter:
/// the key has told already that this is no web form.
#[derive(Debug)]
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<ApiState> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &ApiState) -> Result<Self, ApiError> {
        parse(&read(request.into_body()).await?).map(Self)
    }
}

async fn read(body: Body) -> Result<Bytes, ApiError> {
    timeout(PATIENCE, collect(body)).await.map_err(|_| ApiError::too_slow())?
}

async fn collect(mut body: Body) -> Result<Bytes, ApiError> {
    let (mut whole, mut length) = (Vec::new(), 0_usize);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::invalid("the request ended before its body did"))?;
        let Ok(piece) = frame.into_data() else { continue };
        length = length.saturating_add(piece.len());
        // Somebody who is still writing does not read: the rest is thrown away so that the answer arrives.
        if length <= LARGEST {
            whole.extend_from_slice(&piece);
        } else if length <= MOST_THROWN_AWAY {
            whole = Vec::new();
        } else {
            break;
        }
    }
    if length > LARGEST {
        return Err(ApiError::too_large(format!("a request has at most {LARGEST} bytes")));
    }
    Ok(whole.into())
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    // Nesting is bounded by the parser itself.
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let invalid = ApiError::invalid(error.into_inner().to_string());
        if path == "." { invalid } else { invalid.about(path) }
    })?;
    json.end().map_err(|error| ApiError::invalid(error.to_string()))?;
    Ok(parsed)
}
