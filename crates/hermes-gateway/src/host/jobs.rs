//! Background jobs that end after their turn: the chat that owns them is told.

use std::sync::Arc;

use hermes_agent::{Seen, Session, SessionId};
use hermes_proto::session::SessionKey;
use tokio::task::JoinSet;

use super::shared::Shared;
use crate::delivery::{Body, Letter};
use crate::stored::Route;

/// Follows the jobs of one session until it is dropped.
#[derive(Debug)]
pub(crate) struct Following {
    pub(crate) session: SessionId,
    _task: JoinSet<()>,
}

impl Following {
    /// `key` is the conversation that is told.
    pub(crate) fn of(shared: &Arc<Shared>, session: &Session, key: SessionKey) -> Self {
        let (shared, workshop) = (shared.clone(), session.workshop().clone());
        let mut task = JoinSet::new();
        task.spawn(async move {
            loop {
                for seen in workshop.news().show().await {
                    tell(&shared, &key, &seen).await;
                }
            }
        });
        Self { session: session.id().clone(), _task: task }
    }
}

async fn tell(shared: &Shared, key: &SessionKey, seen: &Seen) {
    let Some(route) = route(shared, key).await else {
        tracing::info!(%key, "a job has something to tell; its conversation asks for itself");
        return;
    };
    let letter =
        Letter { to: route.address, session: key.clone(), turn: None, reply_to: None, body: Body::Notice(text(seen)) };
    if let Err(error) = shared.post.send(letter).await {
        tracing::error!(%error, "the end of a job cannot be kept");
    }
}

/// The way to the chat, if there is one that takes what it did not ask for.
async fn route(shared: &Shared, key: &SessionKey) -> Option<Route> {
    let key = key.to_string();
    let route = shared.in_ledger(move |ledger| ledger.route(&key)).await.ok()??;
    serde_json::from_str(&route).ok().filter(|route: &Route| route.is_deliverable)
}

fn text(seen: &Seen) -> String {
    match &seen.output {
        Some(output) => format!("{}\n```\n{output}\n```", seen.line),
        None => seen.line.clone(),
    }
}
