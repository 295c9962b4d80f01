//! One page from its address, step by step.

use std::sync::Arc;
use std::time::Duration;

use encoding_rs::{Encoding, UTF_8};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, Url};

use super::address::{OutOfReach, Reach, Resolver};
use super::readable::{self, Page};

/// Steps from the first address to the page.
const MOST_REDIRECTS: usize = 5;
/// Bytes of a page.
const LARGEST: usize = 5 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(30);
pub(super) const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
const USER_AGENT: &str = concat!("Mozilla/5.0 (compatible; hermes/", env!("CARGO_PKG_VERSION"), ")");

/// Why a page cannot be had. The text goes to the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{text:?} is no address")]
    NoAddress { text: String },
    #[error("{scheme} addresses are not fetched, only http and https")]
    Scheme { scheme: String },
    #[error("addresses with a user or password are not fetched")]
    Credentials,
    #[error("{domain} is on security.website_blocklist")]
    Blocked { domain: String },
    #[error("{address} is an address of a private network")]
    Private { address: String },
    #[error("more than {MOST_REDIRECTS} redirects")]
    TooManyRedirects,
    #[error("server answered {status}")]
    Status { status: u16 },
    #[error("page is of kind {kind}, which is not text")]
    NotText { kind: String },
    #[error("page has more than {LARGEST} bytes")]
    TooLarge,
    #[error("page did not come within {} seconds", PATIENCE.as_secs())]
    TimedOut,
    #[error("page cannot be fetched: {reason}")]
    Failed { reason: String },
    #[error("page cannot be fetched: {reason}")]
    OutOfReach { reason: String },
    #[error("no TLS: {0}")]
    Tls(#[source] hermes_model::TlsError),
}

/// Fetches pages. Clones share connections.
#[derive(Debug, Clone)]
pub(super) struct Fetcher {
    client: Client,
    reach: Reach,
}

impl Fetcher {
    pub(super) fn new(reach: Reach) -> Result<Self, FetchError> {
        let client = Client::builder()
            .tls_backend_preconfigured(hermes_model::tls(None).map_err(FetchError::Tls)?)
            // Each step is checked here, and none carries anything on.
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(Resolver(reach.clone())))
            .connect_timeout(CONNECT_PATIENCE)
            .user_agent(USER_AGENT)
            .no_proxy()
            .build()
            .map_err(failed)?;
        Ok(Self { client, reach })
    }

    pub(super) fn reach(&self) -> &Reach {
        &self.reach
    }

    pub(super) async fn fetch(&self, text: &str) -> Result<Page, FetchError> {
        let page = tokio::time::timeout(PATIENCE, self.follow(text));
        page.await.map_err(|_| FetchError::TimedOut)?
    }

    async fn follow(&self, text: &str) -> Result<Page, FetchError> {
        let no_address = |_| FetchError::NoAddress { text: text.to_owned() };
        let mut url = Url::parse(text.trim()).map_err(no_address)?;
        for _ in 0..=MOST_REDIRECTS {
            self.reach.check(&url)?;
            let response = self.client.get(url.clone()).send().await.map_err(failed)?;
            match redirect(&response, &url) {
                Some(next) => url = next.map_err(|text| FetchError::NoAddress { text })?,
                None if response.status().is_success() => return page(response, &url).await,
                None => return Err(FetchError::Status { status: response.status().as_u16() }),
            }
        }
        Err(FetchError::TooManyRedirects)
    }
}

