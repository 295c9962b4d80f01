//! One message on its way in: who says it, whether it is for the bot, what comes with it.
//!
//! The order matters: nothing is fetched, kept or answered for somebody who is not let in.

use std::sync::Arc;

use super::bot::Bot;
use super::files::Fetched;
use super::meant::{Me, is_for_another, is_meant, said, words};
use super::origin::Origin;
use super::speak::Line;
use super::wire::Message;
use crate::{Accepted, Identifier, Inbox, Incoming, NotAccepted, Person, Role};

/// Characters of a quoted message.
const LONGEST_QUOTE: usize = 500;
/// Said to the model where nothing was said.
const NO_WORDS: &str = "(no words, see what is attached)";

/// Whether Telegram may forget a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Done,
    /// It could not be put on disk and must come again.
    NotYet,
}

impl Bot {
    /// Takes a message, or several that were sent as one.
    pub(super) async fn receive(self: &Arc<Self>, inbox: &Inbox, me: &Me, messages: &[Message]) -> Taken {
        let Some(first) = messages.first() else { return Taken::Done };
        let Some(origin) = Origin::of(&self.platform, first) else { return Taken::Done };
        let Some(role) = self.role(&origin).await else {
            self.turn_away(&origin).await;
            return Taken::Done;
        };
        if is_for_another(first, me) || !origin.is_private() && !self.is_for_us(&origin, messages, me) {
            return Taken::Done;
        }
        let words = messages.iter().map(|message| said(message, me)).find(|words| !words.is_empty());
        let fetched = self.fetch(messages, inbox.attachments()).await;
        let mut text = words.unwrap_or_default();
        if text.is_empty() {
            if fetched.attachments.is_empty() && fetched.remarks.is_empty() {
                return Taken::Done;
            }
            NO_WORDS.clone_into(&mut text);
        }
        if !text.starts_with('/') {
            text.extend(quote(first, me));
            text.extend(fetched.remarks.iter().map(|remark| format!("\n{remark}")));
        }
        self.accept(inbox, &origin, role, text, fetched).await
    }

    async fn accept(&self, inbox: &Inbox, origin: &Origin, role: Role, text: String, fetched: Fetched) -> Taken {
        let person = Person { name: Some(origin.name.clone()), ..Person::new(origin.person.clone(), role) };
        let mut incoming = Incoming::text(origin.chat.clone(), person, origin.message.clone(), text);
        incoming.attachments.clone_from(&fetched.attachments);
        if !origin.is_private() {
            incoming.approvers = self.settings.admission.admins();
        }
        let accepted = inbox.accept(incoming).await;
        if !matches!(accepted, Ok(Accepted::New(_))) {
            Fetched::discard(&fetched.attachments);
        }
        match accepted {
            Ok(Accepted::New(_) | Accepted::Repeated) => Taken::Done,
            // One conversation must not keep all others waiting.
            Err(error @ (NotAccepted::ConversationFull | NotAccepted::TooLong(_))) => {
                self.tell(origin, &format!("this was not taken: {error}")).await;
                Taken::Done
            }
            Err(error @ (NotAccepted::Key(_) | NotAccepted::Reserved(_) | NotAccepted::Unwritable(_))) => {
                tracing::warn!(%error, "a message cannot be taken");
                Taken::Done
            }
            Err(error @ (NotAccepted::Full | NotAccepted::Stopping | NotAccepted::Ledger(_))) => {
                tracing::warn!(%error, "a message cannot be taken yet");
                Taken::NotYet
            }
        }
    }

    /// What somebody is in a chat; nothing if they are unknown there.
    pub(super) async fn role_in(self: &Arc<Self>, chat: &Identifier, person: &Identifier) -> Option<Role> {
        // Pairings are on disk.
        let (bot, who) = (self.clone(), person.clone());
        let known = tokio::task::spawn_blocking(move || bot.settings.admission.role(&who)).await;
        let is_group = chat.as_str().starts_with('-');
        let here = || (is_group && self.settings.groups.admits(chat, person)).then_some(Role::User);
        known.ok().flatten().or_else(here)
    }

    async fn role(self: &Arc<Self>, origin: &Origin) -> Option<Role> {
        self.role_in(&origin.chat.address.chat, &origin.person).await
    }

    fn is_for_us(&self, origin: &Origin, messages: &[Message], me: &Me) -> bool {
        let groups = &self.settings.groups;
        let address = &origin.chat.address;
        groups.serves(&address.chat, address.thread.as_ref())
            && (!groups.wants_mention(&address.chat) || messages.iter().any(|message| is_meant(message, me)))
    }

    /// Somebody unknown: nothing in groups, in private perhaps a code.
    async fn turn_away(self: &Arc<Self>, origin: &Origin) {
        tracing::debug!(person = %origin.person, "somebody unknown wrote");
        if !origin.is_private() {
            return;
        }
        let (bot, person, name) = (self.clone(), origin.person.clone(), origin.name.clone());
        let code = tokio::task::spawn_blocking(move || bot.settings.admission.code(&person, &name)).await;
        if let Ok(Some(code)) = code {
            let text = format!(
                "I do not know you yet. Your pairing code is {code}\n\nWhoever runs this bot can let you in with\n\
                 hermes pairing approve {} {code}\nwithin an hour.",
                self.platform
            );
            self.tell(origin, &text).await;
        }
    }

    /// Tells a chat something that need not arrive. Not faster than the chat may be spoken to: whoever floods is not answered at length.
    async fn tell(&self, origin: &Origin, text: &str) {
        let address = &origin.chat.address;
        if !self.pace.step(address.chat.as_str()).is_ok_and(|wait| wait.is_zero()) {
            return;
        }
        if let Err(error) = self.say(&Line::plain(address, text)).await {
            tracing::debug!(%error, "a chat could not be told something");
        }
    }
}

/// What the message answers, if somebody else has said it. What the bot has said it knows.
fn quote(message: &Message, me: &Me) -> Option<String> {
    let answered = message.reply_to_message.as_ref().filter(|answered| answered.forum_topic_created.is_none())?;
    let from = answered.from.as_ref().filter(|from| from.id != me.id)?;
    let (text, _) = words(answered);
    let quoted: String = text.chars().take(LONGEST_QUOTE).collect();
    (!quoted.trim().is_empty()).then(|| format!("\n[in answer to {:?}, who wrote: {quoted:?}]", from.name()))
}
