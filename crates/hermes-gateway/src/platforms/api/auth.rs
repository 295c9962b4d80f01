//! The key that every caller shows, on loopback too: other programs and other accounts of this machine can connect there.
//!
//! Digests are compared, in constant time: how long it takes tells neither how much of a key was right nor how long it is. What
//! exists is looked at only after that, so that an address without a key answers the same whether it exists or not.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use hermes_proto::Secret;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::error::ApiError;
use super::state::ApiState;

/// Lets a request through that shows the key.
pub(super) async fn require_key(
    State(state): State<ApiState>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if shows_key(request.headers(), &state.settings().key) {
        Ok(next.run(request).await)
    } else {
        Err(ApiError::unauthorized())
    }
}

fn shows_key(headers: &HeaderMap, key: &Secret) -> bool {
    let mut shown = headers.get_all(header::AUTHORIZATION).iter();
    // Two of them mean that somebody between the caller and here has added one.
    let (Some(shown), None) = (shown.next(), shown.next()) else { return false };
    let Some((scheme, token)) = shown.as_bytes().split_at_checked("Bearer ".len()) else { return false };
    let is_same = Sha256::digest(token.trim_ascii()).ct_eq(&Sha256::digest(key.expose().trim().as_bytes()));
    scheme.eq_ignore_ascii_case(b"Bearer ") && bool::from(is_same)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};
    use hermes_proto::Secret;

    use super::shows_key;

    #[test]
    fn only_the_whole_key_counts() {
        let key = Secret::new("0123456789abcdef");
        for (shown, expected) in [
            (&["Bearer 0123456789abcdef"][..], true),
            (&["bearer 0123456789abcdef"], true),
            (&[], false),
            (&[""], false),
            (&["Bearer "], false),
            (&["Bearer"], false),
            (&["0123456789abcdef"], false),
            (&["Basic 0123456789abcdef"], false),
            (&["Bearer 0123456789abcde"], false),
            (&["Bearer 0123456789abcdef0"], false),
            (&["Bearer 0123456789ABCDEF"], false),
            (&["Bearer 0123456789abcdef", "Bearer 0123456789abcdef"], false),
        ] {
            let mut headers = HeaderMap::new();
            for one in shown {
                headers.append(header::AUTHORIZATION, HeaderValue::from_static(one));
            }
            assert_eq!(shows_key(&headers, &key), expected, "{shown:?}");
        }
    }
}
