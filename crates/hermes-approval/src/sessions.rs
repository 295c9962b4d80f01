//! What is remembered of a session in memory, and nowhere else: what was allowed in it, whether asking is off, its password
//! for sudo, and how often it was refused in a row.
//!
//! Bounded: a session that has not been seen for longest is forgotten, which takes rights away and never gives any.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_policy::allow_list::AllowList;
use hermes_proto::Secret;
use hermes_proto::session::SessionKey;

/// Sessions that are remembered.
const MOST: usize = 10_000;

/// Whether a session asks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Yolo {
    #[default]
    Off,
    On,
}

#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) grants: AllowList,
    pub(crate) yolo: Yolo,
    pub(crate) password: Option<Secret>,
    /// Refusals since the last consent.
    pub(crate) refusals: u32,
    last_seen: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    sessions: HashMap<SessionKey, Session>,
    clock: u64,
}

impl Sessions {
    /// What is remembered of this session, if anything is.
    pub(crate) fn read<T>(&self, key: &SessionKey, look: impl FnOnce(&Session) -> T) -> Option<T> {
        let mut held = self.lock();
        held.clock += 1;
        let now = held.clock;
        let session = held.sessions.get_mut(key)?;
        session.last_seen = now;
        Some(look(session))
    }

    /// Changes what is remembered of this session.
    pub(crate) fn change<T>(&self, key: &SessionKey, change: impl FnOnce(&mut Session) -> T) -> T {
        let mut held = self.lock();
        held.clock += 1;
        let now = held.clock;
        if !held.sessions.contains_key(key) && held.sessions.len() >= MOST {
            held.forget_oldest();
        }
        let session = held.sessions.entry(key.clone()).or_default();
        session.last_seen = now;
        change(session)
    }

    pub(crate) fn forget(&self, key: &SessionKey) {
        self.lock().sessions.remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn forget_oldest(&mut self) {
        let oldest = self.sessions.iter().min_by_key(|(_, session)| session.last_seen).map(|(key, _)| key.clone());
        if let Some(oldest) = oldest {
            self.sessions.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Sessions, Yolo};
    use hermes_proto::session::SessionKey;

    fn key(number: usize) -> SessionKey {
        format!("session {number}").parse().unwrap()
    }

    #[test]
    fn the_one_that_was_not_seen_for_longest_is_forgotten() {
        let sessions = Sessions::default();
        for number in 0..MOST {
            sessions.change(&key(number), |session| session.yolo = Yolo::On);
        }
        assert_eq!(sessions.read(&key(0), |session| session.yolo), Some(Yolo::On));
        sessions.change(&key(MOST), |_| ());
        assert_eq!(sessions.read(&key(0), |session| session.yolo), Some(Yolo::On), "it was just seen");
        assert_eq!(sessions.read(&key(1), |session| session.yolo), None);
        assert_eq!(sessions.lock().sessions.len(), MOST);
        sessions.forget(&key(0));
        assert_eq!(sessions.read(&key(0), |session| session.yolo), None);
    }
}
