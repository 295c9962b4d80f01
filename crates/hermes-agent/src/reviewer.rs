//! The model that looks at flagged commands before a person is asked: mode `smart`.

use std::sync::Arc;
use std::time::Duration;

use hermes_approval::{PendingReview, Review, ReviewRequest, Reviewer, parse_review};
use hermes_home::config::Config;
use hermes_model::{Model, Request};
use hermes_proto::message::Message;
use tokio_util::sync::CancellationToken;

/// Seconds a review may take if configuration says nothing; a person is faster after that.
const PATIENCE: u64 = 30;
/// Tokens of an answer: room to think, and one word.
const TOKENS: u64 = 2_000;

/// Asks a model.
#[derive(Debug)]
pub struct ModelReviewer {
    model: Arc<dyn Model>,
    patience: Duration,
}

impl ModelReviewer {
    /// With this model, for as long as `auxiliary.approval` gives it.
    pub fn new(model: Arc<dyn Model>, config: &Config) -> Self {
        let seconds = config.auxiliary.get("approval").and_then(|auxiliary| auxiliary.timeout);
        Self { model, patience: Duration::from_secs(seconds.unwrap_or(PATIENCE)) }
    }

    async fn ask(&self, request: &ReviewRequest) -> Review {
        let Some(prompt) = request.prompt() else { return Review::Escalate };
        let mut question = Request::new(vec![Message::system(prompt.system), Message::user(prompt.user)]);
        (question.temperature, question.max_tokens) = (Some(0.0), Some(TOKENS));
        // Whoever waits gives up by dropping this, and the connection with it.
        let never = CancellationToken::new();
        let answer = tokio::time::timeout(self.patience, self.model.stream(&question, &never).finished()).await;
        match answer {
            Ok(Ok(finished)) if finished.message.tool_calls().is_empty() => parse_review(&finished.message.text()),
            Ok(Ok(_)) => Review::Escalate,
            Ok(Err(error)) => {
                tracing::warn!(%error, "no model reviewed a command");
                Review::Escalate
            }
            Err(_) => {
                tracing::warn!("reviewing a command took too long");
                Review::Escalate
            }
        }
    }
}

impl Reviewer for ModelReviewer {
    fn review<'a>(&'a self, request: &'a ReviewRequest) -> PendingReview<'a> {
        Box::pin(self.ask(request))
    }
}
