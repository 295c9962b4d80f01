//! Delivers what is due on one platform.
//!
//! One thing per chat at a time and in order, chats side by side. That it is tried is on disk before the platform is asked: after a kill the
//! next gateway knows that it may have arrived.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_store::ledger::{Due, Handed, Ledger};
use tokio::sync::Notify;
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::metrics::{Delivered, Metrics};
use crate::stored::StoredDelivery;
use crate::{Adapter, Attempt, DeliveryError, DeliveryId, MessageNumber, Outgoing, Receipt, Repeats};

/// Put before a text that may have arrived already, on platforms that would show it twice.
pub(super) const MARK: &str = "(sent again; you may have this already)\n\n";
/// Chats that are served at once.
const AT_ONCE: usize = 16;
/// Chats that are looked at.
const LOOKED_AT: usize = 512;
/// After this an attempt counts as one of which nobody knows what came.
const PATIENCE: Duration = Duration::from_secs(120);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// Attempts after which something is given up.
const MOST_ATTEMPTS: u32 = 40;

/// The deliveries of one platform.
#[derive(Debug)]
pub(crate) struct Pump {
    ledger: Ledger,
    adapter: Arc<dyn Adapter>,
    bell: Arc<Notify>,
    metrics: Arc<Metrics>,
    flights: JoinSet<Flown>,
    /// The chats of the deliveries that are under way.
    busy: HashMap<Id, String>,
    /// Chats that are left alone until then.
    resting: HashMap<String, Instant>,
}

#[derive(Debug)]
struct Flown {
    attempts: u32,
    result: Result<Delivered, Retry>,
}

/// Something is tried again.
#[derive(Debug)]
struct Retry {
    after: Option<Duration>,
}

impl Pump {
    pub(crate) fn new(ledger: Ledger, adapter: Arc<dyn Adapter>, bell: Arc<Notify>, metrics: Arc<Metrics>) -> Self {
        Self { ledger, adapter, bell, metrics, flights: JoinSet::new(), busy: HashMap::new(), resting: HashMap::new() }
    }

    /// Delivers until `shutdown`, and then what is under way or can go at once.
    pub(crate) async fn run(mut self, shutdown: CancellationToken) {
        loop {
            let is_closing = shutdown.is_cancelled();
            let started = self.start().await;
            if is_closing && !started && self.flights.is_empty() {
                return;
            }
            let rest = self.resting.values().min().copied();
            tokio::select! {
                () = self.bell.notified() => {}
                Some(flown) = self.flights.join_next_with_id() => self.landed(flown),
                () = until(rest), if rest.is_some() => {}
                () = shutdown.cancelled(), if !is_closing => {}
            }
        }
    }

    /// Starts what can be started; whether there was anything.
    async fn start(&mut self) -> bool {
        let now = Instant::now();
        self.resting.retain(|_, until| *until > now);
        let busy: HashSet<&String> = self.busy.values().collect();
        let (ledger, platform) = (self.ledger.clone(), self.adapter.platform().to_string());
        let due = tokio::task::spawn_blocking(move || ledger.due(&platform, LOOKED_AT)).await;
        let due = match due {
            Ok(Ok(due)) => due,
            Ok(Err(error)) => {
                tracing::error!(%error, "the outbox cannot be read");
                Vec::new()
            }
            Err(_) => Vec::new(),
        };
        let free = AT_ONCE.saturating_sub(self.flights.len());
        let is_free = |due: &Due| !busy.contains(&due.address) && !self.resting.contains_key(&due.address);
        let chosen: Vec<_> = due.into_iter().filter(is_free).take(free).collect();
        let is_any = !chosen.is_empty();
        for due in chosen {
            let address = due.address.clone();
            let flight = self.flights.spawn(fly(self.ledger.clone(), self.adapter.clone(), due));
            self.busy.insert(flight.id(), address);
        }
        is_any
    }

