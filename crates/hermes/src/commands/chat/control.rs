//! What slash commands ask of the conversation. One function each.

use hermes_agent::{Audience, NewSession, Session, Unobserved, UserInput, Which};
use hermes_approval::{PermanentGrants, Yolo};
use hermes_model::resolve::{self, Asked};
use hermes_proto::Explain;
use hermes_store::Store;
use hermes_store::sessions::{Listing, Sessions};
use hermes_terminal::{Control, News, Reply, Switch, Watch};
use tokio_util::sync::CancellationToken;

use super::SOURCE;
use super::conversation::Talk;
use super::turns;
use crate::commands::compose::Composed;

/// Sessions that are listed or completed.
const LISTED: usize = 20;

pub(super) async fn run(talk: &Talk, control: Control, watch: Watch) -> Reply {
    // These two may come while a turn holds the session.
    match control {
        Control::Background(text) => return background(talk, text).await,
        Control::Stop => return stop(talk).await,
        _ => {}
    }
    let mut held = talk.session.lock().await;
    let Some(session) = held.as_mut() else { return Reply::Failed("the chat is over".to_owned()) };
    let reply = match control {
        Control::NewSession => new_session(talk, session).await,
        Control::Undo => undo(talk, session).await,
        Control::Model(name) => model(talk, session, name).await,
        Control::Tools => tools(session),
        Control::Status => status(talk, session),
        Control::Usage => usage(session),
        Control::Compress => compress(talk, session, watch).await,
        Control::Resume(Some(name)) => resume(talk, session, name).await,
        Control::Resume(None) | Control::Sessions => sessions(&talk.composed.store),
        Control::Yolo(switch) => yolo(talk, session, switch),
        Control::Approvals => approvals(talk, session),
        Control::Background(_) | Control::Stop => Reply::Done(String::new()),
    };
    talk.shows(session);
    reply
}

fn failed(error: &impl Explain) -> Reply {
    match error.hint() {
        Some(hint) => Reply::Failed(format!("{error} ({hint})")),
        None => Reply::Failed(error.to_string()),
    }
}

async fn new_session(talk: &Talk, session: &mut Session) -> Reply {
    match talk.composed.agent.new_session(NewSession::from(SOURCE)).await {
        Ok(new) => {
            let old = std::mem::replace(session, new);
            if let Ok(key) = turns::key(&old) {
                talk.composed.guard.forget(&key);
            }
            old.close().await;
            Reply::Done("a new session".to_owned())
        }
        Err(error) => failed(&error),
    }
}

async fn undo(talk: &Talk, session: &mut Session) -> Reply {
    match talk.composed.agent.undo(session).await {
        Ok(undone) => Reply::Done(format!("{} messages taken back; you had said:\n\n{}", undone.messages, undone.said)),
        Err(error) => failed(&error),
    }
}

/// Ends what runs in the place of the session: its commands and jobs.
async fn stop(talk: &Talk) -> Reply {
    talk.beside.lock().await.shutdown().await;
    match talk.session.try_lock() {
        Ok(held) => {
            if let Some(session) = held.as_ref() {
                session.workshop().close().await;
            }
            Reply::Done("background commands are ended".to_owned())
        }
        // The turn that is running is interrupted by whoever asked.
        Err(_) => Reply::Done("stopping".to_owned()),
    }
}

async fn model(talk: &Talk, session: &mut Session, name: Option<String>) -> Reply {
    let Some(name) = name else {
        return Reply::Done(format!(
            "**{}** answers; `/model PROVIDER/MODEL` changes that for this session",
            session.model().id()
        ));
    };
    let asked = Asked { model: Some(name), provider: None };
    let model = match talk.composed.sources.resolve(&asked) {
        Ok(resolution) => resolution.into_model(),
        Err(error) => return failed(&error),
    };
    let id = model.id().to_string();
    match talk.composed.agent.switch_model(session, model).await {
        Ok(()) => Reply::Done(format!("**{id}** answers from now on in this session")),
        Err(error) => failed(&error),
    }
}

