//! Conversations that are kept open for a while after their last turn.
//!
//! What is kept is the place where commands run, with its working directory and jobs; the conversation itself is in the store, and
//! is read again when it goes on after that.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hermes_agent::Session;
use hermes_environment::pool::Pooled;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::session::SessionKey;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::jobs::Following;
use super::shared::Shared;

/// How long a place may take to say whether jobs run in it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The open session of one conversation. One turn at a time holds it.
#[derive(Debug)]
pub(crate) struct Kept {
    session: Mutex<Option<Session>>,
    /// Whose jobs are listened to.
    jobs: std::sync::Mutex<Option<Following>>,
}

impl Kept {
    pub(crate) fn new(session: Session) -> Self {
        Self { session: Mutex::new(Some(session)), jobs: std::sync::Mutex::new(None) }
    }

    /// Tells this conversation about the session's jobs from now on.
    pub(crate) fn follow(&self, shared: &Arc<Shared>, session: &Session, key: &SessionKey) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if jobs.as_ref().is_none_or(|following| following.session != *session.id()) {
            *jobs = Some(Following::of(shared, session, key.clone()));
        }
    }

    pub(crate) fn session(&self) -> &Mutex<Option<Session>> {
        &self.session
    }
}

impl Pooled for Kept {
    /// Asks on nobody's behalf: listing jobs starts nothing and tells nobody.
    async fn is_busy(&self) -> bool {
        let workshop = match self.session.lock().await.as_ref() {
            Some(session) => session.workshop().clone(),
            None => return false,
        };
        let turn = TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
        // One that does not answer is asked again later: the next turn must not wait for it.
        timeout(PATIENCE, workshop.is_busy(&turn)).await.unwrap_or(true)
    }

    fn is_dead(&self) -> bool {
        self.session.try_lock().is_ok_and(|session| session.is_none())
    }

    async fn close(&self) {
        let session = self.session.lock().await.take();
        if let Some(session) = session {
            session.close().await;
        }
    }
}
