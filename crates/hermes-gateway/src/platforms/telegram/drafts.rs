//! The message in which a turn shows what it has so far. The turn's answer takes its place.
//!
//! Two hazards: an edit that is still on its way must not land after the answer, and a message that was sent when its turn ended must not be
//! forgotten, or it would stay beside the answer. So drawing goes on when nobody waits for it, and closing waits for it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Mutex as Held;
use tokio::time::{Instant, sleep, sleep_until};

use super::bot::Bot;
use super::error::ApiError;
use super::settings::ReplyTo;
use super::speak::{Format, Line, shortened};
use crate::{MessageNumber, Showing};

/// Turns that are remembered as answered: what was to be shown of them comes too late.
const REMEMBERED: usize = 512;
/// Drafts are shorter than messages: the answer grows into them.
const LONGEST: usize = 4_000;

/// How far a turn's message is.
#[derive(Debug, Default)]
pub(super) enum Draft {
    #[default]
    None,
    Shown {
        message: i64,
        at: Instant,
    },
    /// The answer is here; the message that it takes the place of, if it has not yet.
    Closed(Option<i64>),
}

#[derive(Debug, Default)]
pub(super) struct Drafts {
    turns: Mutex<Turns>,
}

#[derive(Debug, Default)]
struct Turns {
    slots: HashMap<MessageNumber, Arc<Held<Draft>>>,
    answered: VecDeque<MessageNumber>,
}

impl Drafts {
    pub(super) fn slot(&self, turn: MessageNumber) -> Arc<Held<Draft>> {
        self.turns().slots.entry(turn).or_default().clone()
    }

    /// The turn has its answer.
    pub(super) fn answered(&self, turn: MessageNumber) {
        let mut turns = self.turns();
        turns.answered.push_back(turn);
        if turns.answered.len() > REMEMBERED
            && let Some(oldest) = turns.answered.pop_front()
        {
            turns.slots.remove(&oldest);
        }
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Draft {
    /// Nothing is drawn any more; the message that the answer takes the place of.
    pub(super) fn close(&mut self) -> Option<i64> {
        let message = match self {
            Self::None => None,
            Self::Shown { message, .. } => Some(*message),
            Self::Closed(message) => *message,
        };
        *self = Self::Closed(message);
        message
    }
}

impl Bot {
    /// Shows what a turn has so far.
    pub(super) async fn draw(self: &Arc<Self>, showing: &Showing, text: &str, format: Format) -> Result<(), ApiError> {
        let slot = self.drafts.slot(showing.turn);
        let last = match &*slot.lock().await {
            Draft::Closed(_) => return Ok(()),
            Draft::Shown { at, .. } => Some(*at),
            Draft::None => None,
        };
        if let Some(last) = last {
            sleep_until(last + self.settings.edit_interval).await;
        }
        let Ok(wait) = self.pace.step(showing.to.chat.as_str()) else { return Ok(()) };
        sleep(wait).await;
        // From here on it is on its way, also if the turn ends meanwhile.
        let (bot, showing, text) = (self.clone(), showing.clone(), shortened(text, LONGEST));
        let drawing =
            self.tasks.spawn(async move { bot.redraw(&mut *slot.lock().await, &showing, &text, format).await });
        drawing.await.unwrap_or(Ok(()))
    }

    async fn redraw(&self, draft: &mut Draft, showing: &Showing, text: &str, format: Format) -> Result<(), ApiError> {
        let message = match draft {
            Draft::Closed(_) => return Ok(()),
            Draft::Shown { message, .. } => {
                self.edit(&showing.to.chat, *message, text, format).await?;
                *message
            }
            Draft::None => {
                let reply_to = showing.reply_to.as_ref().filter(|_| self.settings.reply_to != ReplyTo::None);
                self.say(&Line { to: &showing.to, text, format, reply_to, keyboard: None }).await?
            }
        };
        *draft = Draft::Shown { message, at: Instant::now() };
        Ok(())
    }
}
