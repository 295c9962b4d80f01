//! One turn of one conversation, from its message to what has to be said about it.
//!
//! Whatever happens in it stays in it: it has a task, a context and a limit of its own, and the message it works on is settled exactly once.

use std::sync::Arc;
use std::time::Duration;

use hermes_agent::{Audience, EndReason, NewSession, Session, TurnEnd, TurnError, UserInput};
use hermes_approval::Authorised;
use hermes_environment::pool::Pooled;
use hermes_proto::consent::{Approver, NobodyToAsk};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Edge, Surface, TurnContext};
use hermes_proto::{Explain, Fault};
use tokio::time::timeout;

use super::asking::ChatPerson;
use super::mailbox::{Reins, StopCause};
use super::report::report;
use super::shared::Shared;
use super::task::{Claim, Task};
use super::toolsets::toolsets_of;
use super::watching::{ChatNotifier, Watching};
use crate::commands::{self, Command};
use crate::delivery::Body;
use crate::files::{self, Arriving, Enclosed, Enclosing};
use crate::metrics::{end_name, failure_name};
use crate::{Ended, FailureKind, Files, Incoming, OutgoingFile, Progress, TurnFailure};

/// How long a turn that was told to stop may take to do so.
const GRACE: Duration = Duration::from_secs(10);

/// What is left when a turn is over.
#[derive(Debug)]
pub(crate) struct Finished {
    /// What was said to it and it never heard.
    pub(crate) unheard: Vec<Task>,
}

/// What came of a message.
#[derive(Debug)]
pub(crate) enum Outcome {
    Turn(Ended),
    /// A turn whose answer goes to its chat, and the files that go with it.
    Answered {
        ended: Ended,
        enclosed: Vec<Enclosed>,
    },
    /// A command's answer.
    Said(String),
}

impl Outcome {
    const fn name(&self) -> &'static str {
        match self {
            Self::Turn(ended) | Self::Answered { ended, .. } => match &ended.end {
                Ok(end) => end_name(&end.reason),
                Err(failure) => failure_name(failure),
            },
            Self::Said(_) => "command",
        }
    }
}

/// Works on one message.
pub(crate) async fn work(shared: Arc<Shared>, mut task: Task, reins: Reins) -> Finished {
    if let Some(number) = task.number()
        && let Err(error) = shared.in_ledger(move |ledger| ledger.begin(&[number.0])).await
    {
        // It stays waiting, and the next gateway works on it.
        tracing::error!(%error, "work on a message cannot begin");
        return Finished { unheard: reins.steering.close().1 };
    }
    shared.metrics.turns_started.inc();
    let outcome = attempt(&shared, &mut task, &reins).await;
    shared.metrics.turn_ended(outcome.name());
    let (told, unheard) = reins.steering.close();
    let mut numbers: Vec<_> = task.number().into_iter().collect();
    numbers.extend(told);
    let cause = reins.stopped.get().copied();
    let route = task.route();
    let mut letters = match &task.claim {
        Claim::Chat(_) => vec![route.letter(report(&outcome, cause))],
        Claim::Caller(_) | Claim::Nobody => Vec::new(),
    };
    let outcome = match outcome {
        Outcome::Answered { ended, enclosed } => {
            letters.extend(kept(enclosed).await.into_iter().map(|file| route.letter(Body::File(file))));
            Outcome::Turn(ended)
        }
        outcome => outcome,
    };
    // A turn that the gateway itself stopped is told to its chat by the next one that starts, unless that is certain now.
    if let Err(error) = shared.post.settle(&numbers, letters).await {
        tracing::error!(%error, "the end of a turn cannot be kept");
    }
    if let (Claim::Caller(attending), Outcome::Turn(ended)) = (task.claim, outcome) {
        // A caller who has gone needs no answer.
        let _ = attending.ended.send(ended);
    }
    Finished { unheard }
}

/// The files of an answer, on disk for good.
async fn kept(enclosed: Vec<Enclosed>) -> Vec<OutgoingFile> {
    let keep = |enclosed: Enclosed| {
        enclosed.keep().inspect_err(|error| tracing::error!(%error, "a file of an answer cannot be kept")).ok()
    };
    let kept = tokio::task::spawn_blocking(move || enclosed.into_iter().filter_map(keep).collect());
    kept.await.unwrap_or_default()
}

