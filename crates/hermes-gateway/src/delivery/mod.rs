//! The way out: what has to be said is kept first, then handed to its platform, once.

mod pump;
mod split;

use std::collections::HashMap;
use std::sync::Arc;

use hermes_proto::session::SessionKey;
use hermes_store::StoreError;
use hermes_store::ledger::{Ledger, NewDelivery};
use tokio::sync::Notify;

use crate::host::LedgerError;
use crate::stored::StoredDelivery;
use crate::{
    Adapter, Address, Capabilities, Content, Identifier, MessageNumber, OutgoingFile, Part, Platform, Repeats, Unit,
};

pub(crate) use pump::Pump;
pub(crate) use split::split;

/// For platforms that are not served at the moment: what is kept for them is delivered when they are again.
const UNKNOWN: Capabilities = Capabilities {
    longest_message: 4_000,
    unit: Unit::Utf16,
    edits: crate::Edits::None,
    buttons: crate::Buttons::None,
    files: crate::Files::None,
    repeats: Repeats::Shown,
};

/// Something to be said to a conversation.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    pub(crate) to: Address,
    pub(crate) session: SessionKey,
    pub(crate) turn: Option<MessageNumber>,
    pub(crate) reply_to: Option<Identifier>,
    pub(crate) body: Body,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    Reply(String),
    Notice(String),
    File(OutgoingFile),
    Clarify { text: String, choices: Vec<String> },
}

/// Where letters are posted.
#[derive(Debug)]
pub(crate) struct Post {
    ledger: Ledger,
    platforms: HashMap<Platform, (Capabilities, Arc<Notify>)>,
}

impl Post {
    pub(crate) fn new(ledger: Ledger, adapters: &HashMap<Platform, Arc<dyn Adapter>>) -> Self {
        let of = |(platform, adapter): (&Platform, &Arc<dyn Adapter>)| {
            (platform.clone(), (adapter.capabilities(), Arc::new(Notify::new())))
        };
        Self { ledger, platforms: adapters.iter().map(of).collect() }
    }

    /// Settles these messages and keeps these letters, both or neither; nothing is said twice about the same messages.
    pub(crate) async fn settle(&self, messages: &[MessageNumber], letters: Vec<Letter>) -> Result<(), LedgerError> {
        let numbers: Vec<_> = messages.iter().map(|number| number.0).collect();
        self.keep(letters, move |ledger, deliveries| ledger.settle(&numbers, deliveries)).await
    }

    /// Keeps a letter that settles nothing.
    pub(crate) async fn send(&self, letter: Letter) -> Result<(), LedgerError> {
        self.keep(vec![letter], |ledger, deliveries| ledger.put(deliveries)).await
    }

    /// Tells whoever delivers on this platform that there is something.
    pub(crate) fn bell(&self, platform: &Platform) -> Option<Arc<Notify>> {
        self.platforms.get(platform).map(|(_, bell)| bell.clone())
    }

    async fn keep(
        &self,
        letters: Vec<Letter>,
        write: impl FnOnce(&Ledger, &[NewDelivery]) -> Result<Vec<i64>, StoreError> + Send + 'static,
    ) -> Result<(), LedgerError> {
        let deliveries: Vec<_> = letters.iter().flat_map(|letter| self.deliveries(letter)).collect();
        let ledger = self.ledger.clone();
        let done = tokio::task::spawn_blocking(move || write(&ledger, &deliveries)).await;
        done.map_err(|_| LedgerError::Broken)??;
        for letter in &letters {
            if let Some(bell) = self.bell(&letter.to.platform) {
                bell.notify_one();
            }
        }
        Ok(())
    }

    /// A letter as messages that its platform can take, one each.
    fn deliveries(&self, letter: &Letter) -> Vec<NewDelivery> {
        let capabilities = self.platforms.get(&letter.to.platform).map_or(UNKNOWN, |(capabilities, _)| *capabilities);
        let text = match &letter.body {
            Body::Reply(text) | Body::Notice(text) | Body::Clarify { text, .. } => text,
            Body::File(file) => {
                return stored(letter, Content::File { file: file.clone(), caption: None }).into_iter().collect();
            }
        };
        // Room for a mark that says that it may have come before.
        let longest = capabilities.longest_message.saturating_sub(pump::MARK.len()).max(1);
        let texts = split(text, longest, capabilities.unit);
        let of = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        let content = |(index, text): (u32, String)| match &letter.body {
            Body::Reply(_) => Content::Reply { text, part: Part { number: index + 1, of } },
            Body::Clarify { choices, .. } if index + 1 == of => Content::Clarify { text, choices: choices.clone() },
            Body::Notice(_) | Body::Clarify { .. } | Body::File(_) => Content::Notice { text },
        };
        let parts = (0_u32..).zip(texts).map(content);
        parts.filter_map(|content| stored(letter, content)).collect()
    }
}

fn stored(letter: &Letter, content: Content) -> Option<NewDelivery> {
    let stored = StoredDelivery { address: letter.to.clone(), reply_to: letter.reply_to.clone(), content };
    let written = serde_json::to_string(&letter.to).and_then(|to| Ok((to, serde_json::to_string(&stored)?)));
    let (address, content) =
        written.inspect_err(|error| tracing::error!(%error, "something to be delivered cannot be written")).ok()?;
    Some(NewDelivery {
        platform: letter.to.platform.to_string(),
        address,
        session_key: letter.session.to_string(),
        answers: letter.turn.map(|number| number.0),
        content,
    })
}
