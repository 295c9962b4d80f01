//! Whether a request was signed by somebody who knows the route's secret, and what makes it the same request again.
//!
//! Signatures are compared in constant time. What decides whether a request is a repeated one is only ever something that was signed:
//! a header beside the signature could be changed by whoever has seen a request.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use ring::{digest, hmac};

/// How far a request's clock may be off; older ones may be somebody's copy.
const SKEW: Duration = Duration::from_secs(300);

/// A request whose sender is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signed {
    /// The same for the same request.
    pub(super) id: String,
}

/// Why a request is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsigned {
    Missing,
    Wrong,
    /// The signature is right, and from another time.
    Stale,
}

/// Looks for a signature of any kind that is known. The first that is there decides.
pub(super) fn check(secret: &str, headers: &HeaderMap, body: &[u8], now: SystemTime) -> Result<Signed, Unsigned> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(signature) = text("x-hub-signature-256") {
        let tag = signature.strip_prefix("sha256=").ok_or(Unsigned::Wrong)?;
        verify(secret, body, tag)?;
        return Ok(Signed { id: fingerprint(&[body]) });
    }
    if let Some(token) = text("x-gitlab-token") {
        // Both are signed with the same key, so that comparing them tells nothing about where they differ.
        let expected = sign(secret, secret.as_bytes());
        verify(secret, token.as_bytes(), &expected)?;
        return Ok(Signed { id: fingerprint(&[text("x-gitlab-event-uuid").unwrap_or_default().as_bytes(), body]) });
    }
    let signature = text("x-webhook-signature").ok_or(Unsigned::Missing)?;
    let time = text("x-webhook-timestamp").ok_or(Unsigned::Missing)?;
    let id = text("x-webhook-id");
    let mut said = Vec::with_capacity(body.len() + 64);
    for part in id.into_iter().chain([time]) {
        said.extend_from_slice(part.as_bytes());
        said.push(b'.');
    }
    said.extend_from_slice(body);
    verify(secret, &said, signature.strip_prefix("sha256=").unwrap_or(signature))?;
    let seconds: u64 = time.parse().map_err(|_| Unsigned::Stale)?;
    let then = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).ok_or(Unsigned::Stale)?;
    let distance = now.duration_since(then).or_else(|_| then.duration_since(now)).unwrap_or(Duration::MAX);
    if distance > SKEW {
        return Err(Unsigned::Stale);
    }
    Ok(Signed { id: id.map_or_else(|| fingerprint(&[&said]), |id| fingerprint(&[b"id", id.as_bytes()])) })
}

/// What makes an unsigned request the same again.
pub(super) fn fingerprint(parts: &[&[u8]]) -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(&part.len().to_le_bytes());
        context.update(part);
    }
    hex(&context.finish().as_ref()[..16])
}

fn verify(secret: &str, said: &[u8], tag: &str) -> Result<(), Unsigned> {
    let tag = unhex(tag.trim()).ok_or(Unsigned::Wrong)?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    hmac::verify(&key, said, &tag).map_err(|_| Unsigned::Wrong)
}

/// HMAC-SHA256 as hex.
pub fn sign(secret: &str, said: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    hex(hmac::sign(&key, said).as_ref())
}

/// Bytes as two lowercase digits each.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    let pairs = text.chunks_exact(2);
    if !pairs.remainder().is_empty() || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Signed, Unsigned, check, sign};

    const SECRET: &str = "0123456789abcdef-secret";
    const BODY: &[u8] = b"{\"a\":1}";

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    fn checked(headers: &[(&str, &str)], body: &[u8]) -> Result<Signed, Unsigned> {
        let pair = |(name, value): &(&str, &str)| {
            (HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap())
        };
        let headers: HeaderMap = headers.iter().map(pair).collect();
        check(SECRET, &headers, body, now())
    }

    /// The example of GitHub's documentation.
    #[test]
    fn the_signature_is_the_one_that_others_make() {
        assert_eq!(
            sign("It's a Secret to Everybody", b"Hello, World!"),
            "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
        );
    }

    #[test]
    fn every_kind_is_believed_when_it_is_right_and_only_then() {
        let right = format!("sha256={}", sign(SECRET, BODY));
        assert!(checked(&[("x-hub-signature-256", &right)], BODY).is_ok());
        assert_eq!(checked(&[("x-hub-signature-256", &right)], b"{\"a\":2}"), Err(Unsigned::Wrong));
        for wrong in ["", "sha256=", "sha256=zz", &right[..70], "sha1=aa", &right.to_uppercase()] {
            assert_eq!(checked(&[("x-hub-signature-256", wrong)], BODY), Err(Unsigned::Wrong), "{wrong}");
        }
        assert!(checked(&[("x-gitlab-token", SECRET)], BODY).is_ok());
        assert_eq!(checked(&[("x-gitlab-token", "0123456789abcdef-secreT")], BODY), Err(Unsigned::Wrong));
        assert_eq!(checked(&[], BODY), Err(Unsigned::Missing));
        // A right token does not help a wrong signature.
        assert_eq!(
            checked(&[("x-hub-signature-256", "sha256=00"), ("x-gitlab-token", SECRET)], BODY),
            Err(Unsigned::Wrong)
        );
    }

    #[test]
    fn a_generic_signature_has_its_time_and_its_id_signed() {
        let said = |prefix: &str| sign(SECRET, &[prefix.as_bytes(), BODY].concat());
        let request = |time: &str, id: Option<&str>, signature: &str| {
            let mut headers = vec![("x-webhook-signature", signature), ("x-webhook-timestamp", time)];
            headers.extend(id.map(|id| ("x-webhook-id", id)));
            checked(&headers, BODY)
        };
        let first = request("1800000000", None, &said("1800000000.")).unwrap();
        assert_eq!(request("1800000000", None, &said("1800000000.")).unwrap(), first);
        assert_ne!(request("1800000001", None, &said("1800000001.")).unwrap(), first);
        // The same event, sent again later, is the same.
        let one = request("1800000000", Some("e1"), &said("e1.1800000000.")).unwrap();
        assert_eq!(request("1800000100", Some("e1"), &said("e1.1800000100.")).unwrap(), one);
        // Neither can be put beside a signature that was made without it.
        assert_eq!(request("1800000001", None, &said("1800000000.")), Err(Unsigned::Wrong));
        assert_eq!(request("1800000000", Some("e2"), &said("1800000000.")), Err(Unsigned::Wrong));
        for time in ["1799999699", "1800000301", "0", "99999999999999999999", "x"] {
            assert_eq!(request(time, None, &said(&format!("{time}."))), Err(Unsigned::Stale), "{time}");
        }
        assert_eq!(checked(&[("x-webhook-signature", &sign(SECRET, BODY))], BODY), Err(Unsigned::Missing));
    }

    #[test]
    fn a_replayed_request_is_the_same_whatever_is_written_beside_its_signature() {
        let right = format!("sha256={}", sign(SECRET, BODY));
        let first = checked(&[("x-hub-signature-256", &right), ("x-github-delivery", "a")], BODY);
        assert_eq!(checked(&[("x-hub-signature-256", &right), ("x-github-delivery", "b")], BODY), first);
    }
}