async fn attempt(shared: &Arc<Shared>, task: &mut Task, reins: &Reins) -> Outcome {
    let adapter = shared.adapters.get(&task.incoming.chat.address.platform);
    let caller = match &task.claim {
        Claim::Caller(attending) => Some(attending.observer.clone()),
        Claim::Chat(_) | Claim::Nobody => None,
    };
    let is_streaming = shared.config.streaming.enabled;
    let watching = Arc::new(Watching::new(reins.activity.clone(), caller, adapter, is_streaming));
    let showing = task.route().showing();
    let shows = async {
        match (adapter, &showing) {
            (Some(adapter), Some(showing)) => watching.show(adapter.as_ref(), showing).await,
            _ => std::future::pending().await,
        }
    };
    let stalls = async {
        let limit = Duration::from_secs(shared.config.agent.session_stall_timeout);
        reins.activity.quiet_for(limit).await;
        watching.progress(Progress::Quiet { seconds: limit.as_secs() });
        std::future::pending::<()>().await;
    };
    tokio::select! {
        outcome = bounded(shared, task, reins, &watching) => outcome,
        () = shows => Outcome::Turn(crashed()),
        () = stalls => Outcome::Turn(crashed()),
    }
}

/// The turn, ended when it does nothing for too long or does not stop when told to.
async fn bounded(shared: &Arc<Shared>, task: &mut Task, reins: &Reins, watching: &Arc<Watching>) -> Outcome {
    let limit = Duration::from_secs(shared.config.agent.gateway_timeout);
    let mut turn = std::pin::pin!(held(shared, task, reins, watching));
    let is_stalled = tokio::select! {
        outcome = &mut turn => return outcome,
        () = reins.activity.quiet_for(limit) => true,
        () = reins.cancellation.cancelled() => false,
    };
    reins.cancellation.cancel();
    match timeout(GRACE, turn).await {
        Ok(Outcome::Turn(ended) | Outcome::Answered { ended, .. }) if is_stalled => {
            Outcome::Turn(Ended { end: Err(TurnFailure::Stalled), ..ended })
        }
        Ok(outcome) => outcome,
        Err(_) if is_stalled => Outcome::Turn(Ended { session: None, model: None, end: Err(TurnFailure::Stalled) }),
        Err(_) => Outcome::Turn(crashed()),
    }
}

fn crashed() -> Ended {
    Ended { session: None, model: None, end: Err(TurnFailure::Crashed) }
}

/// The turn, with its session in hand.
async fn held(shared: &Arc<Shared>, task: &mut Task, reins: &Reins, watching: &Arc<Watching>) -> Outcome {
    let arrived = TurnContext::arrived(&shared.hosting, edge(shared, task, reins, watching));
    let kept = match shared.open(task).await {
        Ok(kept) => kept,
        Err(failure) => return Outcome::Turn(Ended { session: None, model: None, end: Err(failure) }),
    };
    let mut held = kept.session().lock().await;
    let Some(session) = held.as_mut() else { return Outcome::Turn(crashed()) };
    task.tell_session(session.id());
    kept.follow(shared, session, &task.key);
    if let Some(toolsets) = toolsets_of(&task.incoming, &shared.config) {
        session.keep_toolsets(&toolsets);
    }
    let turn = arrived.bind(variables(shared, task, session), task.incoming.delivery);
    let audience = Audience { observer: watching.clone(), person: Arc::new(ChatPerson::of(shared, task, reins)) };
    let ended = match task.command.clone() {
        None => {
            let input = input(shared, task, session, reins).await;
            shared.agent.turn(session, &turn, input, &audience).await
        }
        Some(Command::Background(text)) => shared.agent.turn(session, &turn, UserInput::text(text), &audience).await,
        Some(Command::Retry) => shared.agent.retry(session, &turn, &audience).await,
        Some(command) => {
            return Outcome::Said(commands::run(shared, session, command, &turn, new_session(shared, task)).await);
        }
    };
    let (id, model) = (session.id().clone(), session.model().id().to_string());
    let mut ended = Ended { session: Some(id), model: Some(model), end: of_turn(ended, reins) };
    let outcome = match (&task.claim, &mut ended.end) {
        (Claim::Chat(_), Ok(end)) if matches!(end.reason, EndReason::Answered | EndReason::MaxTurns) => {
            let (text, enclosed) = enclose(shared, task, session, reins, &end.answer).await;
            end.answer = text;
            Outcome::Answered { ended, enclosed }
        }
        _ => Outcome::Turn(ended),
    };
    if task.is_passing() && !session.workshop().is_busy(&turn).await {
        drop(held);
        kept.close().await;
    }
    outcome
}

/// What the model is told, with the message's files where it can read them.
async fn input(shared: &Shared, task: &Task, session: &Session, reins: &Reins) -> UserInput {
    let turn = for_files(shared, task, session, reins);
    let arriving = Arriving { agent: &shared.agent, session, turn: &turn };
    let input = arriving.input(&task.incoming, &|| reins.activity.alive()).await;
    turn.finish();
    input
}