fn tools(session: &Session) -> Reply {
    let line =
        |tool: &std::sync::Arc<dyn hermes_agent::Tool>| format!("- `{}` ({})", tool.name(), tool.toolset().name());
    Reply::Done(session.tools().iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn status(talk: &Talk, session: &Session) -> Reply {
    let title = session.title().unwrap_or("none yet");
    let room = session.model().context_length().map_or_else(String::new, |length| format!(" of {length}"));
    Reply::Done(format!(
        "- session `{}`, title: {title}\n- model **{}**\n- commands run: {}\n- {} messages, about {}{room} tokens\n- asking: {}",
        session.id(),
        session.model().id(),
        talk.composed.place(),
        session.messages().len(),
        session.context_tokens(),
        if yolo_word(talk, session).is_empty() { "on" } else { "off" },
    ))
}

fn usage(session: &Session) -> Reply {
    let usage = session.usage();
    Reply::Done(format!(
        "- in: {} tokens, {} of them cached\n- out: {} tokens, {} of them thoughts",
        usage.input, usage.cached_input, usage.output, usage.reasoning
    ))
}

async fn compress(talk: &Talk, session: &mut Session, watch: Watch) -> Reply {
    let turn = talk.turns.begin(session.id(), watch.cancellation);
    match talk.composed.agent.compress(session, &turn, &Audience::watching(watch.observer)).await {
        Ok(done) if done.messages_after == done.messages_before => {
            Reply::Done("the conversation is short enough; nothing was changed".to_owned())
        }
        Ok(done) => Reply::Done(format!(
            "{} messages became {}, about {} tokens became {}",
            done.messages_before, done.messages_after, done.tokens_before, done.tokens_after
        )),
        Err(error) => failed(&error),
    }
}

async fn resume(talk: &Talk, session: &mut Session, name: String) -> Reply {
    match talk.composed.agent.resume(Which::Named(name)).await {
        Ok(resumed) => {
            let messages = resumed.messages().len();
            let shown = resumed.title().map_or_else(|| resumed.id().to_string(), str::to_owned);
            std::mem::replace(session, resumed).close().await;
            Reply::Done(format!("session **{shown}** goes on, {messages} messages"))
        }
        Err(error) => failed(&error),
    }
}

fn sessions(store: &Store) -> Reply {
    match Sessions::open(store).list(&Listing::newest(LISTED)) {
        Ok(found) if found.is_empty() => Reply::Done("no sessions yet".to_owned()),
        Ok(found) => {
            let line = |session: &hermes_store::sessions::Session| {
                let shown = session.title.as_deref().or(session.preview.as_deref()).unwrap_or_default();
                format!("- `{}` {shown}", session.id)
            };
            Reply::Done(found.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
        Err(error) => failed(&error),
    }
}

fn yolo(talk: &Talk, session: &Session, switch: Option<Switch>) -> Reply {
    let key = match turns::key(session) {
        Ok(key) => key,
        Err(error) => return failed(&error),
    };
    let guard = &talk.composed.guard;
    let wanted = match switch {
        Some(Switch::On) => Yolo::On,
        Some(Switch::Off) => Yolo::Off,
        None if guard.yolo(&key) == Yolo::On => Yolo::Off,
        None => Yolo::On,
    };
    guard.set_yolo(&key, wanted);
    Reply::Done(match wanted {
        Yolo::On => {
            "dangerous commands of this session run without asking; what is refused always stays refused".to_owned()
        }
        Yolo::Off => "dangerous commands ask first".to_owned(),
    })
}

/// What the status says when nobody is asked.
pub(super) fn yolo_word(talk: &Talk, session: &Session) -> &'static str {
    let guard = &talk.composed.guard;
    let of_session = turns::key(session).is_ok_and(|key| guard.yolo(&key) == Yolo::On);
    if of_session || guard.settings().process_yolo == Yolo::On { "yolo" } else { "" }
}

fn approvals(talk: &Talk, session: &Session) -> Reply {
    let of_session = turns::key(session).map(|key| talk.composed.guard.session_grants(&key)).unwrap_or_default();
    let mut lines: Vec<_> =
        of_session.grants().iter().map(|grant| format!("- in this session: `{}`", grant.entry())).collect();
    match PermanentGrants::of(&talk.composed.home, &talk.composed.environment).entries() {
        Ok(entries) => lines.extend(entries.iter().map(|entry| format!("- for good: `{entry}`"))),
        Err(error) => return failed(&error),
    }
    if lines.is_empty() {
        return Reply::Done("nothing was allowed beyond one command".to_owned());
    }
    Reply::Done(lines.join("\n"))
}

/// Works on a message beside the conversation, in a session of its own, and tells when it is done.
async fn background(talk: &Talk, text: String) -> Reply {
    let mut session = match talk.composed.agent.new_session(NewSession::from(SOURCE)).await {
        Ok(session) => session,
        Err(error) => return failed(&error),
    };
    let (agent, news) = (talk.composed.agent.clone(), talk.news.clone());
    let turn = talk.turns.begin(session.id(), CancellationToken::new());
    let audience = talk.turns.audience(std::sync::Arc::new(Unobserved));
    let id = session.id().to_string();
    talk.beside.lock().await.spawn(async move {
        let ended = agent.turn(&mut session, &turn, UserInput::text(text), &audience).await;
        let id = session.id().to_string();
        let told = match ended {
            Ok(end) => format!("**background `{id}`**\n\n{}", end.answer),
            Err(error) => format!("**background `{id}`** failed: {error}"),
        };
        session.close().await;
        // A chat that is over needs no news.
        let _ = news.send(News::Notice(told)).await;
    });
    Reply::Done(format!("working on it beside this, as `{id}`"))
}

pub(super) fn model_names(composed: &Composed) -> Vec<String> {
    let named = |offer: resolve::Offer| {
        let provider = offer.provider;
        offer.models.into_iter().map(move |model| format!("{provider}/{model}"))
    };
    resolve::offers(&composed.sources).into_iter().flat_map(named).collect()
}

pub(super) fn session_names(store: &Store) -> Vec<String> {
    let found = Sessions::open(store).list(&Listing::newest(LISTED)).unwrap_or_default();
    found.into_iter().map(|session| session.title.unwrap_or_else(|| session.id.to_string())).collect()
}
