//! How many people are being asked on behalf of a script.
//!
//! A question may wait longer than the script may run. Whoever runs the script has to know, so that the script's time
//! stands still; the question itself goes to the turn's own approver, unchanged.

use std::sync::Arc;

use hermes_proto::consent::{Approver, ConsentRequest, PendingConsent, PendingSecret, Reach, SecretRequest};
use hermes_proto::turn::TurnContext;
use tokio::sync::watch;

/// The open questions of a script's calls.
#[derive(Debug)]
pub(super) struct Questions(watch::Receiver<usize>);

/// The same turn, whose questions are counted.
pub(super) fn counted(turn: &TurnContext) -> (TurnContext, Questions) {
    let (open, questions) = watch::channel(0);
    let turn = turn.asking_through(|approver| Arc::new(Counted { approver, open }));
    (turn, Questions(questions))
}

impl Questions {
    /// Waits until there are more or fewer.
    pub(super) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            // Nobody can ask any more.
            std::future::pending::<()>().await;
        }
    }

    pub(super) fn any(&mut self) -> bool {
        *self.0.borrow_and_update() > 0
    }
}

#[derive(Debug)]
struct Counted {
    approver: Arc<dyn Approver>,
    open: watch::Sender<usize>,
}

/// One question, until it is answered or given up.
struct Open<'a>(&'a watch::Sender<usize>);

impl Counted {
    fn open(&self) -> Open<'_> {
        self.open.send_modify(|count| *count += 1);
        Open(&self.open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Approver for Counted {
    fn reach(&self) -> Reach {
        self.approver.reach()
    }

    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a> {
        Box::pin(async move {
            let _open = self.open();
            self.approver.ask(request).await
        })
    }

    fn ask_secret<'a>(&'a self, request: &'a SecretRequest) -> PendingSecret<'a> {
        Box::pin(async move {
            let _open = self.open();
            self.approver.ask_secret(request).await
        })
    }
}