/// Files come and go in a turn of their own. Nobody is asked about them: what would have to be asked is not done.
fn for_files(shared: &Shared, task: &Task, session: &Session, reins: &Reins) -> TurnContext {
    let edge =
        Edge { cancellation: reins.cancellation.clone(), ..Edge::new(task.incoming.surface, Arc::new(NobodyToAsk)) };
    TurnContext::arrived(&shared.hosting, edge).bind(variables(shared, task, session), Delivery::Unsupported)
}

/// Takes the files that an answer names.
async fn enclose(
    shared: &Shared,
    task: &Task,
    session: &Session,
    reins: &Reins,
    answer: &str,
) -> (String, Vec<Enclosed>) {
    let adapter = shared.adapters.get(&task.incoming.answered_at().platform);
    let files = adapter.map_or(Files::None, |adapter| adapter.capabilities().files);
    let turn = for_files(shared, task, session, reins);
    let enclosing = Enclosing { agent: &shared.agent, session, turn: &turn, folder: &shared.outgoing, files };
    let enclosed = enclosing.answer(answer, &|| reins.activity.alive()).await;
    turn.finish();
    enclosed
}

fn of_turn(ended: Result<TurnEnd, TurnError>, reins: &Reins) -> Result<TurnEnd, TurnFailure> {
    if reins.stopped.get() == Some(&StopCause::Shutdown) {
        return Err(TurnFailure::Stopping);
    }
    ended.map_err(|error| {
        let fault = match (&error, error.fault()) {
            (TurnError::Keep(_), _) => FailureKind::Gateway,
            (_, Fault::Usage) => FailureKind::Caller,
            (TurnError::Model(_) | TurnError::NothingToRetry, _) => FailureKind::Model,
        };
        tracing::warn!(%error, "a turn failed");
        // The store's errors name files of this machine.
        let message = match fault {
            FailureKind::Gateway => "the conversation cannot be kept; the gateway's log has the cause".to_owned(),
            FailureKind::Model | FailureKind::Caller => error.to_string(),
        };
        TurnFailure::Failed { message, fault }
    })
}

pub(crate) fn new_session(shared: &Shared, task: &Task) -> NewSession {
    NewSession {
        // Work beside a conversation is never what the conversation goes on with.
        key: Some(task.mailbox.to_string()),
        user: Some(task.incoming.person.id.to_string()),
        about: matches!(task.claim, Claim::Chat(_)).then(|| files::ABOUT.to_owned()),
        toolsets: toolsets_of(&task.incoming, &shared.config),
        ..NewSession::from(task.incoming.chat.address.platform.as_str())
    }
}

fn edge(shared: &Shared, task: &Task, reins: &Reins, watching: &Arc<Watching>) -> Edge {
    Edge {
        cancellation: reins.cancellation.clone(),
        ..Edge::new(task.incoming.surface, approver(shared, task, watching))
    }
}

/// The people of this very message: its sender, and those whom its adapter named.
fn approver(shared: &Shared, task: &Task, watching: &Arc<Watching>) -> Arc<dyn Approver> {
    let incoming = &task.incoming;
    let adapter = shared.adapters.get(&incoming.chat.address.platform);
    let (Surface::Gateway | Surface::Ask, Some(adapter)) = (incoming.surface, adapter) else {
        return Arc::new(NobodyToAsk);
    };
    let mut people = vec![incoming.person.id.clone()];
    people.extend(incoming.approvers.iter().cloned());
    let authorised = Authorised::People(people.iter().map(ToString::to_string).collect());
    let (adapter, route) = (adapter.clone(), task.route());
    let notifier = ChatNotifier { adapter, route, watching: watching.clone(), people };
    shared.broker.approver(task.key.clone(), Arc::new(notifier), authorised)
}

/// Everything a command may know about whose it is, from this message alone.
fn variables(shared: &Shared, task: &Task, session: &Session) -> Vec<(SessionVariable, String)> {
    use SessionVariable as Name;
    let Incoming { chat, person, message, .. } = &*task.incoming;
    let text = |id: &Option<crate::Identifier>| id.as_ref().map(ToString::to_string).unwrap_or_default();
    vec![
        (Name::Platform, chat.address.platform.to_string()),
        (Name::Source, chat.address.platform.to_string()),
        (Name::ChatId, chat.address.chat.to_string()),
        (Name::ChatType, chat.kind.name().to_owned()),
        (Name::ChatName, chat.name.clone().unwrap_or_default()),
        (Name::ParentChatId, text(&chat.parent)),
        (Name::ThreadId, text(&chat.address.thread)),
        (Name::UserId, person.id.to_string()),
        (Name::UserIdAlt, text(&person.alternative)),
        (Name::UserName, person.name.clone().unwrap_or_default()),
        (Name::ScopeId, text(&chat.scope)),
        (Name::Key, task.key.to_string()),
        (Name::Id, session.id().to_string()),
        (Name::MessageId, message.to_string()),
        (Name::Profile, shared.home.name().to_string()),
    ]
}
