//! Asking Telegram for updates, one call after another.
//!
//! Updates are numbered; asking for those behind a number tells Telegram to forget the ones up to it. That is done only when they are on disk. One
//! that cannot be read is left behind, or it would come for ever. Chats are worked on side by side, because one may have large files to fetch.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::bot::Bot;
use super::error::ApiError;
use super::meant::Me;
use super::receive::Taken;
use super::wire::{Message, Press, Update, User};
use crate::{AdapterError, Inbox, commands};

/// How long Telegram keeps a question for updates open.
const OPEN: Duration = Duration::from_secs(30);
/// How much later its answer may come.
const SLACK: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const AFTER_NOTHING: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Failures in a row after which the host is told, and starts anew with pauses of its own.
const MOST_FAILURES: u32 = 6;
/// How long what is on its way is waited for at the end.
const LAST_CALL: Duration = Duration::from_secs(5);

/// What belongs together and is worked on in order.
#[derive(Debug)]
struct Work {
    /// The first update of it.
    update: i64,
    what: What,
}

#[derive(Debug)]
enum What {
    /// One message, or several that were sent as one.
    Messages(Vec<Message>),
    Press(Box<Press>),
}

impl Bot {
    /// Receives until `shutdown`.
    pub(super) async fn receive_all(
        self: Arc<Self>,
        inbox: Inbox,
        shutdown: CancellationToken,
    ) -> Result<(), AdapterError> {
        self.tasks.reopen();
        let received = tokio::select! {
            () = shutdown.cancelled() => Ok(()),
            ended = self.poll(&inbox) => ended,
        };
        self.tasks.close();
        let _ = timeout(LAST_CALL, self.tasks.wait()).await;
        received
    }

    async fn poll(self: &Arc<Self>, inbox: &Inbox) -> Result<(), AdapterError> {
        let me = self.introduce().await?;
        let mut failures = Failures::default();
        loop {
            let offset = self.offset.load(Ordering::Relaxed);
            let parameters = json!({
                "offset": offset,
                "timeout": OPEN.as_secs(),
                "allowed_updates": ["message", "callback_query"],
            });
            let updates: Vec<Value> = match self.api.call_within(OPEN + SLACK, "getUpdates", &parameters).await {
                Ok(updates) => updates,
                Err(error) => {
                    failures.one_more(error).await?;
                    continue;
                }
            };
            failures = Failures::default();
            match self.take_all(inbox, &me, updates).await {
                Some(next) => self.offset.store(next, Ordering::Relaxed),
                // A server that does not wait before it says that there is nothing must not be asked without end.
                None => sleep(AFTER_NOTHING).await,
            }
        }
    }

    /// Makes sure that the token is right, and tells Telegram what there is to choose from.
    async fn introduce(&self) -> Result<Me, AdapterError> {
        let mut failures = Failures::default();
        let me: User = loop {
            match self.api.call("getMe", &json!({})).await {
                Ok(me) => break me,
                Err(error) => failures.one_more(error).await?,
            }
        };
        // With a webhook, which another program may have left, nothing can be polled.
        let commands: Vec<_> =
            commands::menu().map(|(name, about)| json!({"command": name, "description": about})).collect();
        for (method, parameters) in [("deleteWebhook", json!({})), ("setMyCommands", json!({"commands": commands}))] {
            if let Err(error) = self.api.call::<Value>(method, &parameters).await {
                tracing::warn!(%error, method, "Telegram was not told");
            }
        }
        let me = Me::of(me);
        tracing::info!(username = me.username, "Telegram knows the bot");
        Ok(me)
    }

    /// Works on updates; the first one that Telegram must not forget. Nothing if there were none.
    async fn take_all(self: &Arc<Self>, inbox: &Inbox, me: &Me, updates: Vec<Value>) -> Option<i64> {
        let (chats, behind) = sorted(updates);
        let mut chats_at_work = JoinSet::new();
        for works in chats.into_values() {
            chats_at_work.spawn(self.clone().take(inbox.clone(), me.clone(), works));
        }
        let mut next = behind?;
        let mut is_held_up = false;
        while let Some(taken) = chats_at_work.join_next().await {
            match taken {
                Ok(None) => {}
                Ok(Some(update)) => {
                    is_held_up = true;
                    next = next.min(update);
                }
                // Whatever in it makes this panic would do so again.
                Err(error) => tracing::error!(%error, "an update was given up"),
            }
        }
        if is_held_up {
            sleep(FIRST_PAUSE).await;
        }
        Some(next)
    }

    /// Works on what came from one chat, in order; the first update that could not be taken.
    async fn take(self: Arc<Self>, inbox: Inbox, me: Me, works: Vec<Work>) -> Option<i64> {
        for Work { update, what } in works {
            match what {
                What::Press(press) => self.pressed(&inbox, &press).await,
                What::Messages(messages) => {
                    if self.receive(&inbox, &me, &messages).await == Taken::NotYet {
                        return Some(update);
                    }
                }
            }
        }
        None
    }
}

