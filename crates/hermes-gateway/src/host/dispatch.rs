//! The owner of all mailboxes.
//!
//! One turn of a conversation at a time, conversations side by side up to a bound, the rest in the order they came. A turn that
//! panics or is stuck is one task of many: its end is told, and everybody else goes on. Nothing here waits for the store, a platform
//! or a model; what could, is done in a task.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_proto::session::SessionKey;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::busy::BusyMode;
use super::mailbox::{Mailbox, Reins, Running, StopCause};
use super::order::{Order, Steered};
use super::report::of_failure;
use super::shared::Shared;
use super::task::{Claim, Task};
use super::turn::{Finished, work};
use crate::delivery::Body;
use crate::metrics::failure_name;
use crate::{Progress, TurnFailure};

/// How long turns that were told to stop are waited for.
const LAST_CALL: Duration = Duration::from_secs(20);

/// How long callers who wait for their answer get at least: unlike a chat they are not told later.
const CALLERS_DRAIN: Duration = Duration::from_secs(30);

/// Limits and manners of a dispatcher.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manners {
    /// Turns at once.
    pub(crate) limit: usize,
    pub(crate) busy: BusyMode,
    /// How long running turns may go on after the gateway was told to stop.
    pub(crate) drain: Duration,
}

#[derive(Debug)]
pub(crate) struct Dispatcher {
    pub(super) shared: Arc<Shared>,
    pub(super) mailboxes: HashMap<SessionKey, Mailbox>,
    /// Conversations that could go on if there were a place.
    line: VecDeque<SessionKey>,
    turns: JoinSet<Finished>,
    owners: HashMap<Id, SessionKey>,
    /// Commands that are answered while turns run, and what is told meanwhile.
    pub(super) beside: JoinSet<()>,
    pub(super) manners: Manners,
    is_closing: bool,
}

impl Dispatcher {
    pub(crate) fn new(shared: Arc<Shared>, manners: Manners) -> Self {
        Self {
            shared,
            mailboxes: HashMap::new(),
            line: VecDeque::new(),
            turns: JoinSet::new(),
            owners: HashMap::new(),
            beside: JoinSet::new(),
            manners,
            is_closing: false,
        }
    }

