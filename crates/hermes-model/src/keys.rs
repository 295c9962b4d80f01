//! The keys of one provider, and which of them is used.
//!
//! A key is kept until it is refused: providers cache a conversation's beginning per account, and changing keys at every
//! request would pay for it each time. A key that was refused rests, so that the next request does not try it again first.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_proto::Secret;

/// Keys in the order of their priority.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    keys: Vec<Key>,
    current: usize,
}

#[derive(Debug)]
struct Key {
    secret: Secret,
    rests_until: Option<Instant>,
}

/// What there is to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pick {
    Key(Secret),
    /// No key was configured.
    Nothing,
    /// All rest; the first may be used again after this time.
    Resting(Duration),
}

impl Keys {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut keys: Vec<Key> = Vec::new();
        for secret in secrets {
            // The same key from two sources is one key.
            if !keys.iter().any(|key| key.secret == secret) {
                keys.push(Key { secret, rests_until: None });
            }
        }
        Self { ring: Mutex::new(Ring { keys, current: 0 }) }
    }

    /// Adds a key that was found out later.
    pub(crate) fn add(&self, secret: Secret) {
        let mut ring = self.ring();
        ring.keys.retain(|key| key.secret != secret);
        ring.keys.push(Key { secret, rests_until: None });
    }

    /// Takes a key away that can be found out anew.
    pub(crate) fn forget(&self, secret: &Secret) {
        let mut ring = self.ring();
        ring.keys.retain(|key| key.secret != *secret);
        ring.current = 0;
    }

    /// The key to use now.
    pub(crate) fn pick(&self, now: Instant) -> Pick {
        let mut ring = self.ring();
        let count = ring.keys.len();
        let order = (0..count).map(|step| (ring.current + step) % count);
        let rested = order.into_iter().find(|place| ring.keys[*place].rests_until.is_none_or(|until| until <= now));
        if let Some(place) = rested {
            ring.current = place;
            return Pick::Key(ring.keys[place].secret.clone());
        }
        let soonest = ring.keys.iter().filter_map(|key| key.rests_until).min();
        soonest.map_or(Pick::Nothing, |until| Pick::Resting(until.saturating_duration_since(now)))
    }

    /// Lets a key rest; answers whether another one can be used meanwhile.
    pub(crate) fn rest(&self, secret: &Secret, until: Instant, now: Instant) -> bool {
        let mut ring = self.ring();
        // The only key does not rest: what is wrong with it should be told again, not that it rests.
        if ring.keys.len() < 2 {
            return false;
        }
        if let Some(key) = ring.keys.iter_mut().find(|key| key.secret == *secret) {
            key.rests_until = Some(until);
        }
        ring.keys.iter().any(|key| key.rests_until.is_none_or(|until| until <= now))
    }

    /// Nothing that holds this lock can panic; a poisoned one is as good as another.
    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_until_it_is_refused_and_comes_back_after_its_rest() {
        let secret = Secret::new;
        let keys = Keys::new([secret("a"), secret("b"), secret("a")]);
        let now = Instant::now();
        let later = |seconds| now + Duration::from_secs(seconds);
        assert_eq!((keys.pick(now), keys.pick(now)), (Pick::Key(secret("a")), Pick::Key(secret("a"))));
        assert!(keys.rest(&secret("a"), later(10), now));
        assert_eq!((keys.pick(now), keys.pick(later(20))), (Pick::Key(secret("b")), Pick::Key(secret("b"))));
        assert!(!keys.rest(&secret("b"), later(30), later(5)));
        assert_eq!(keys.pick(later(6)), Pick::Resting(Duration::from_secs(4)));
        assert_eq!(keys.pick(later(10)), Pick::Key(secret("a")));
        assert_eq!(Keys::default().pick(now), Pick::Nothing);
    }
}
