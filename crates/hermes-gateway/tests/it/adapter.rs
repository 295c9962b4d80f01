//! A platform that a test holds in its hand.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_gateway::{
    Adapter, AdapterError, Buttons, Capabilities, DeliveryError, Edits, Files, Inbox, Outgoing, Pending, Platform,
    Progress, Question, Receipt, Repeats, Showing, Unit,
};
use tokio::sync::{Mutex as Held, mpsc};
use tokio_util::sync::CancellationToken;

use crate::ground::PATIENCE;

type Rule = dyn Fn(&Outgoing) -> Result<Receipt, DeliveryError> + Send + Sync;

/// Remembers what it is told, in order.
pub(crate) struct TestAdapter {
    platform: Platform,
    pub(crate) repeats: Repeats,
    pub(crate) files: Files,
    rule: Mutex<Box<Rule>>,
    delivered: (mpsc::UnboundedSender<Outgoing>, Held<mpsc::UnboundedReceiver<Outgoing>>),
    asked: (mpsc::UnboundedSender<Question>, Held<mpsc::UnboundedReceiver<Question>>),
    shown: Mutex<Vec<(Showing, Progress)>>,
}

impl std::fmt::Debug for TestAdapter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("TestAdapter")
    }
}

impl TestAdapter {
    pub(crate) fn new(repeats: Repeats) -> Arc<Self> {
        Self::with_files(repeats, Files::UpTo(1_000_000))
    }

    pub(crate) fn with_files(repeats: Repeats, files: Files) -> Arc<Self> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (asks, asked) = mpsc::unbounded_channel();
        Arc::new(Self {
            platform: "test".parse().unwrap(),
            repeats,
            files,
            rule: Mutex::new(Box::new(|_| Ok(Receipt { message: None }))),
            delivered: (sender, Held::new(receiver)),
            asked: (asks, Held::new(asked)),
            shown: Mutex::default(),
        })
    }

    /// What becomes of deliveries from now on.
    pub(crate) fn answer_with(
        &self,
        rule: impl Fn(&Outgoing) -> Result<Receipt, DeliveryError> + Send + Sync + 'static,
    ) {
        *self.rule.lock().unwrap() = Box::new(rule);
    }

    /// The next delivery that the platform took.
    pub(crate) async fn next(&self) -> Outgoing {
        let mut delivered = self.delivered.1.lock().await;
        tokio::time::timeout(PATIENCE, delivered.recv()).await.expect("nothing was delivered").unwrap()
    }

    /// What was delivered and not looked at.
    pub(crate) async fn rest(&self) -> Vec<Outgoing> {
        let mut delivered = self.delivered.1.lock().await;
        std::iter::from_fn(|| delivered.try_recv().ok()).collect()
    }

    pub(crate) async fn question(&self) -> Question {
        let mut asked = self.asked.1.lock().await;
        tokio::time::timeout(PATIENCE, asked.recv()).await.expect("nothing was asked").unwrap()
    }

    pub(crate) fn shown(&self) -> Vec<(Showing, Progress)> {
        self.shown.lock().unwrap().clone()
    }
}

impl Adapter for TestAdapter {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            longest_message: 1_000,
            unit: Unit::Characters,
            edits: Edits::Every(Duration::ZERO),
            buttons: Buttons::Shown,
            files: self.files,
            repeats: self.repeats,
        }
    }

    fn run(self: Arc<Self>, _inbox: Inbox, shutdown: CancellationToken) -> Pending<'static, Result<(), AdapterError>> {
        Box::pin(async move {
            shutdown.cancelled().await;
            Ok(())
        })
    }

    fn deliver<'a>(&'a self, outgoing: &'a Outgoing) -> Pending<'a, Result<Receipt, DeliveryError>> {
        Box::pin(async move {
            let result = (self.rule.lock().unwrap_or_else(PoisonError::into_inner))(outgoing);
            if result.is_ok() {
                self.delivered.0.send(outgoing.clone()).unwrap();
            }
            result
        })
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<(), DeliveryError>> {
        self.asked.0.send(question.clone()).unwrap();
        Box::pin(std::future::ready(Ok(())))
    }

    fn show<'a>(&'a self, showing: &'a Showing, progress: &'a Progress) -> Pending<'a, Result<(), DeliveryError>> {
        assert_ne!(showing.to.chat.as_str(), "explodes", "on purpose");
        self.shown.lock().unwrap().push((showing.clone(), progress.clone()));
        Box::pin(std::future::ready(Ok(())))
    }
}
