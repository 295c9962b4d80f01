//! Webhooks: programs elsewhere say that something happened, and an agent works on it.
//!
//! A request counts by its signature and by nothing else. What is in it comes from strangers: it becomes the text of a message that nobody
//! watches, with few tools and no way to approve anything.

mod adapter;
mod callback;
mod prompt;
mod rate;
mod receive;
mod route;
mod serve;
mod settings;
mod signature;

use std::sync::Arc;

use super::{Setup, SetupError};
use crate::Adapter;

pub use adapter::WebhookAdapter;
pub use signature::{hex, sign};

const PLATFORM: &str = "webhook";

/// An adapter, if webhooks are configured.
pub(super) fn build(setup: &Setup<'_>) -> Result<Option<Arc<dyn Adapter>>, SetupError> {
    Ok(WebhookAdapter::configured(setup)?.map(|adapter| adapter as Arc<dyn Adapter>))
}
