//! The platform `local`: programs of the same account talk to the gateway as to a chat, through its socket.
//!
//! Whoever listens acknowledges each delivery by its number, and knows one that comes again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::message::Answer;
use crate::{
    Adapter, AdapterError, Buttons, Capabilities, DeliveryError, DeliveryId, Edits, Files, Inbox, InvalidPlatform,
    Outgoing, Pending, Platform, Progress, Question, Receipt, Repeats, Showing, Unit,
};

/// How long a delivery waits for somebody who listens.
const PATIENCE: Duration = Duration::from_secs(100);
/// What waits to be written to a listener.
const WAITING: usize = 256;

/// Delivers to whoever listens on the control socket.
#[derive(Debug)]
pub struct LocalAdapter {
    platform: Platform,
    listener: watch::Sender<Option<mpsc::Sender<Answer>>>,
    unacknowledged: Mutex<HashMap<DeliveryId, oneshot::Sender<()>>>,
}

impl LocalAdapter {
    pub fn new() -> Result<Self, InvalidPlatform> {
        Ok(Self { platform: "local".parse()?, listener: watch::Sender::new(None), unacknowledged: Mutex::default() })
    }

    /// Somebody listens from now on, in the place of whoever did before.
    pub(super) fn listen(&self) -> mpsc::Receiver<Answer> {
        let (sender, receiver) = mpsc::channel(WAITING);
        self.listener.send_replace(Some(sender));
        receiver
    }

    pub(super) fn acknowledge(&self, delivery: DeliveryId) {
        if let Some(waiting) = self.waiting().remove(&delivery) {
            let _ = waiting.send(());
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<DeliveryId, oneshot::Sender<()>>> {
        self.unacknowledged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives something to the listener, waiting for one; the listener, if it took it.
    async fn give(&self, answer: Answer) -> Option<mpsc::Sender<Answer>> {
        let mut listeners = self.listener.subscribe();
        loop {
            let listener = listeners.wait_for(|listener| listener.as_ref().is_some_and(|one| !one.is_closed())).await;
            let listener = listener.ok()?.clone()?;
            if listener.send(answer.clone()).await.is_ok() {
                return Some(listener);
            }
            listeners.changed().await.ok()?;
        }
    }

    async fn hand_over(&self, outgoing: &Outgoing) -> Result<Receipt, DeliveryError> {
        let (sender, acknowledged) = oneshot::channel();
        self.waiting().insert(outgoing.id, sender);
        let answer = Answer::Delivery {
            id: outgoing.id,
            chat: outgoing.to.chat.clone(),
            session: outgoing.session.clone(),
            reply_to: outgoing.reply_to.clone(),
            content: outgoing.content.clone(),
        };
        let arrived = async {
            let listener = self.give(answer).await?;
            tokio::select! {
                done = acknowledged => done.ok(),
                () = listener.closed() => None,
            }
        };
        let arrived = timeout(PATIENCE, arrived).await;
        self.waiting().remove(&outgoing.id);
        match arrived {
            Ok(Some(())) => Ok(Receipt { message: None }),
            Ok(None) => {
                Err(DeliveryError::Later { cause: "the listener left".to_owned(), after: Some(Duration::ZERO) })
            }
            Err(_) => Err(DeliveryError::later("nobody listens")),
        }
    }

    fn try_give(&self, answer: Answer) -> Result<(), DeliveryError> {
        let listener = self.listener.borrow().clone();
        let listener = listener.ok_or_else(|| DeliveryError::later("nobody listens"))?;
        listener.try_send(answer).map_err(DeliveryError::later)
    }
}

impl Adapter for LocalAdapter {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            longest_message: 64 * 1024,
            unit: Unit::Bytes,
            edits: Edits::None,
            buttons: Buttons::None,
            files: Files::UpTo(u64::MAX),
            repeats: Repeats::Recognised,
        }
    }

    /// Messages come through the control socket, which is served beside it.
    fn run(self: Arc<Self>, _inbox: Inbox, shutdown: CancellationToken) -> Pending<'static, Result<(), AdapterError>> {
        Box::pin(async move {
            shutdown.cancelled().await;
            Ok(())
        })
    }

    fn deliver<'a>(&'a self, outgoing: &'a Outgoing) -> Pending<'a, Result<Receipt, DeliveryError>> {
        Box::pin(self.hand_over(outgoing))
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<(), DeliveryError>> {
        let answer = Answer::Question {
            id: question.id.to_string(),
            chat: question.to.chat.clone(),
            session: question.session.clone(),
            text: question.text.clone(),
        };
        Box::pin(std::future::ready(self.try_give(answer)))
    }

    fn show<'a>(&'a self, showing: &'a Showing, progress: &'a Progress) -> Pending<'a, Result<(), DeliveryError>> {
        let text = match progress {
            Progress::Typing => "typing".to_owned(),
            Progress::Waiting { ahead } => format!("waiting for {ahead} other conversations"),
            Progress::Quiet { seconds } => format!("nothing has happened for {seconds} seconds"),
            Progress::Draft { text } | Progress::Tool { line: text } => text.clone(),
            Progress::QuestionClosed { id, .. } => format!("question {id} is closed"),
        };
        let given = self.try_give(Answer::Progress { chat: showing.to.chat.clone(), text });
        Box::pin(std::future::ready(given))
    }
}
