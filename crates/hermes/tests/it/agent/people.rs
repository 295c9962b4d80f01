//! People who answer as a test wants, and reviewers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hermes_approval::{
    Notice, Notifier, PendingNotice, PendingReview, PromptId, Review, ReviewRequest, Reviewer, Undelivered,
};
use hermes_proto::consent::{Approver, Consent, ConsentRequest, PendingConsent, Reach, Scope};
use tokio::sync::Notify;

use super::ground::PATIENCE;

/// Gives prepared answers, then none: whoever asks once more than expected waits for good.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    answers: Mutex<VecDeque<Consent>>,
    asked: Mutex<Vec<ConsentRequest>>,
    was_asked: Notify,
}

impl Scripted {
    pub(crate) fn new(answers: impl IntoIterator<Item = Consent>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() })
    }

    pub(crate) fn approving(count: usize) -> Arc<Self> {
        Self::new(vec![Consent::Approved(Scope::Once); count])
    }

    pub(crate) fn denying() -> Arc<Self> {
        Self::new(vec![Consent::Denied { reason: None }; 8])
    }

    pub(crate) fn asked(&self) -> Vec<ConsentRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until somebody has asked.
    pub(crate) async fn was_asked(&self) {
        tokio::time::timeout(PATIENCE, self.was_asked.notified()).await.expect("nobody was asked");
    }
}

impl Approver for Scripted {
    fn reach(&self) -> Reach {
        Reach::Person
    }

    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a> {
        self.asked.lock().unwrap().push(request.clone());
        self.was_asked.notify_one();
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        })
    }
}

/// Shows questions to nobody in particular, or to nobody at all.
#[derive(Debug)]
pub(crate) struct Chat {
    shown: tokio::sync::mpsc::UnboundedSender<Notice>,
    is_broken: bool,
}

impl Chat {
    /// A chat and what is shown in it.
    pub(crate) fn open() -> (Arc<Self>, tokio::sync::mpsc::UnboundedReceiver<Notice>) {
        let (shown, notices) = tokio::sync::mpsc::unbounded_channel();
        (Arc::new(Self { shown, is_broken: false }), notices)
    }

    /// One that nothing can be delivered to.
    pub(crate) fn broken() -> Arc<Self> {
        let (shown, _) = tokio::sync::mpsc::unbounded_channel();
        Arc::new(Self { shown, is_broken: true })
    }
}

impl Notifier for Chat {
    fn notify<'a>(&'a self, notice: &'a Notice) -> PendingNotice<'a> {
        let outcome = match self.is_broken {
            true => Err(Undelivered("the platform is away".to_owned())),
            false => self.shown.send(notice.clone()).map_err(|error| Undelivered(error.to_string())),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn withdraw(&self, _id: &PromptId, _outcome: &Consent) {}
}

/// Always says the same.
#[derive(Debug)]
pub(crate) struct Reviews(pub(crate) Review);

impl Reviewer for Reviews {
    fn review<'a>(&'a self, _request: &'a ReviewRequest) -> PendingReview<'a> {
        Box::pin(std::future::ready(self.0.clone()))
    }
}
