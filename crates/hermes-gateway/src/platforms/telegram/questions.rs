//! Questions with buttons, and who may press them.
//!
//! Everybody in a group sees a button and can press it. What a press means is decided here and, again, by the broker: only for the people whom
//! the question names, only what it offers, and for good only by an administrator.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_approval::{Answer, AnswerError, PromptId};
use hermes_proto::consent::{Consent, Offer, Scope};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::bot::Bot;
use super::error::ApiError;
use super::speak::{Format, Line};
use super::wire::Press;
use crate::commands::word;
use crate::delivery::split;
use crate::{Address, DeliveryError, Identifier, Inbox, Question, Role, Unit};

/// Units of UTF-16, with room for who decided.
const LONGEST: usize = 3_800;
/// Questions that are remembered.
const MOST: usize = 4_096;
/// How often a question is put, and how long Telegram may want a pause before.
const ATTEMPTS: u32 = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A question that stands in a chat.
#[derive(Debug, Clone)]
struct Asked {
    to: Address,
    message: i64,
    session: hermes_proto::session::SessionKey,
    people: Vec<Identifier>,
    offers: Vec<Scope>,
    text: String,
    /// Whose press is being counted.
    presser: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Questions {
    open: Mutex<HashMap<PromptId, Asked>>,
}

impl Questions {
    fn open(&self) -> MutexGuard<'_, HashMap<PromptId, Asked>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: &PromptId) -> Option<Asked> {
        self.open().get(id).cloned()
    }

    fn keep(&self, id: PromptId, asked: Asked) {
        let mut open = self.open();
        // One that is forgotten can still be answered by typing.
        if open.len() >= MOST
            && let Some(other) = open.keys().next().cloned()
        {
            open.remove(&other);
        }
        open.insert(id, asked);
    }

    fn presser(&self, id: &PromptId, name: Option<String>) {
        if let Some(asked) = self.open().get_mut(id) {
            asked.presser = name;
        }
    }
}

/// What somebody who pressed a button is told.
struct Verdict {
    text: String,
    is_alert: bool,
}

impl Verdict {
    fn refused(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_alert: true }
    }
}

impl Bot {
    /// Puts a question with its buttons.
    pub(super) async fn ask(&self, question: &Question) -> Result<(), DeliveryError> {
        let mut parts = split(&question.text, LONGEST, Unit::Utf16);
        let last = parts.pop().unwrap_or_default();
        for part in &parts {
            self.put(&Line::plain(&question.to, part)).await?;
        }
        let has_admin = question.people.iter().any(|person| self.settings.admission.is_admin(person));
        let is_shown = |offer: &&Offer| offer.scope != Scope::Always || has_admin;
        let offers: Vec<_> = question.request.offers.iter().filter(is_shown).map(|offer| offer.scope).collect();
        let line = Line {
            reply_to: question.reply_to.as_ref(),
            keyboard: Some(keyboard(&question.id, &offers)),
            ..Line::plain(&question.to, &last)
        };
        let message = self.put(&line).await?;
        let asked = Asked {
            to: question.to.clone(),
            message,
            session: question.session.clone(),
            people: question.people.clone(),
            offers,
            text: last.clone(),
            presser: None,
        };
        self.questions.keep(question.id.clone(), asked);
        Ok(())
    }

    /// Says something that somebody waits for: a short pause or a failing network is waited out.
    async fn put(&self, line: &Line<'_>) -> Result<i64, DeliveryError> {
        let mut attempt = 1;
        loop {
            let said = self.say(line).await;
            let pause = match &said {
                Err(ApiError::TooMany { after }) => *after,
                Err(ApiError::Unreachable(_) | ApiError::Unavailable(_)) => Duration::from_secs(1) * attempt,
                _ => return said.map_err(ApiError::of_sending),
            };
            if attempt == ATTEMPTS || pause > LONGEST_PAUSE {
                return said.map_err(ApiError::of_sending);
            }
            sleep(pause).await;
            attempt += 1;
        }
    }

    /// The question's buttons vanish, and it says what came of it. Goes on if nobody waits for it.
    pub(super) async fn close_question(self: &Arc<Self>, id: &PromptId, outcome: &Consent) {
        let Some(asked) = self.questions.open().remove(id) else { return };
        let by = asked.presser.as_ref().map(|name| format!(" by {name}")).unwrap_or_default();
        let text = format!("{}\n\n→ {}{by}", asked.text, word(outcome));
        let bot = self.clone();
        let closing = self.tasks.spawn(async move {
            let edited = bot.edit(&asked.to.chat, asked.message, &text, Format::Plain).await;
            if let Err(error) = edited {
                tracing::debug!(%error, "a question that is settled still shows its buttons");
            }
        });
        let _ = closing.await;
    }