    /// Works until `shutdown`, then lets running turns end within the budget. Messages that wait stay on disk.
    pub(crate) async fn run(mut self, mut orders: mpsc::Receiver<Order>, shutdown: CancellationToken) {
        let (mut chats_until, mut all_until) = (None, None);
        loop {
            if self.is_closing && self.turns.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                () = shutdown.cancelled(), if !self.is_closing => {
                    self.is_closing = true;
                    let now = tokio::time::Instant::now();
                    chats_until = Some(now + self.manners.drain);
                    all_until = Some(now + self.manners.drain.max(CALLERS_DRAIN));
                }
                () = until(chats_until), if chats_until.is_some() => {
                    self.tell_to_stop(|running| running.route.number.is_some());
                    chats_until = None;
                }
                () = until(all_until), if all_until.is_some() => {
                    self.stop_all().await;
                    all_until = None;
                }
                Some(ended) = self.turns.join_next_with_id() => self.ended(ended),
                Some(_) = self.beside.join_next() => {}
                Some(order) = orders.recv() => self.take(order),
            }
        }
        // What is told beside turns is on disk or not worth waiting for long.
        let _ = timeout(LAST_CALL, async { while self.beside.join_next().await.is_some() {} }).await;
    }

    /// A message that an earlier gateway had accepted.
    pub(crate) fn recovered(&mut self, task: Task) {
        self.arrived(task);
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Arrived(task) => self.arrived(*task),
            Order::Stop { key, done } => {
                let _ = done.send(self.stop(&key, StopCause::Asked));
            }
            Order::Steer { key, whom, text, done } => {
                let _ = done.send(self.steer(&key, &whom, text));
            }
            Order::Sessions { done } => {
                let mut sessions: Vec<_> = self.mailboxes.iter().map(|(key, mailbox)| mailbox.status(key)).collect();
                sessions.sort_by(|one, other| one.key.cmp(&other.key));
                let _ = done.send(sessions);
            }
        }
    }

    /// Puts a message into its mailbox.
    pub(super) fn enqueue(&mut self, task: Task) {
        let key = task.mailbox.clone();
        self.mailboxes.entry(key.clone()).or_default().queue.push_back(task);
        self.go_on(&key);
    }

    /// The same, before all others.
    pub(super) fn enqueue_first(&mut self, task: Task) {
        let key = task.mailbox.clone();
        self.mailboxes.entry(key.clone()).or_default().queue.push_front(task);
        self.go_on(&key);
    }

    /// Stops the running turn of a conversation; whether there was one.
    pub(super) fn stop(&mut self, key: &SessionKey, cause: StopCause) -> bool {
        let running = self.mailboxes.get(key).and_then(|mailbox| mailbox.running.as_ref());
        if let Some(running) = running {
            running.reins.stop(cause);
        }
        running.is_some()
    }

    fn steer(&mut self, key: &SessionKey, whom: &Steered, text: String) -> bool {
        let Some(running) = self.mailboxes.get(key).and_then(|mailbox| mailbox.running.as_ref()) else { return false };
        if matches!(whom, Steered::WorkingOn(message) if *message != running.route.incoming.message) {
            return false;
        }
        let incoming = crate::Incoming { text, ..(*running.route.incoming).clone() };
        running.reins.steering.leave(Task::new(key.clone(), Arc::new(incoming), Claim::Nobody)).is_ok()
    }

    /// Starts the next turn of a conversation if it can go on, or lets it stand in line.
    fn go_on(&mut self, key: &SessionKey) {
        let Some(mailbox) = self.mailboxes.get_mut(key) else { return };
        if mailbox.running.is_some() || mailbox.is_in_line || self.is_closing {
            return;
        }
        if mailbox.queue.is_empty() {
            self.mailboxes.remove(key);
            return;
        }
        if self.turns.len() < self.manners.limit && self.line.is_empty() {
            self.start(key);
            return;
        }
        mailbox.is_in_line = true;
        let ahead = self.line.len() + 1;
        let route = mailbox.queue.front().map(Task::route);
        self.line.push_back(key.clone());
        if let Some(showing) = route.as_ref().and_then(super::task::TaskRoute::showing)
            && let Some(adapter) = self.shared.adapters.get(&showing.to.platform).cloned()
        {
            self.beside.spawn(async move {
                let progress = Progress::Waiting { ahead };
                let _ = timeout(LAST_CALL, adapter.show(&showing, &progress)).await;
            });
        }
    }

    fn start(&mut self, key: &SessionKey) {
        let Some(mailbox) = self.mailboxes.get_mut(key) else { return };
        let Some(task) = mailbox.queue.pop_front() else { return };
        let cancellation = match &task.claim {
            Claim::Caller(attending) => attending.cancellation.clone(),
            Claim::Chat(_) | Claim::Nobody => CancellationToken::new(),
        };
        let reins = Reins::new(cancellation);
        let running = Running { reins: reins.clone(), route: task.route(), since: Instant::now() };
        mailbox.running = Some(running);
        let handle = self.turns.spawn(work(self.shared.clone(), task, reins));
        self.owners.insert(handle.id(), key.clone());
    }

    fn ended(&mut self, ended: Result<(Id, Finished), JoinError>) {
        let (id, finished) = match ended {
            Ok((id, finished)) => (id, Some(finished)),
            Err(error) => (error.id(), None),
        };
        let Some(key) = self.owners.remove(&id) else { return };
        let running = self.mailboxes.get_mut(&key).and_then(|mailbox| mailbox.running.take());
        let unheard = match (finished, running) {
            (Some(finished), _) => finished.unheard,
            (None, Some(running)) => self.crashed(&running),
            (None, None) => Vec::new(),
        };
        for task in unheard.into_iter().rev().filter(|task| task.number().is_some()) {
            self.mailboxes.entry(key.clone()).or_default().queue.push_front(task);
        }
        self.go_on(&key);
        self.fill();
    }

    /// Gives free places to those who wait longest.
    fn fill(&mut self) {
        while self.turns.len() < self.manners.limit && !self.is_closing {
            let Some(key) = self.line.pop_front() else { return };
            if let Some(mailbox) = self.mailboxes.get_mut(&key) {
                mailbox.is_in_line = false;
            }
            self.start(&key);
        }
    }

    /// A turn ended without a word: its chat is told, and what it never heard is worked on.
    fn crashed(&mut self, running: &Running) -> Vec<Task> {
        tracing::error!(session = %running.route.key, "a turn failed unexpectedly");
        self.shared.metrics.turn_ended(failure_name(&TurnFailure::Crashed));
        let (told, unheard) = running.reins.steering.close();
        let numbers: Vec<_> = running.route.number.into_iter().chain(told).collect();
        if !numbers.is_empty() {
            let (shared, letter) =
                (self.shared.clone(), running.route.letter(Body::Notice(of_failure(&TurnFailure::Crashed))));
            self.beside.spawn(async move {
                if let Err(error) = shared.post.settle(&numbers, vec![letter]).await {
                    tracing::error!(%error, "the end of a turn cannot be kept");
                }
            });
        }
        unheard
    }

    fn tell_to_stop(&self, is_meant: impl Fn(&Running) -> bool) {
        let running = self.mailboxes.values().filter_map(|mailbox| mailbox.running.as_ref());
        running.filter(|running| is_meant(running)).for_each(|running| running.reins.stop(StopCause::Shutdown));
    }

    /// The budget is used up: every turn is told to stop, and left behind if it does not.
    async fn stop_all(&mut self) {
        self.tell_to_stop(|_| true);
        let all = async {
            while let Some(ended) = self.turns.join_next_with_id().await {
                self.ended(ended);
            }
        };
        if timeout(LAST_CALL, all).await.is_err() {
            self.turns.shutdown().await;
        }
    }
}

async fn until(moment: Option<tokio::time::Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
