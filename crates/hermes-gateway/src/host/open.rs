//! Finding the session that a message goes on with.

use std::sync::atomic::{AtomicBool, Ordering};

use hermes_agent::{Session, SessionError, Which};
use hermes_environment::pool::InUse;
use hermes_proto::session::SessionKey;
use hermes_store::sessions::{self, Sessions};

use super::kept::Kept;
use super::shared::Shared;
use super::task::Task;
use super::turn::new_session;
use crate::{Continuing, FailureKind, TurnFailure};

impl Shared {
    /// The session of this message, open. It stays open for a while after it was used.
    pub(crate) async fn open(&self, task: &Task) -> Result<InUse<SessionKey, Kept>, TurnFailure> {
        let is_new = AtomicBool::new(false);
        let find = || async {
            is_new.store(true, Ordering::Relaxed);
            self.find(task).await.map(Kept::new)
        };
        let kept = self.kept.get(&task.mailbox, find).await?;
        let wanted = match &task.incoming.continuing {
            Continuing::Conversation => return Ok(kept),
            // It was found for this very message.
            _ if is_new.load(Ordering::Relaxed) => return Ok(kept),
            wanted => wanted,
        };
        // What is open may be another session of the same conversation.
        let mut held = kept.session().lock().await;
        let is_it = match (wanted, held.as_ref()) {
            (Continuing::Session(id), Some(session)) => session.id().as_str() == id,
            _ => false,
        };
        if !is_it {
            let found = self.find(task).await?;
            if let Some(old) = held.replace(found) {
                old.close().await;
            }
        }
        drop(held);
        Ok(kept)
    }

    async fn find(&self, task: &Task) -> Result<Session, TurnFailure> {
        let found = match &task.incoming.continuing {
            Continuing::Conversation => match self.latest(&task.mailbox).await? {
                Some(id) => self.agent.resume(Which::Named(id)).await,
                None => self.agent.new_session(new_session(self, task)).await,
            },
            Continuing::Session(id) => {
                self.check_owner(&task.mailbox, id).await?;
                self.agent.resume(Which::Named(id.clone())).await
            }
            Continuing::Fresh(said) if said.is_empty() => self.agent.new_session(new_session(self, task)).await,
            Continuing::Fresh(said) => self.agent.seeded_session(new_session(self, task), said.clone()).await,
        };
        found.map_err(|error| unopened(&error))
    }

    /// The session that was used last in this conversation, unless that one was ended.
    async fn latest(&self, key: &SessionKey) -> Result<Option<String>, TurnFailure> {
        let key = key.to_string();
        let latest = self.in_sessions(move |sessions| sessions.latest_of_key(&key)).await?;
        Ok(latest.filter(|session| session.ended.is_none()).map(|session| session.id.to_string()))
    }

    /// An id routes, it authorises nothing: a session is opened only from its own conversation.
    async fn check_owner(&self, key: &SessionKey, id: &str) -> Result<(), TurnFailure> {
        let asked = id.to_owned();
        let found = self.in_sessions(move |sessions| sessions.find(&asked)).await;
        match found {
            Ok(session) if session.id.as_str() == id && session.key.as_deref() == Some(key.as_str()) => Ok(()),
            _ => Err(TurnFailure::Failed {
                message: "this conversation has no such session".to_owned(),
                fault: FailureKind::Caller,
            }),
        }
    }

    async fn in_sessions<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Sessions) -> Result<T, sessions::SessionError> + Send + 'static,
    ) -> Result<T, TurnFailure> {
        let sessions = Sessions::open(&self.store);
        match tokio::task::spawn_blocking(move || work(&sessions)).await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(error)) => Err(unopened(&error)),
            Err(_) => Err(TurnFailure::Crashed),
        }
    }
}

/// The store's errors name files of this machine: the log has them.
fn unopened(error: &(impl std::error::Error + ?Sized)) -> TurnFailure {
    tracing::error!(%error, "a session cannot be opened");
    let message = "the conversation cannot be opened; the gateway's log has the cause".to_owned();
    TurnFailure::Failed { message, fault: FailureKind::Gateway }
}

impl From<SessionError> for TurnFailure {
    fn from(error: SessionError) -> Self {
        unopened(&error)
    }
}