/// Updates by chat, each in the order of its numbers, and the number behind them all.
fn sorted(updates: Vec<Value>) -> (BTreeMap<i64, Vec<Work>>, Option<i64>) {
    let mut numbered: Vec<_> =
        updates.into_iter().filter_map(|update| Some((update["update_id"].as_i64()?, update))).collect();
    numbered.sort_by_key(|(number, _)| *number);
    numbered.dedup_by_key(|(number, _)| *number);
    let behind = numbered.last().map(|(number, _)| number.saturating_add(1));
    let mut chats: BTreeMap<i64, Vec<Work>> = BTreeMap::new();
    for (number, update) in numbered {
        let update: Update = match serde_json::from_value(update) {
            Ok(update) => update,
            Err(error) => {
                tracing::warn!(number, %error, "an update cannot be read and is left behind");
                continue;
            }
        };
        if let Some(press) = update.callback_query {
            let chat = press.message.as_ref().map_or(press.from.id, |message| message.chat.id);
            let what = What::Press(Box::new(press));
            chats.entry(chat).or_default().push(Work { update: update.update_id, what });
        } else if let Some(message) = update.message {
            let works = chats.entry(message.chat.id).or_default();
            match works.last_mut() {
                Some(Work { what: What::Messages(together), .. }) if are_together(together, &message) => {
                    together.push(message);
                }
                _ => works.push(Work { update: update.update_id, what: What::Messages(vec![message]) }),
            }
        }
    }
    (chats, behind)
}

/// Whether a message was sent as one with these.
fn are_together(messages: &[Message], message: &Message) -> bool {
    messages.last().is_some_and(|last| {
        let whose = |message: &Message| message.from.as_ref().map(|from| from.id);
        last.media_group_id.is_some()
            && last.media_group_id == message.media_group_id
            && whose(last) == whose(message)
            && last.message_thread_id == message.message_thread_id
    })
}

/// Failures in a row.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
}

impl Failures {
    /// Waits before the next attempt, or ends it.
    async fn one_more(&mut self, error: ApiError) -> Result<(), AdapterError> {
        self.count += 1;
        let pause = match &error {
            ApiError::Token => {
                return Err(AdapterError::NeedsAttention(
                    "Telegram does not know TELEGRAM_BOT_TOKEN; @BotFather has the right one".to_owned(),
                ));
            }
            ApiError::TooMany { after } => *after,
            error if !error.is_passing() || self.count >= MOST_FAILURES => {
                return Err(AdapterError::Interrupted(error.to_string()));
            }
            _ => (FIRST_PAUSE * 2_u32.pow(self.count.min(8) - 1)).min(LONGEST_PAUSE).mul_f64(0.5 + fastrand::f64()),
        };
        tracing::warn!(%error, "Telegram is asked again after a pause");
        sleep(pause).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{What, sorted};

    fn update(number: i64, chat: i64, message: i64) -> Value {
        json!({"update_id": number, "message": {"message_id": message, "chat": {"id": chat, "type": "private"}, "from": {"id": chat}}})
    }

    fn together(number: i64, message: i64, group: &str) -> Value {
        let mut update = update(number, 1, message);
        update["message"]["media_group_id"] = json!(group);
        update
    }

    /// Chat, first update and messages of a piece of work.
    type Seen = (i64, i64, Vec<i64>);

    fn works(updates: Vec<Value>) -> (Vec<Seen>, Option<i64>) {
        let (chats, behind) = sorted(updates);
        let of = |(chat, works): (i64, Vec<super::Work>)| {
            works.into_iter().map(move |work| match work.what {
                What::Messages(messages) => (chat, work.update, messages.iter().map(|one| one.message_id).collect()),
                What::Press(_) => (chat, work.update, Vec::new()),
            })
        };
        (chats.into_iter().flat_map(of).collect(), behind)
    }

    #[test]
    fn updates_are_taken_once_and_in_order() {
        let (taken, behind) = works(vec![update(12, 1, 3), update(10, 1, 1), update(11, 2, 9), update(10, 1, 1)]);
        assert_eq!(taken, [(1, 10, vec![1]), (1, 12, vec![3]), (2, 11, vec![9])]);
        assert_eq!(behind, Some(13));
        assert_eq!(works(Vec::new()), (Vec::new(), None));
    }

    #[test]
    fn what_cannot_be_read_is_left_behind() {
        let odd = json!({"update_id": 20, "message": {"message_id": "none"}});
        let (taken, behind) = works(vec![odd, json!({"update_id": 21, "poll": {}}), json!("x"), update(19, 1, 1)]);
        assert_eq!((taken, behind), (vec![(1, 19, vec![1])], Some(22)));
    }

    #[test]
    fn pictures_that_were_sent_together_are_one_message() {
        let (taken, _) = works(vec![together(1, 5, "a"), together(2, 6, "a"), together(3, 7, "b"), update(4, 1, 8)]);
        assert_eq!(taken, [(1, 1, vec![5, 6]), (1, 3, vec![7]), (1, 4, vec![8])]);
    }
}
