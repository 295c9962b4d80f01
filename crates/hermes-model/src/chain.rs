//! Models in a row: the first one answers, and when it cannot, the next one does.
//!
//! What is worth trying again is tried again: with another key at once if the key was the trouble, with the same after a wait
//! that grows, or with the next model. A failure in the middle of an answer starts it from its beginning, and the caller is
//! told by [`Event::Restarted`] that what came before is void; nothing is ever pieced together from two answers.

use std::pin::Pin;
use std::time::{Duration, Instant};

use async_stream::stream;
use futures_core::Stream;
use hermes_proto::Secret;
use tokio_util::sync::CancellationToken;

use crate::keys::Pick;
use crate::server::Server;
use crate::{Endpoint, Event, EventStream, KeyNeed, Model, ModelError, ModelId, Request, images, key_command};

/// A key that was refused is not tried again for this long.
const REFUSED_REST: Duration = Duration::from_secs(3600);
/// A key that was used too often rests this long if the server does not say.
const BUSY_REST: Duration = Duration::from_secs(60);
/// A wait longer than this is not made where another model can be asked instead.
const PATIENCE_WITH_FALLBACK: Duration = Duration::from_secs(10);
/// Answers that make no sense, or that break off in the middle, are tried this often in all.
const MOST_BROKEN: u32 = 2;

/// Endpoints in the order in which they are asked.
#[derive(Debug)]
pub struct Chain {
    servers: Vec<Server>,
    first: ModelId,
}

impl Chain {
    pub fn new(first: Endpoint, fallbacks: impl IntoIterator<Item = Endpoint>) -> Self {
        let id = first.id.clone();
        let servers = std::iter::once(first).chain(fallbacks).map(Server::new).collect();
        Self { servers, first: id }
    }

    /// The endpoints, in order.
    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.servers.iter().map(|server| &server.endpoint)
    }
}

impl Model for Chain {
    fn id(&self) -> &ModelId {
        &self.first
    }

    fn context_length(&self) -> Option<u64> {
        self.servers.first().and_then(|server| server.endpoint.context_length)
    }

    fn stream<'a>(&'a self, request: &'a Request, cancellation: &'a CancellationToken) -> EventStream<'a> {
        EventStream::new(stream! {
            let mut asking = Some(Asking::new(self, request));
            while let Some(current) = &mut asking {
                let event = tokio::select! {
                    biased;
                    () = cancellation.cancelled() => Err(ModelError::Cancelled),
                    event = current.next() => event,
                };
                if matches!(event, Err(_) | Ok(Event::Finished(_))) {
                    // Before it is told: whoever keeps the stream after its end does not keep the connection.
                    asking = None;
                }
                yield event;
            }
        })
    }
}

type Attempt<'a> = Pin<Box<dyn Stream<Item = Result<Event, ModelError>> + Send + 'a>>;

/// One request on its way through the chain.
struct Asking<'a> {
    servers: &'a [Server],
    request: &'a Request,
    /// The request with its images read.
    read: Option<Request>,
    failures: u32,
    key: Option<Secret>,
    attempt: Option<Attempt<'a>>,
    wait: Duration,
    /// Whether this attempt told anything.
    has_told: bool,
    has_new_key: bool,
}

/// What follows a failure.
enum Next {
    Again { wait: Duration },
    Fallback,
}

impl<'a> Asking<'a> {
    fn new(chain: &'a Chain, request: &'a Request) -> Self {
        Self {
            servers: &chain.servers,
            request,
            read: None,
            failures: 0,
            key: None,
            attempt: None,
            wait: Duration::ZERO,
            has_told: false,
            has_new_key: false,
        }
    }

    async fn next(&mut self) -> Result<Event, ModelError> {
        match self.step().await {
            Ok(event) => {
                self.has_told = true;
                Ok(event)
            }
            Err(error) => self.recover(error),
        }
    }

