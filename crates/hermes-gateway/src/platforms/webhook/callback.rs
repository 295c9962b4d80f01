//! Tells an address elsewhere what came of a request, signed, so that it can be believed there.
//!
//! `X-Hermes-Signature: t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY`. `X-Hermes-Delivery` stays the same however often
//! it is tried.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hermes_agent::tools::{PostError, Poster};
use serde_json::json;

use super::route::Callback;
use super::signature::sign;
use crate::{Content, DeliveryError, Outgoing, Receipt};

/// Hands a delivery to a callback.
pub(super) async fn call(poster: &Poster, callback: &Callback, outgoing: &Outgoing) -> Result<Receipt, DeliveryError> {
    let kind = match &outgoing.content {
        Content::Reply { .. } => "reply",
        Content::Notice { .. } | Content::Clarify { .. } | Content::File { .. } => "notice",
    };
    let body = json!({
        "delivery_id": outgoing.id.0,
        "route": outgoing.to.chat,
        "request_id": outgoing.to.thread,
        "kind": kind,
        "text": outgoing.content.text(),
    })
    .to_string();
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let signature = sign(callback.secret.expose(), format!("{seconds}.{body}").as_bytes());
    let headers = [
        ("content-type", "application/json".to_owned()),
        ("x-hermes-signature", format!("t={seconds},v1={signature}")),
        ("x-hermes-delivery", outgoing.id.0.to_string()),
    ];
    match poster.post(&callback.url, &headers, body).await {
        Ok(answered) if (200..300).contains(&answered.status) => Ok(Receipt { message: None }),
        Ok(answered) if matches!(answered.status, 408 | 425 | 429 | 500..) => Err(DeliveryError::Later {
            cause: format!("the callback answered {}", answered.status),
            after: answered.retry_after.map(Duration::from_secs),
        }),
        Ok(answered) => Err(DeliveryError::never(format!("the callback answered {}", answered.status))),
        Err(error @ PostError::Failed { .. }) => Err(DeliveryError::later(error)),
        Err(error @ PostError::Refused { .. }) => Err(DeliveryError::never(error)),
    }
}
