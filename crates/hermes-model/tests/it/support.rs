//! What the tests share.

use std::time::Duration;

use hermes_model::{Chain, Dialect, Endpoint, Event, Finished, Model, ModelError, ModelId, Request, Retries};
use hermes_proto::Secret;
use hermes_proto::message::Message;
use hermes_testkit::ModelServer;
use tokio_util::sync::CancellationToken;

/// Nothing here takes long; a test that waits for this long hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn openai(server: &ModelServer) -> Endpoint {
    endpoint(Dialect::ChatCompletions, server.openai_url())
}

pub(crate) fn anthropic(server: &ModelServer) -> Endpoint {
    endpoint(Dialect::AnthropicMessages, server.anthropic_url())
}

/// An endpoint with a key that is quick to try again.
pub(crate) fn endpoint(dialect: Dialect, base_url: String) -> Endpoint {
    let retries = Retries { attempts: 4, first_wait: Duration::from_millis(1), longest_wait: Duration::from_millis(2) };
    let keys = vec![Secret::new("key-of-the-test-0123456789")];
    Endpoint { retries, keys, ..Endpoint::new(ModelId::new("lab", "m-1"), dialect, base_url) }
}

pub(crate) fn ask(text: &str) -> Request {
    Request::new(vec![Message::user(text)])
}

/// All events, and how it ended.
pub(crate) async fn events(model: &dyn Model, request: &Request) -> (Vec<Event>, Option<ModelError>) {
    let cancellation = CancellationToken::new();
    let mut stream = model.stream(request, &cancellation);
    let mut events = Vec::new();
    loop {
        match tokio::time::timeout(PATIENCE, stream.next()).await.unwrap() {
            Some(Ok(event)) => events.push(event),
            Some(Err(error)) => return (events, Some(error)),
            None => return (events, None),
        }
    }
}

/// The complete answer.
pub(crate) async fn answer(endpoint: Endpoint, request: &Request) -> Result<Finished, ModelError> {
    let chain = Chain::new(endpoint, []);
    match events(&chain, request).await {
        (_, Some(error)) => Err(error),
        (mut events, None) => match events.pop() {
            Some(Event::Finished(finished)) => Ok(finished),
            other => panic!("{other:?}"),
        },
    }
}

/// The name of an error's variant.
pub(crate) fn kind(error: &ModelError) -> String {
    format!("{error:?}").split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}
