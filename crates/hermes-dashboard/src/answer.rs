//! What each address of the page answers.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;

use crate::settings::Credentials;

const PAGE: &str =
    "<!doctype html><meta charset=utf-8><title>Hermes</title><h1>Hermes</h1><p>The dashboard is running.</p>";

/// The answer to a request; its body is never read.
pub(crate) fn answer<B>(request: &Request<B>, credentials: Option<&Credentials>) -> Response<Full<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return text(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET\n");
    }
    // Without a secret in them these two are for everybody: a probe has no password.
    match request.uri().path() {
        "/health" => return text(StatusCode::OK, "text/plain", "ok\n"),
        "/api/status" => {
            let status = json!({
                "status": "ok",
                "version": env!("CARGO_PKG_VERSION"),
                "auth_required": credentials.is_some(),
            });
            return text(StatusCode::OK, "application/json", &status.to_string());
        }
        _ => {}
    }
    let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if credentials.is_some_and(|credentials| !credentials.are(sent)) {
        let mut refusal = text(StatusCode::UNAUTHORIZED, "text/plain", "credentials are needed\n");
        refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"Hermes\""));
        return refusal;
    }
    match request.uri().path() {
        "/" => text(StatusCode::OK, "text/html; charset=utf-8", PAGE),
        _ => text(StatusCode::NOT_FOUND, "text/plain", "nothing here\n"),
    }
}

fn text(status: StatusCode, kind: &'static str, body: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use hermes_proto::HostEnvironment;
    use hyper::{Request, StatusCode};

    use super::answer;
    use crate::Settings;

    #[test]
    fn health_is_for_everybody_and_the_rest_for_those_with_credentials() {
        let environment = HostEnvironment::from_pairs([
            ("HERMES_DASHBOARD_BASIC_AUTH_USERNAME", "admin"),
            ("HERMES_DASHBOARD_BASIC_AUTH_PASSWORD", "secret"),
        ]);
        let credentials = Settings::of(None, None, &environment).unwrap().credentials;
        let check = |path: &str, header: Option<&str>, with_credentials: bool, expected: u16| {
            let mut request = Request::builder().uri(path);
            if let Some(header) = header {
                request = request.header("authorization", header);
            }
            let credentials = credentials.as_ref().filter(|_| with_credentials);
            let status = answer(&request.body(()).unwrap(), credentials).status();
            assert_eq!(status, StatusCode::from_u16(expected).unwrap(), "{path} {header:?}");
        };
        let right = Some("Basic YWRtaW46c2VjcmV0");
        check("/health", None, true, 200);
        check("/api/status", None, true, 200);
        check("/", None, true, 401);
        check("/anything", None, true, 401);
        check("/", Some("Basic YWRtaW46d3Jvbmc="), true, 401);
        check("/", right, true, 200);
        check("/anything", right, true, 404);
        check("/", None, false, 200);
    }
}
