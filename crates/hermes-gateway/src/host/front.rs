//! Where messages come in: checked, put on disk, handed to the dispatcher.

use std::path::Path;
use std::sync::Arc;

use hermes_agent::{Observer, Registry};
use hermes_approval::{Answer, AnswerError, Answered, Answerer, Which};
use hermes_proto::session::SessionKey;
use hermes_store::ledger::{Arrival, Arrived, Bounds};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::adapters::AdapterHealth;
use super::order::{Order, SessionStatus, Steered};
use super::shared::Shared;
use super::task::{Attending, Claim, Task};
use crate::metrics::Metrics;
use crate::stored::{Route, StoredMessage};
use crate::{Accepted, Attended, Incoming, KeyRules, MessageNumber, NotAccepted};

/// Messages that may be open.
const BOUNDS: Bounds = Bounds { of_conversation: 32, of_all: 10_000 };
/// Bytes of a message.
const LONGEST: usize = 256 * 1024;
/// Callers that may wait at once.
const MOST_ATTENDED: usize = 1_000;

#[derive(Debug)]
pub(crate) struct Front {
    shared: Arc<Shared>,
    orders: mpsc::Sender<Order>,
    /// Before this nothing is accepted: what an earlier gateway left is looked at first, and must not be mixed with what is new.
    opened: CancellationToken,
    /// From here on nothing is accepted.
    closing: CancellationToken,
    attended: Arc<Semaphore>,
    health: watch::Receiver<AdapterHealth>,
}

impl Front {
    pub(crate) fn new(
        shared: Arc<Shared>,
        orders: mpsc::Sender<Order>,
        closing: CancellationToken,
        health: watch::Receiver<AdapterHealth>,
    ) -> Self {
        let opened = CancellationToken::new();
        Self { shared, orders, opened, closing, attended: Arc::new(Semaphore::new(MOST_ATTENDED)), health }
    }

    pub(crate) fn health(&self) -> &watch::Receiver<AdapterHealth> {
        &self.health
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// From here on messages are accepted.
    pub(crate) fn open(&self) {
        self.opened.cancel();
    }

    pub(crate) async fn accept(&self, incoming: Incoming) -> Result<Accepted, NotAccepted> {
        self.opened.cancelled().await;
        let key = self.check(&incoming)?;
        let write = |error: serde_json::Error| NotAccepted::Unwritable(error.to_string());
        let address = &incoming.chat.address;
        let arrival = Arrival {
            platform: address.platform.to_string(),
            source: serde_json::to_string(&(&address.chat, &incoming.message)).map_err(write)?,
            session_key: key.to_string(),
            message: serde_json::to_string(&StoredMessage::from(&incoming)).map_err(write)?,
            route: serde_json::to_string(&Route::from(&incoming)).map_err(write)?,
        };
        let arrived = self.shared.in_ledger(move |ledger| ledger.accept(&arrival, BOUNDS)).await?;
        match arrived {
            Arrived::Repeated => Ok(Accepted::Repeated),
            Arrived::ConversationFull => Err(NotAccepted::ConversationFull),
            Arrived::Full => Err(NotAccepted::Full),
            Arrived::New(number) => {
                let number = MessageNumber(number);
                let task = Task::new(key, Arc::new(incoming), Claim::Chat(number));
                // If nobody takes it any more, the next gateway finds it on disk.
                let _ = self.orders.send(Order::Arrived(Box::new(task))).await;
                Ok(Accepted::New(number))
            }
        }
    }

    pub(crate) async fn attend(
        &self,
        incoming: Incoming,
        observer: Arc<dyn Observer>,
    ) -> Result<Attended, NotAccepted> {
        let key = self.check(&incoming)?;
        let place = self.attended.clone().try_acquire_owned().map_err(|_| NotAccepted::Full)?;
        let (sender, ended) = oneshot::channel();
        let (opens, opened) = oneshot::channel();
        let cancellation = CancellationToken::new();
        let attending = Attending {
            observer,
            opened: Some(opens),
            ended: sender,
            cancellation: cancellation.clone(),
            _place: place,
        };
        let task = Task::new(key.clone(), Arc::new(incoming), Claim::Caller(attending));
        self.orders.send(Order::Arrived(Box::new(task))).await.map_err(|_| NotAccepted::Stopping)?;
        Ok(Attended { key, cancellation, opened, ended })
    }

    fn check(&self, incoming: &Incoming) -> Result<SessionKey, NotAccepted> {
        if self.closing.is_cancelled() {
            return Err(NotAccepted::Stopping);
        }
        if incoming.text.len() > LONGEST {
            return Err(NotAccepted::TooLong(incoming.text.len()));
        }
        self.key(incoming)
    }

    pub(crate) fn key(&self, incoming: &Incoming) -> Result<SessionKey, NotAccepted> {
        Ok(match &incoming.key {
            Some(key) => KeyRules::given(key.clone())?,
            None => self.shared.rules.key(&incoming.chat, &incoming.person)?,
        })
    }

    pub(crate) async fn answer(&self, by: Answerer, which: Which, answer: Answer) -> Result<Answered, AnswerError> {
        let broker = self.shared.broker.clone();
        let answered = tokio::task::spawn_blocking(move || broker.answer(&by, &which, &answer)).await;
        answered.unwrap_or(Err(AnswerError::NothingPending))
    }

    pub(crate) async fn stop(&self, key: &SessionKey) -> bool {
        self.ask(|done| Order::Stop { key: key.clone(), done }).await.unwrap_or(false)
    }

    pub(crate) async fn steer(&self, key: &SessionKey, whom: Steered, text: String) -> bool {
        self.ask(|done| Order::Steer { key: key.clone(), whom, text, done }).await.unwrap_or(false)
    }

    pub(crate) async fn sessions(&self) -> Vec<SessionStatus> {
        self.ask(|done| Order::Sessions { done }).await.unwrap_or_default()
    }

    pub(crate) fn tools(&self) -> &Registry {
        self.shared.agent.tools()
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    pub(crate) fn attachments(&self) -> &Path {
        &self.shared.attachments
    }

    async fn ask<T>(&self, order: impl FnOnce(oneshot::Sender<T>) -> Order) -> Option<T> {
        let (sender, answer) = oneshot::channel();
        self.orders.send(order(sender)).await.ok()?;
        answer.await.ok()
    }
}
