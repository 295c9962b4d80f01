//! Makes room when a conversation outgrows what the model can see.
//!
//! The beginning and the end stay word for word, the middle becomes a summary. A call is never parted from its result:
//! a provider refuses such a conversation for good. What was replaced stays in the archive for people.

mod cut;
mod summary;

use std::sync::PoisonError;

use hermes_home::config::Config;
use hermes_model::Model;
use hermes_proto::message::Usage;
use hermes_proto::turn::TurnContext;

use crate::agent::{Agent, Audience};
use crate::event::TurnEvent;
use crate::session::{KeepError, Session, SessionError};
use crate::transcript::tokens_of;
use crate::turn::finishing;

use cut::Cut;

/// What a model is taken to see if nobody says.
const USUAL_CONTEXT_LENGTH: u64 = 128_000;
/// Messages that have to be added before a compression is worth another.
const LEAST_NEWS: usize = 10;

/// How badly room is needed: each step leaves less as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Urgency(pub(crate) u32);

/// What a compression did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compressed {
    pub messages_before: usize,
    pub messages_after: usize,
    /// About how many tokens the next request has.
    pub tokens_before: u64,
    pub tokens_after: u64,
}

/// The tokens this model can see.
pub(crate) fn context_length(config: &Config, model: &dyn Model) -> u64 {
    config.model.context_length.or_else(|| model.context_length()).unwrap_or(USUAL_CONTEXT_LENGTH).max(1)
}

/// Whether the conversation has grown past the threshold.
pub(crate) fn is_due(config: &Config, session: &Session) -> bool {
    let has_news = session.compressed_at.is_none_or(|length| session.messages().len() >= length + LEAST_NEWS);
    config.compression.enabled && has_news && session.context_tokens() >= threshold(config, session.model().as_ref())
}

/// The tokens at which a conversation is compressed.
fn threshold(config: &Config, model: &dyn Model) -> u64 {
    part(context_length(config, model), config.compression.threshold.clamp(0.05, 0.95))
}

/// A part of a number of tokens.
fn part(tokens: u64, ratio: f64) -> u64 {
    let thousandths = (ratio.clamp(0.0, 1.0) * 1000.0).round();
    // Between 0 and 1000, so nothing is lost.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=1000 above")]
    let thousandths = thousandths as u64;
    tokens.saturating_mul(thousandths) / 1000
}

impl Agent {
    /// Shortens the conversation now, however long it is.
    pub async fn compress(
        &self,
        session: &mut Session,
        turn: &TurnContext,
        audience: &Audience,
    ) -> Result<Compressed, SessionError> {
        let _finishing = finishing(turn);
        self.settle(session).await?;
        let (messages_before, tokens_before) = (session.messages().len(), session.context_tokens());
        self.shorten(session, turn, audience, Urgency(1)).await?;
        let (messages_after, tokens_after) = (session.messages().len(), session.context_tokens());
        Ok(Compressed { messages_before, messages_after, tokens_before, tokens_after })
    }

    /// Replaces the middle by a summary, if there is a middle; answers what that cost.
    pub(crate) async fn shorten(
        &self,
        session: &mut Session,
        turn: &TurnContext,
        audience: &Audience,
        urgency: Urgency,
    ) -> Result<Usage, KeepError> {
        self.keep_said(session).await?;
        let config = &self.parts.config;
        let room = threshold(config, session.model().as_ref());
        let Some(cut) = Cut::of(session.messages(), &config.compression, urgency, room) else {
            return Ok(Usage::default());
        };
        let before = session.messages().len();
        let middle = &session.messages()[cut.middle.clone()];
        let target = part(middle.iter().map(tokens_of).sum(), config.compression.target_ratio);
        let Some(summary) = self.summary(session, middle, target, turn).await else { return Ok(Usage::default()) };
        let todos = session.todos.lock().unwrap_or_else(PoisonError::into_inner).reminder();
        let text = todos.map_or(summary.text.clone(), |todos| format!("{}\n\n{todos}", summary.text));
        let changes = cut.changes(session.messages(), &text);
        for change in changes {
            self.replace(session, change.range, change.message).await?;
        }
        if summary.usage.total() > 0 {
            self.count_usage(session, summary.usage).await?;
        }
        session.compressed_at = Some(session.messages().len());
        let after = session.messages().len();
        audience.observer.saw(TurnEvent::Compressed { before, after });
        Ok(summary.usage)
    }
}