/// Where the answer points, if it does.
fn redirect(response: &Response, url: &Url) -> Option<Result<Url, String>> {
    if !response.status().is_redirection() {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    let text = String::from_utf8_lossy(location.as_bytes()).into_owned();
    Some(url.join(&text).map_err(|_| text))
}

async fn page(mut response: Response, url: &Url) -> Result<Page, FetchError> {
    let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("text/html");
    let (kind, charset) = content_type(header);
    if !is_text(&kind) {
        return Err(FetchError::NotText { kind });
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if bytes.len() + chunk.len() > LARGEST {
            return Err(FetchError::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    let url = url.to_string();
    let read = move || {
        let encoding = charset.and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(UTF_8);
        let text = encoding.decode(&bytes).0.into_owned();
        if is_html(&kind) { readable::html(&text, url) } else { Page { url, title: String::new(), content: text } }
    };
    // A hostile page can keep a parser busy.
    tokio::task::spawn_blocking(read).await.map_err(|error| FetchError::Failed { reason: error.to_string() })
}

/// Kind and character set of a Content-Type.
fn content_type(header: &str) -> (String, Option<String>) {
    let mut parts = header.split(';');
    let kind = parts.next().unwrap_or_default().trim().to_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_owned())
    });
    (kind, charset)
}

fn is_html(kind: &str) -> bool {
    matches!(kind, "text/html" | "application/xhtml+xml")
}

fn is_text(kind: &str) -> bool {
    let is_named =
        matches!(kind, "application/json" | "application/xml" | "application/javascript" | "application/yaml");
    is_html(kind) || kind.starts_with("text/") || is_named || kind.ends_with("+json") || kind.ends_with("+xml")
}

/// The innermost cause: the outer ones only say that a request failed.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(super) fn failed(error: reqwest::Error) -> FetchError {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(source) = cause.source() {
        if let Some(OutOfReach { .. }) = source.downcast_ref::<OutOfReach>() {
            return FetchError::OutOfReach { reason: source.to_string() };
        }
        cause = source;
    }
    FetchError::Failed { reason: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use hermes_home::config::Security;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::{Fetcher, LARGEST, Reach, content_type};

    fn fetcher(allow_private_urls: bool) -> Fetcher {
        Fetcher::new(Reach::of(&Security { allow_private_urls, ..Security::default() })).unwrap()
    }

    /// Answers every request with the same bytes; `{port}` in them becomes its own port.
    async fn serve(answer: &str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = answer.replace("{port}", &port.to_string());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        port
    }

    fn answer(kind: &str, body: &str) -> String {
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }

    async fn check(answer: &str, expected: Result<&str, &str>) {
        let port = serve(answer).await;
        let outcome = fetcher(true).fetch(&format!("http://127.0.0.1:{port}/")).await;
        let outcome = outcome.map(|page| page.content).map_err(|error| error.to_string());
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(outcome.as_deref().map(str::trim), expected.as_deref(), "{}", &answer[..answer.len().min(300)]);
    }

    #[tokio::test]
    async fn text_comes_as_it_is_and_other_kinds_do_not() {
        check(&answer("application/json", "{\"a\": 1}"), Ok("{\"a\": 1}")).await;
        check(&answer("text/plain; charset=\"utf-8\"", "grüß"), Ok("grüß")).await;
        check(&answer("application/pdf", "%PDF"), Err("page is of kind application/pdf, which is not text")).await;
        check("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", Err("server answered 404")).await;
        check(&answer("text/plain", &"x".repeat(LARGEST + 1)), Err("page has more than 5242880 bytes")).await;
    }

    #[tokio::test]
    async fn every_redirect_is_checked() {
        let to = |place: &str| {
            format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        };
        check(&to("http://127.0.0.1:{port}/again"), Err("more than 5 redirects")).await;
        check(&to("file:///etc/passwd"), Err("file addresses are not fetched, only http and https")).await;
        check(&to("http://u:p@127.0.0.1:{port}/"), Err("addresses with a user or password are not fetched")).await;
    }

    #[tokio::test]
    async fn a_private_address_is_refused_by_number_and_by_name() {
        let port = serve(&answer("text/plain", "secret")).await;
        for (host, expected) in [
            ("127.0.0.1", format!("http://127.0.0.1:{port} is an address of a private network")),
            ("localhost", "page cannot be fetched: localhost is an address of a private network".to_owned()),
        ] {
            let error = fetcher(false).fetch(&format!("http://{host}:{port}/")).await.unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_content_type_is_taken_apart() {
        for (header, kind, charset) in [
            ("text/html", "text/html", None),
            ("Text/HTML; Charset=ISO-8859-1", "text/html", Some("ISO-8859-1")),
            ("text/html; x=y; charset=\"utf-8\"", "text/html", Some("utf-8")),
        ] {
            assert_eq!(content_type(header), (kind.to_owned(), charset.map(str::to_owned)));
        }
    }
}
