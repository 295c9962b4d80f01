//! Telegram as the host sees it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::bot::Bot;
use super::error::ApiError;
use super::settings::ReplyTo;
use super::speak::{Format, Line};
use crate::{
    Adapter, AdapterError, Buttons, Capabilities, Content, DeliveryError, Edits, Files, Inbox, Outgoing, Pending,
    Platform, Progress, Question, Receipt, Repeats, Showing, Unit,
};

/// Less than Telegram takes: bullets and tables may need more room than the markdown had.
const LONGEST_MESSAGE: usize = 4_000;

#[derive(Debug)]
pub(super) struct TelegramAdapter {
    bot: Arc<Bot>,
}

impl TelegramAdapter {
    pub(super) fn new(bot: Bot) -> Self {
        Self { bot: Arc::new(bot) }
    }

    async fn hand_over(&self, outgoing: &Outgoing) -> Result<Receipt, DeliveryError> {
        let held =
            |left: Duration| DeliveryError::Later { cause: "Telegram wants a pause".to_owned(), after: Some(left) };
        sleep(self.bot.pace.step(outgoing.to.chat.as_str()).map_err(held)?).await;
        let is_first = !matches!(&outgoing.content, Content::Reply { part, .. } if part.number > 1);
        let message = match outgoing.turn.filter(|_| is_first) {
            // A file stands beside the answer, not in its place.
            _ if matches!(outgoing.content, Content::File { .. }) => self.send(outgoing, is_first).await?,
            Some(turn) => {
                let slot = self.bot.drafts.slot(turn);
                let mut draft = slot.lock().await;
                let sent = match draft.close() {
                    Some(message) => self.in_its_place(outgoing, message).await,
                    None => self.send(outgoing, is_first).await,
                }?;
                // A later part must not take the place of this one.
                *draft = super::drafts::Draft::Closed(None);
                self.bot.drafts.answered(turn);
                sent
            }
            None => self.send(outgoing, is_first).await?,
        };
        Ok(Receipt { message: message.to_string().parse().ok() })
    }

    async fn in_its_place(&self, outgoing: &Outgoing, message: i64) -> Result<i64, DeliveryError> {
        let text = outgoing.content.text();
        match self.bot.edit(&outgoing.to.chat, message, text, Format::Markdown).await {
            Ok(()) => Ok(message),
            // Somebody has deleted it.
            Err(error @ ApiError::Refused { code: 400, .. }) => {
                tracing::debug!(%error, "a draft cannot become the answer");
                self.send(outgoing, true).await
            }
            Err(error) => Err(error.of_repeatable()),
        }
    }

    async fn send(&self, outgoing: &Outgoing, is_first: bool) -> Result<i64, DeliveryError> {
        let refers = match self.bot.settings.reply_to {
            ReplyTo::None => false,
            ReplyTo::First => is_first,
            ReplyTo::All => true,
        };
        let reply_to = outgoing.reply_to.as_ref().filter(|_| refers);
        if let Content::File { file, caption } = &outgoing.content {
            return self.bot.send_file(&outgoing.to, file, caption.as_deref(), reply_to).await;
        }
        let (to, text) = (&outgoing.to, outgoing.content.text());
        let line = Line { to, text, format: Format::Markdown, reply_to, keyboard: None };
        self.bot.say(&line).await.map_err(ApiError::of_sending)
    }

    async fn shown(&self, showing: &Showing, progress: &Progress) -> Result<(), ApiError> {
        let bot = &self.bot;
        match progress {
            Progress::Typing => bot.show_typing(&showing.to).await,
            Progress::Draft { text } => bot.draw(showing, text, Format::Markdown).await,
            Progress::Tool { line } if bot.settings.is_streaming => bot.draw(showing, line, Format::Plain).await,
            Progress::Tool { .. } => bot.show_typing(&showing.to).await,
            Progress::Waiting { ahead } => {
                let text = format!("waiting: {ahead} other conversations come first");
                bot.draw(showing, &text, Format::Plain).await
            }
            Progress::Quiet { seconds } => {
                let text = format!("still at work, but nothing has happened for {seconds} seconds; /stop ends it");
                bot.draw(showing, &text, Format::Plain).await
            }
            Progress::QuestionClosed { id, outcome } => {
                bot.close_question(id, outcome).await;
                Ok(())
            }
        }
    }
}

impl Adapter for TelegramAdapter {
    fn platform(&self) -> &Platform {
        &self.bot.platform
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            longest_message: LONGEST_MESSAGE,
            unit: Unit::Utf16,
            edits: Edits::Every(self.bot.settings.edit_interval),
            buttons: Buttons::Shown,
            files: Files::UpTo(super::upload::LARGEST),
            repeats: Repeats::Shown,
        }
    }

    fn run(self: Arc<Self>, inbox: Inbox, shutdown: CancellationToken) -> Pending<'static, Result<(), AdapterError>> {
        Box::pin(async move { self.bot.clone().receive_all(inbox, shutdown).await })
    }

    fn deliver<'a>(&'a self, outgoing: &'a Outgoing) -> Pending<'a, Result<Receipt, DeliveryError>> {
        Box::pin(self.hand_over(outgoing))
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<(), DeliveryError>> {
        Box::pin(self.bot.ask(question))
    }

    fn show<'a>(&'a self, showing: &'a Showing, progress: &'a Progress) -> Pending<'a, Result<(), DeliveryError>> {
        Box::pin(async move { self.shown(showing, progress).await.map_err(ApiError::of_repeatable) })
    }
}
