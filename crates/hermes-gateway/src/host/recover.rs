//! What a gateway that died has left behind.
//!
//! A message on which nothing was done is worked on. One on which work had begun is reported to its chat: what the turn has done may not
//! be done twice.

use std::sync::Arc;

use hermes_store::Time;
use hermes_store::ledger::{Open, Progress};

use super::report::INTERRUPTED;
use super::shared::{LedgerError, Shared};
use super::task::{Claim, Task};
use crate::delivery::Body;
use crate::files::remove_orphans;
use crate::stored::StoredMessage;
use crate::{Incoming, MessageNumber};

/// Days that the ledger remembers what is done.
const REMEMBERED: u32 = 30;

/// Reports what was begun; what is left to be worked on, the oldest first.
pub(crate) async fn recover(shared: &Shared) -> Result<Vec<Task>, LedgerError> {
    let outgoing = shared.outgoing.clone();
    let open = shared
        .in_ledger(move |ledger| {
            ledger.prune(Time::now().days_before(REMEMBERED))?;
            remove_orphans(ledger, &outgoing)?;
            ledger.open_messages()
        })
        .await?;
    let mut waiting = Vec::new();
    for message in open {
        let progress = message.progress;
        let number = MessageNumber(message.number);
        match task(&message) {
            Ok(task) if progress == Progress::Waiting => waiting.push(task),
            Ok(task) => {
                let letter = task.route().letter(Body::Notice(INTERRUPTED.to_owned()));
                shared.post.settle(&[number], vec![letter]).await?;
            }
            Err(error) => {
                tracing::error!(%error, number = number.0, "a message in the inbox cannot be read");
                shared.post.settle(&[number], Vec::new()).await?;
            }
        }
    }
    Ok(waiting)
}

fn task(open: &Open) -> Result<Task, String> {
    let stored: StoredMessage = serde_json::from_str(&open.message).map_err(|error| error.to_string())?;
    let key = open.session_key.parse().map_err(|error| format!("{error}"))?;
    let incoming = Arc::new(Incoming::from(stored));
    Ok(Task::new(key, incoming, Claim::Chat(MessageNumber(open.number))))
}