    fn landed(&mut self, flown: Result<(Id, Flown), tokio::task::JoinError>) {
        let (id, flown) = match flown {
            Ok(flown) => flown,
            Err(error) => {
                tracing::error!(%error, "a delivery failed unexpectedly");
                (error.id(), Flown { attempts: 1, result: Err(Retry { after: None }) })
            }
        };
        let Some(address) = self.busy.remove(&id) else { return };
        self.metrics.delivered(match &flown.result {
            Ok(delivered) => *delivered,
            Err(_) => Delivered::Postponed,
        });
        if let Err(Retry { after }) = flown.result {
            let pause = after.unwrap_or_else(|| Duration::from_secs(1 << flown.attempts.min(8)));
            self.resting.insert(address, Instant::now() + pause.min(LONGEST_PAUSE));
        }
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Tries one delivery and keeps what came of it.
async fn fly(ledger: Ledger, adapter: Arc<dyn Adapter>, due: Due) -> Flown {
    let attempts = due.attempts + 1;
    let number = due.number;
    let retry = |after| Flown { attempts, result: Err(Retry { after }) };
    let done = |delivered| Flown { attempts, result: Ok(delivered) };
    let outgoing = match outgoing(&due, adapter.capabilities().repeats) {
        Ok(outgoing) => outgoing,
        Err(error) => {
            keep(&ledger, move |ledger| ledger.given_up(number, &format!("unreadable: {error}"))).await;
            return done(Delivered::GivenUp);
        }
    };
    let file = outgoing.content.file().map(Path::to_owned);
    let refused = if due.attempts >= MOST_ATTEMPTS {
        Some("tried too often")
    } else if file.as_ref().is_some_and(|file| !file.is_file()) {
        Some("its file is gone")
    } else {
        None
    };
    if let Some(cause) = refused {
        give_up(&ledger, number, file, cause.to_owned()).await;
        return done(Delivered::GivenUp);
    }
    if !keep(&ledger, move |ledger| ledger.trying(number)).await {
        return retry(None);
    }
    let result = match timeout(PATIENCE, adapter.deliver(&outgoing)).await {
        Ok(result) => result,
        // Nobody knows what came of it: the ledger goes on saying so.
        Err(_) => return retry(None),
    };
    match result {
        Ok(Receipt { message }) => {
            let kept = keep(&ledger, move |ledger| {
                ledger.delivered(number, message.as_ref().map(AsRef::as_ref))?;
                remove(file);
                Ok(())
            });
            if kept.await { done(Delivered::Arrived) } else { retry(None) }
        }
        Err(DeliveryError::Later { cause, after }) if attempts < MOST_ATTEMPTS => {
            tracing::info!(number, attempts, cause, "not delivered yet");
            keep(&ledger, move |ledger| ledger.not_yet(number, &cause)).await;
            retry(after)
        }
        Err(DeliveryError::Unclear { cause }) if attempts < MOST_ATTEMPTS => {
            tracing::info!(number, attempts, cause, "perhaps not delivered");
            retry(None)
        }
        Err(DeliveryError::Later { cause, .. } | DeliveryError::Unclear { cause } | DeliveryError::Never { cause }) => {
            tracing::warn!(number, attempts, cause, "a delivery was given up");
            give_up(&ledger, number, file, cause).await;
            done(Delivered::GivenUp)
        }
    }
}

async fn give_up(ledger: &Ledger, number: i64, file: Option<PathBuf>, cause: String) {
    keep(ledger, move |ledger| {
        ledger.given_up(number, &cause)?;
        remove(file);
        Ok(())
    })
    .await;
}

/// A file that nobody needs any more.
fn remove(file: Option<PathBuf>) {
    if let Some(file) = file
        && let Err(error) = std::fs::remove_file(file)
    {
        tracing::warn!(%error, "a file that was sent cannot be removed");
    }
}

fn outgoing(due: &Due, repeats: Repeats) -> Result<Outgoing, String> {
    let stored: StoredDelivery = serde_json::from_str(&due.content).map_err(|error| error.to_string())?;
    let session = due.session_key.parse().map_err(|error| format!("{error}"))?;
    let mut content = stored.content;
    let attempt = match (due.handed, repeats) {
        (Handed::Perhaps, Repeats::Recognised) => Attempt::Doubtful,
        (Handed::Perhaps, Repeats::Shown) => {
            content.put_before(MARK);
            Attempt::Again
        }
        (Handed::No, _) if due.attempts == 0 => Attempt::First,
        (Handed::No, _) => Attempt::Again,
    };
    Ok(Outgoing {
        id: DeliveryId(due.number),
        to: stored.address,
        session,
        turn: due.answers.map(MessageNumber),
        reply_to: stored.reply_to,
        content,
        attempt,
    })
}

/// Writes to the ledger; whether that worked.
async fn keep(
    ledger: &Ledger,
    work: impl FnOnce(&Ledger) -> Result<(), hermes_store::StoreError> + Send + 'static,
) -> bool {
    let ledger = ledger.clone();
    match tokio::task::spawn_blocking(move || work(&ledger)).await {
        Ok(Ok(())) => true,
        Ok(Err(error)) => {
            tracing::error!(%error, "the ledger cannot be written");
            false
        }
        Err(_) => false,
    }
}
