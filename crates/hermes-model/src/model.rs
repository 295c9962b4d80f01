//! What can answer: a provider's model, several of them in a row, or the one that is built in.

use std::fmt;

use tokio_util::sync::CancellationToken;

use crate::{EventStream, ModelId, Request};

/// Something that answers requests. It does nothing before it is asked the first time.
pub trait Model: fmt::Debug + Send + Sync {
    /// The model that is asked first.
    fn id(&self) -> &ModelId;

    /// Tokens it can see, if that is known.
    fn context_length(&self) -> Option<u64>;

    /// The answer, as it comes. Cancelling ends it with [`crate::ModelError::Cancelled`] and drops the connection at once, and
    /// so does dropping the stream.
    fn stream<'a>(&'a self, request: &'a Request, cancellation: &'a CancellationToken) -> EventStream<'a>;
}
