//! A server that speaks Telegram's Bot API on a real socket: what bots ask, with Telegram's own rules and errors.
//!
//! It keeps chats as people would see them, remembers every call with its arguments, and fails as it is told to.

// This crate is for tests only, where a panic is the report.
#![expect(clippy::unwrap_used, reason = "a test tool reports by panicking")]

mod markup;
mod methods;
mod serve;
mod state;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub use state::{BotCall, Failure, Shown};

use state::State;

/// The bot's own id and name.
pub const BOT_ID: i64 = 4_242;
pub const BOT_NAME: &str = "hermes_test_bot";
pub const TOKEN: &str = "4242:test-token-0123456789";

/// A running server. It has a thread of its own, so that tests without a runtime can use it.
#[derive(Debug)]
pub struct BotApi {
    address: SocketAddr,
    state: Arc<State>,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl BotApi {
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (state, stop) = (Arc::new(State::new()), CancellationToken::new());
        let (served, stopped) = (state.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(serve::run(listener, served, stopped));
        });
        Self { address, state, stop, thread: Some(thread) }
    }

    /// As `platforms.telegram.base_url` has it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Somebody says something in private; the message's id.
    pub fn says(&self, person: i64, text: &str) -> i64 {
        self.message(person, &json!({"id": person, "type": "private"}), &json!({"text": text}))
    }

    /// Somebody says something in a group. Names and commands in it are marked as Telegram marks them.
    pub fn says_in(&self, group: i64, person: i64, text: &str) -> i64 {
        let chat = json!({"id": group, "type": "supergroup", "title": "a group"});
        self.message(person, &chat, &json!({"text": text, "entities": markup::entities(text)}))
    }

    /// The same in a topic.
    pub fn says_in_topic(&self, group: i64, topic: i64, person: i64, text: &str) -> i64 {
        let chat = json!({"id": group, "type": "supergroup", "title": "a group", "is_forum": true});
        let topic = json!({"text": text, "entities": markup::entities(text), "message_thread_id": topic,
            "is_topic_message": true});
        self.message(person, &chat, &topic)
    }

    /// A message with these fields; its id.
    pub fn message(&self, person: i64, chat: &Value, fields: &Value) -> i64 {
        let id = self.state.next_message();
        let mut message = json!({"message_id": id, "date": 1_700_000_000, "chat": chat,
            "from": {"id": person, "is_bot": false, "first_name": format!("Person {person}")}});
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.update(json!({"message": message}));
        id
    }

    /// Somebody presses a button under a message.
    pub fn presses(&self, person: i64, chat: i64, message: i64, data: &str) {
        let kind = if chat < 0 { "supergroup" } else { "private" };
        self.update(json!({"callback_query": {
            "id": format!("press-{}", self.state.next_message()),
            "from": {"id": person, "is_bot": false, "first_name": format!("Person {person}")},
            "message": {"message_id": message, "date": 1_700_000_000, "chat": {"id": chat, "type": kind}},
            "data": data,
        }}));
    }

    /// An update with the next number.
    pub fn update(&self, fields: Value) -> i64 {
        self.state.update(fields)
    }

    /// The next answer to getUpdates, word for word: out of order, twice, or nonsense.
    pub fn updates_verbatim(&self, updates: Vec<Value>) {
        self.state.verbatim(updates);
    }

    /// The next calls of a method fail, one for each of these.
    pub fn fail(&self, method: &str, failures: impl IntoIterator<Item = Failure>) {
        self.state.fail(method, failures);
    }

    /// A file that can be fetched.
    pub fn keep_file(&self, id: &str, bytes: &[u8]) {
        self.state.keep_file(id, bytes);
    }

    /// The calls of a method so far.
    pub fn calls(&self, method: &str) -> Vec<BotCall> {
        self.state.calls().into_iter().filter(|call| call.method == method).collect()
    }

    /// Waits for a call like this, and tells it.
    pub async fn call(&self, what: impl Fn(&BotCall) -> bool) -> BotCall {
        let mut changes = self.state.changes();
        loop {
            changes.borrow_and_update();
            if let Some(call) = self.state.calls().into_iter().find(|call| what(call)) {
                return call;
            }
            changes.changed().await.unwrap();
        }
    }

    /// What stands in a chat now and was said by the bot, in order.
    pub fn shown(&self, chat: i64) -> Vec<Shown> {
        self.state.shown(chat)
    }

    /// Waits until something that the bot has said in a chat is like this, and tells it.
    pub async fn sees(&self, chat: i64, what: impl Fn(&Shown) -> bool) -> Shown {
        let mut changes = self.state.changes();
        loop {
            changes.borrow_and_update();
            if let Some(shown) = self.state.shown(chat).into_iter().find(|shown| what(shown)) {
                return shown;
            }
            changes.changed().await.unwrap();
        }
    }

    /// Somebody deletes a message of the bot.
    pub fn delete(&self, chat: i64, message: i64) {
        self.state.with(|known| known.messages.remove(&(chat, message)));
    }

    /// The updates that the bot has not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.state.unacknowledged()
    }
}

impl Drop for BotApi {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed.
            let _ = thread.join();
        }
    }
}
