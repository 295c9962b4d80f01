//! How fast a chat is spoken to: a few messages at once, then one after another; not at all while Telegram wants a pause.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Messages that may go at once.
const BURST: u32 = 4;
/// Chats that are remembered before those are forgotten that have nothing to remember.
const MANY: usize = 1_024;
/// A private chat takes one message a second, a group twenty a minute.
const PRIVATE: Duration = Duration::from_secs(1);
const GROUP: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(super) struct Pace {
    chats: Mutex<HashMap<String, Rhythm>>,
}

#[derive(Debug, Clone, Copy)]
struct Rhythm {
    /// When the chat would have nothing to catch up with.
    rested: Instant,
    /// Telegram wants nothing before.
    held: Instant,
}

impl Pace {
    /// How long a message must wait that is to be sent now, if Telegram does not want a pause anyway.
    pub(super) fn step(&self, chat: &str) -> Result<Duration, Duration> {
        let now = Instant::now();
        let cost = if chat.starts_with('-') { GROUP } else { PRIVATE };
        let mut chats = self.chats();
        let rhythm = chats.entry(chat.to_owned()).or_insert(Rhythm { rested: now, held: now });
        if rhythm.held > now {
            return Err(rhythm.held - now);
        }
        let wait = rhythm.rested.max(now).saturating_duration_since(now + cost * BURST);
        rhythm.rested = rhythm.rested.max(now) + cost;
        if chats.len() > MANY {
            chats.retain(|_, rhythm| rhythm.rested > now || rhythm.held > now);
        }
        Ok(wait)
    }

    /// How long Telegram still wants a pause.
    pub(super) fn held(&self, chat: &str) -> Option<Duration> {
        let now = Instant::now();
        self.chats().get(chat).map(|rhythm| rhythm.held).filter(|held| *held > now).map(|held| held - now)
    }

    /// Telegram wants a pause.
    pub(super) fn hold(&self, chat: &str, pause: Duration) {
        let now = Instant::now();
        let mut chats = self.chats();
        let rhythm = chats.entry(chat.to_owned()).or_insert(Rhythm { rested: now, held: now });
        rhythm.held = rhythm.held.max(now + pause);
    }

    fn chats(&self) -> MutexGuard<'_, HashMap<String, Rhythm>> {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BURST, Pace};

    #[tokio::test(start_paused = true)]
    async fn a_few_go_at_once_and_the_rest_one_by_one() {
        let pace = Pace::default();
        for _ in 0..=BURST {
            assert_eq!(pace.step("1"), Ok(Duration::ZERO));
        }
        assert_eq!(pace.step("1"), Ok(Duration::from_secs(1)));
        assert_eq!(pace.step("2"), Ok(Duration::ZERO), "chats do not wait for each other");
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(pace.step("1"), Ok(Duration::ZERO));
        pace.hold("1", Duration::from_secs(7));
        assert_eq!(pace.step("1"), Err(Duration::from_secs(7)));
        tokio::time::advance(Duration::from_secs(7)).await;
        assert_eq!((pace.held("1"), pace.step("1")), (None, Ok(Duration::ZERO)));
    }
}
