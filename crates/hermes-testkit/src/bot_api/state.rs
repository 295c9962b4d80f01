//! Chats, updates, files, and what was called.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use serde_json::{Value, json};
use tokio::sync::watch;

/// A call of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct BotCall {
    pub method: String,
    pub parameters: Value,
    /// Whether it was done.
    pub was_done: bool,
}

/// A message of the bot as people see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub message: i64,
    /// As it was sent, with its markup.
    pub text: String,
    pub thread: Option<i64>,
    pub reply_to: Option<i64>,
    /// The data of its buttons.
    pub buttons: Vec<String>,
}

/// How a call fails.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// 429 with this many seconds.
    TooMany(u64),
    /// The group has this id now.
    Moved(i64),
    /// An error as Telegram tells it.
    Refused(u16, String),
    /// A page of something in front of Telegram.
    Page(u16),
    /// 200 with half of a JSON text; it was done.
    Malformed,
    /// The connection ends; nothing was done.
    HangUp,
    /// The connection ends, and it was done.
    HangUpAfterwards,
}

#[derive(Debug)]
pub(super) struct State {
    known: Mutex<Known>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) updates: BTreeMap<i64, Value>,
    pub(super) verbatim: VecDeque<Vec<Value>>,
    pub(super) calls: Vec<BotCall>,
    /// By chat and message.
    pub(super) messages: BTreeMap<(i64, i64), Shown>,
    pub(super) failures: HashMap<String, VecDeque<Failure>>,
    pub(super) files: HashMap<String, Vec<u8>>,
    last_update: i64,
    last_message: i64,
}

impl State {
    pub(super) fn new() -> Self {
        let known = Known { last_update: 100, last_message: 1_000, ..Known::default() };
        Self { known: Mutex::new(known), changes: watch::Sender::new(0) }
    }

    /// Looks at or changes what is known; whoever waits is told.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        let done = work(&mut self.known());
        self.changes.send_modify(|count| *count += 1);
        done
    }

    /// The same without telling anybody.
    pub(super) fn look<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.known())
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(super) fn next_message(&self) -> i64 {
        let mut known = self.known();
        known.last_message += 1;
        known.last_message
    }

    pub(super) fn update(&self, mut fields: Value) -> i64 {
        self.with(|known| {
            known.last_update += 1;
            fields["update_id"] = json!(known.last_update);
            known.updates.insert(known.last_update, fields);
            known.last_update
        })
    }

    pub(super) fn verbatim(&self, updates: Vec<Value>) {
        self.with(|known| known.verbatim.push_back(updates));
    }

    pub(super) fn fail(&self, method: &str, failures: impl IntoIterator<Item = Failure>) {
        self.known().failures.entry(method.to_owned()).or_default().extend(failures);
    }

    pub(super) fn keep_file(&self, id: &str, bytes: &[u8]) {
        self.known().files.insert(id.to_owned(), bytes.to_vec());
    }

    pub(super) fn file(&self, id: &str) -> Option<Vec<u8>> {
        self.known().files.get(id).cloned()
    }

    pub(super) fn calls(&self) -> Vec<BotCall> {
        self.known().calls.clone()
    }

    pub(super) fn shown(&self, chat: i64) -> Vec<Shown> {
        let known = self.known();
        known.messages.iter().filter(|((of, _), _)| *of == chat).map(|(_, shown)| shown.clone()).collect()
    }

    pub(super) fn unacknowledged(&self) -> usize {
        let known = self.known();
        known.updates.len() + known.verbatim.len()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }
}
