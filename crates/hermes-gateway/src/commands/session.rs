//! Commands that need the session for themselves. They come when it is their turn, as messages do.

use hermes_agent::{Audience, NewSession, Session, Which};
use hermes_model::resolve::Asked;
use hermes_proto::Explain;
use hermes_proto::session::SessionKey;
use hermes_proto::turn::TurnContext;
use hermes_store::sessions::{Listing, Sessions};

use super::Command;
use crate::host::Shared;

/// Sessions that are listed.
const LISTED: usize = 20;
/// Sessions among which those of a conversation are looked for.
const LOOKED_THROUGH: usize = 2_000;
/// Why a session ended that `/new` ended.
const ENDED: &str = "new_session";

/// What a command answers.
pub(crate) type Reply = String;

/// Runs a command on the session of its conversation.
pub(crate) async fn run(
    shared: &Shared,
    session: &mut Session,
    command: Command,
    turn: &TurnContext,
    new: NewSession,
) -> Reply {
    match command {
        Command::New => begin_anew(shared, session, new).await,
        Command::Undo => match shared.agent.undo(session).await {
            Ok(undone) => format!("{} messages taken back; you had said:\n\n{}", undone.messages, undone.said),
            Err(error) => failed(&error),
        },
        Command::Model(name) => model(shared, session, name).await,
        Command::Usage => usage(session),
        Command::Compress => match shared.agent.compress(session, turn, &Audience::nobody()).await {
            Ok(done) => format!(
                "{} messages became {}, about {} tokens became {}",
                done.messages_before, done.messages_after, done.tokens_before, done.tokens_after
            ),
            Err(error) => failed(&error),
        },
        Command::Resume(None) => list(shared, new.key.as_deref()).await,
        Command::Resume(Some(name)) => resume(shared, session, name, new.key.as_deref()).await,
        // These are done beside the turn or are turns themselves.
        Command::Stop
        | Command::Retry
        | Command::Status
        | Command::Answer(_)
        | Command::Yolo(_)
        | Command::Help
        | Command::Whoami
        | Command::Background(_) => String::new(),
    }
}

/// For people far away: what failed, without paths of this machine.
pub(crate) fn failed(error: &impl Explain) -> Reply {
    tracing::warn!(%error, "a command failed");
    "that did not work; the gateway's log has the cause".to_owned()
}

async fn begin_anew(shared: &Shared, session: &mut Session, new: NewSession) -> Reply {
    let key = new.key.clone();
    match shared.agent.new_session(new).await {
        Ok(begun) => {
            let old = std::mem::replace(session, begun);
            if !old.is_empty() {
                let (sessions, id) = (Sessions::open(&shared.store), old.id().clone());
                let ended = tokio::task::spawn_blocking(move || sessions.end(&id, ENDED)).await;
                if !matches!(ended, Ok(Ok(()))) {
                    tracing::warn!("a session was not marked as ended: it goes on after a restart");
                }
            }
            if let Some(key) = key.and_then(|key| SessionKey::try_from(key).ok()) {
                shared.guard.forget(&key);
            }
            old.close().await;
            "a new session; what was allowed in the old one is forgotten".to_owned()
        }
        Err(error) => failed(&error),
    }
}

async fn model(shared: &Shared, session: &mut Session, name: Option<String>) -> Reply {
    let Some(name) = name else {
        return format!("{} answers; /model PROVIDER/MODEL changes that for this session", session.model().id());
    };
    if name.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return "that is no name of a model".to_owned();
    }
    let model = match shared.sources.resolve(&Asked { model: Some(name), provider: None }) {
        Ok(resolution) => resolution.into_model(),
        Err(error) => return format!("{error}"),
    };
    let id = model.id().to_string();
    match shared.agent.switch_model(session, model).await {
        Ok(()) => format!("{id} answers from now on in this session"),
        Err(error) => failed(&error),
    }
}

fn usage(session: &Session) -> Reply {
    let usage = session.usage();
    format!(
        "in: {} tokens, {} of them cached\nout: {} tokens, {} of them thoughts",
        usage.input, usage.cached_input, usage.output, usage.reasoning
    )
}

/// The sessions of one conversation, the one used last first. Nobody sees those of another.
async fn own(shared: &Shared, key: Option<&str>) -> Option<Vec<hermes_store::sessions::Session>> {
    let (sessions, key) = (Sessions::open(&shared.store), key?.to_owned());
    let listed = tokio::task::spawn_blocking(move || sessions.list(&Listing::newest(LOOKED_THROUGH))).await.ok()?;
    let listed = listed.inspect_err(|error| tracing::warn!(%error, "sessions cannot be listed")).ok()?;
    Some(listed.into_iter().filter(|session| session.key.as_deref() == Some(&key)).collect())
}

async fn list(shared: &Shared, key: Option<&str>) -> Reply {
    let Some(own) = own(shared, key).await else { return "sessions cannot be listed now".to_owned() };
    if own.is_empty() {
        return "no earlier sessions in this conversation".to_owned();
    }
    let line = |session: &hermes_store::sessions::Session| {
        let shown = session.title.as_deref().or(session.preview.as_deref()).unwrap_or_default();
        format!("- `{}` {shown}", session.id)
    };
    own.iter().take(LISTED).map(line).collect::<Vec<_>>().join("\n")
}

async fn resume(shared: &Shared, session: &mut Session, name: String, key: Option<&str>) -> Reply {
    let own = own(shared, key).await.unwrap_or_default();
    let is_meant = |kept: &&hermes_store::sessions::Session| {
        kept.id.as_str() == name || kept.title.as_deref() == Some(name.as_str())
    };
    let Some(found) = own.iter().find(is_meant) else {
        return "this conversation has no such session; /resume lists them".to_owned();
    };
    let id = found.id.clone();
    let sessions = Sessions::open(&shared.store);
    let reopened = {
        let id = id.clone();
        tokio::task::spawn_blocking(move || sessions.resume(&id)).await
    };
    if !matches!(reopened, Ok(Ok(()))) {
        return "that session cannot be resumed now".to_owned();
    }
    match shared.agent.resume(Which::Named(id.to_string())).await {
        Ok(resumed) => {
            let messages = resumed.messages().len();
            std::mem::replace(session, resumed).close().await;
            format!("session {id} goes on, {messages} messages")
        }
        Err(error) => failed(&error),
    }
}