    async fn step(&mut self) -> Result<Event, ModelError> {
        if self.attempt.is_none() {
            let wait = std::mem::take(&mut self.wait);
            // The clock ticks in milliseconds: even a wait of nothing would last until the next tick.
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            self.attempt = Some(self.begin().await?);
        }
        let Some(attempt) = &mut self.attempt else { return Err(ModelError::CutOff) };
        std::future::poll_fn(|context| attempt.as_mut().poll_next(context)).await.unwrap_or(Err(ModelError::CutOff))
    }

    async fn begin(&mut self) -> Result<Attempt<'a>, ModelError> {
        let Some(server) = self.servers.first() else { return Err(ModelError::CutOff) };
        key_command::fill(server).await?;
        self.key = match (server.keys.pick(Instant::now()), &server.endpoint.key_need) {
            (Pick::Key(key), _) => Some(key),
            (Pick::Nothing, KeyNeed::Optional) => None,
            (Pick::Nothing, KeyNeed::Required { variable }) => {
                return Err(ModelError::NoKey { provider: server.provider(), variable: variable.clone() });
            }
            (Pick::Resting(wait), _) => return Err(ModelError::KeysResting { provider: server.provider(), wait }),
        };
        if self.read.is_none() && images::are_to_be_read(self.request) {
            self.read = Some(images::read(self.request).await?);
        }
        let body = server.body(self.read.as_ref().unwrap_or(self.request));
        Ok(Box::pin(server.attempt(body, self.key.clone())))
    }

    /// What follows this failure; the error itself if nothing does.
    fn recover(&mut self, error: ModelError) -> Result<Event, ModelError> {
        self.attempt = None;
        let Some(next) = self.decide(&error) else { return Err(error) };
        tracing::warn!(%error, "a model gave no answer, and is asked again or replaced");
        let wait = match next {
            Next::Again { wait } => wait,
            Next::Fallback => {
                self.servers = self.servers.get(1..).unwrap_or_default();
                self.failures = 0;
                Duration::ZERO
            }
        };
        self.wait = wait;
        match self.servers.first() {
            Some(server) => {
                Ok(Event::Restarted { because: error.to_string(), wait, model: server.endpoint.id.clone() })
            }
            None => Err(error),
        }
    }

    fn decide(&mut self, error: &ModelError) -> Option<Next> {
        let server = self.servers.first()?;
        let has_fallback = self.servers.len() > 1 && error.is_worth_a_fallback();
        if error.is_about_the_key() && self.rest_key(server, error) {
            return Some(Next::Again { wait: Duration::ZERO });
        }
        if matches!(error, ModelError::WrongKey { .. }) && self.forget_printed_key(server) {
            return Some(Next::Again { wait: Duration::ZERO });
        }
        self.failures += 1;
        let in_the_middle = std::mem::take(&mut self.has_told);
        let most = if in_the_middle || error.is_breakage() { MOST_BROKEN } else { server.endpoint.retries.attempts };
        let wait = server.endpoint.retries.wait(self.failures).max(error.retry_after().unwrap_or_default());
        let is_patient = !has_fallback || wait <= PATIENCE_WITH_FALLBACK;
        match error.is_passing() && self.failures < most && is_patient {
            true => Some(Next::Again { wait }),
            false => has_fallback.then_some(Next::Fallback),
        }
    }

    /// A key that a command printed may have run out since: it is printed anew, once.
    fn forget_printed_key(&mut self, server: &Server) -> bool {
        let Some(key) = self.key.as_ref().filter(|_| server.endpoint.key_command.is_some()) else { return false };
        server.keys.forget(key);
        !std::mem::replace(&mut self.has_new_key, true)
    }

    /// Lets the key rest; whether another one can be used at once.
    fn rest_key(&self, server: &Server, error: &ModelError) -> bool {
        let Some(key) = &self.key else { return false };
        let rest = match error {
            ModelError::RateLimited { retry_after, .. } => retry_after.unwrap_or(BUSY_REST),
            _ => REFUSED_REST,
        };
        let now = Instant::now();
        server.keys.rest(key, now + rest, now)
    }
}