    /// Somebody pressed a button.
    pub(super) async fn pressed(self: &Arc<Self>, inbox: &Inbox, press: &Press) {
        let verdict = self.judged(inbox, press).await;
        let answer = json!({"callback_query_id": press.id, "text": verdict.text, "show_alert": verdict.is_alert});
        if let Err(error) = self.api.call::<Value>("answerCallbackQuery", &answer).await {
            tracing::debug!(%error, "a press of a button was not answered");
        }
    }

    async fn judged(self: &Arc<Self>, inbox: &Inbox, press: &Press) -> Verdict {
        let Some((id, answer)) = press.data.as_deref().and_then(read) else {
            return Verdict::refused("this button means nothing");
        };
        let Ok(person) = press.from.id.to_string().parse::<Identifier>() else {
            return Verdict::refused("this question is not yours to answer");
        };
        let here = press.message.as_ref().map(|message| message.chat.id.to_string());
        let asked = self.questions.get(&id).filter(|asked| Some(asked.to.chat.as_str()) == here.as_deref());
        let Some(asked) = asked else {
            self.bury(press).await;
            return Verdict::refused("this question is no longer open");
        };
        let role = self.role_in(&asked.to.chat, &person).await.filter(|_| asked.people.contains(&person));
        let Some(role) = role.filter(|_| !press.from.is_bot) else {
            return Verdict::refused("this question is not yours to answer");
        };
        match answer {
            Answer::Approve(Scope::Always) if role < Role::Admin => {
                return Verdict::refused("only administrators can allow something for good");
            }
            Answer::Approve(scope) if !asked.offers.contains(&scope) => {
                return Verdict::refused("that cannot be chosen");
            }
            _ => {}
        }
        self.questions.presser(&id, Some(shown_name(press)));
        match inbox.answer(asked.session, &person, id.clone(), answer).await {
            Ok(answered) => {
                let outcome = answered.settled.into_iter().find(|(settled, _)| *settled == id);
                let outcome = outcome.map_or(Consent::Cancelled, |(_, outcome)| outcome);
                self.close_question(&id, &outcome).await;
                Verdict { text: word(&outcome), is_alert: false }
            }
            Err(error) => {
                self.questions.presser(&id, None);
                if !matches!(error, AnswerError::NotAuthorised | AnswerError::NotOffered(_)) {
                    self.close_question(&id, &Consent::Cancelled).await;
                }
                Verdict::refused(error.to_string())
            }
        }
    }

    /// Takes the buttons from a question that nobody waits for.
    async fn bury(&self, press: &Press) {
        let Some(message) = &press.message else { return };
        let parameters = json!({"chat_id": message.chat.id, "message_id": message.message_id});
        if let Err(error) = self.api.call::<Value>("editMessageReplyMarkup", &parameters).await {
            tracing::debug!(%error, "old buttons cannot be taken away");
        }
    }
}

/// One row: what can be allowed, the narrowest first, and no.
fn keyboard(id: &PromptId, offers: &[Scope]) -> Value {
    let button = |text: &str, answer: &str| json!({"text": text, "callback_data": format!("{id}:{answer}")});
    let mut row: Vec<_> = offers.iter().map(|scope| button(&format!("✅ {}", scope.name()), scope.name())).collect();
    row.push(button("❌ deny", "deny"));
    json!({"inline_keyboard": [row]})
}

/// What a button says.
fn read(data: &str) -> Option<(PromptId, Answer)> {
    let (id, answer) = data.split_once(':')?;
    let answer = match answer {
        "deny" => Answer::Deny { reason: None },
        name => Answer::Approve(Scope::ALL.into_iter().find(|scope| scope.name() == name)?),
    };
    Some((PromptId::parse(id)?, answer))
}

/// Who pressed, on one line. A name is chosen by whoever has it; the number is not.
fn shown_name(press: &Press) -> String {
    const LONGEST_NAME: usize = 40;
    let is_plain = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.');
    let name: String = press.from.name().chars().filter(is_plain).take(LONGEST_NAME).collect();
    format!("{} ({})", name.trim(), press.from.id).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use hermes_approval::{Answer, PromptId};
    use hermes_proto::consent::Scope;

    use super::{keyboard, read};

    #[test]
    fn buttons_carry_what_they_mean_in_64_bytes() {
        let id = PromptId::parse("0a1b2c3d").unwrap();
        let keyboard = keyboard(&id, &Scope::ALL);
        let row = keyboard["inline_keyboard"][0].as_array().unwrap();
        let answers: Vec<_> = row
            .iter()
            .map(|button| {
                let data = button["callback_data"].as_str().unwrap();
                assert!(data.len() <= 64);
                let (read_id, answer) = read(data).unwrap();
                assert_eq!(read_id, id);
                answer
            })
            .collect();
        let mut expected: Vec<_> = Scope::ALL.into_iter().map(Answer::Approve).collect();
        expected.push(Answer::Deny { reason: None });
        assert_eq!(answers, expected);
        for data in ["", "0a1b2c3d", "0a1b2c3d:", "0a1b2c3d:all", "zz:once", ":once", "0a1b2c3d:once:always"] {
            assert_eq!(read(data), None, "{data}");
        }
    }
}
