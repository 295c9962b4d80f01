//! What surfaces do with sessions: begin, resume, take back, ask again, rename.

use std::sync::{Arc, Mutex};

use hermes_model::Model;
use hermes_proto::message::{Message, Usage};
use hermes_proto::turn::TurnContext;
use hermes_store::sessions;

use super::kept::Loaded;
use super::{Budget, Depth, Record, Session, SessionError};
use crate::agent::{Agent, Audience};
use crate::prompt::{self, PromptError};
use crate::registry::{Registry, Toolset};
use crate::tools::TodoList;
use crate::transcript::{Entry, Transcript, repaired};
use crate::turn::{TurnEnd, TurnError, finishing};
use crate::workshop::Workshop;

/// How a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Where it is held: `cli`, `telegram`.
    pub source: String,
    /// The conversation's key, where one conversation can have several sessions.
    pub key: Option<String>,
    /// Who talks, where that is known.
    pub user: Option<String>,
    pub title: Option<String>,
    /// What the model should know about where it is held: what can be shown or sent there.
    pub about: Option<String>,
    /// Only tools of these; all if nothing is said.
    pub toolsets: Option<Vec<Toolset>>,
}

impl NewSession {
    /// A session about which nothing else is known.
    pub fn from(source: impl Into<String>) -> Self {
        Self { source: source.into(), key: None, user: None, title: None, about: None, toolsets: None }
    }
}

/// Which session is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// `latest`, an id, the start of one, or a title.
    Named(String),
    /// The one that was used last from here.
    LatestOf { source: String },
    /// The one that was used last in this conversation.
    LatestOfKey { key: String },
}

/// What was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// What the person had said, to be edited and said again.
    pub said: String,
    /// How many messages were dropped.
    pub messages: usize,
}

/// What sets a session of an agent apart from one of a person.
#[derive(Debug)]
pub(crate) struct Manner {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Registry,
    pub(crate) depth: Depth,
    pub(crate) budget: Budget,
}

impl Agent {
    /// A new conversation. Nothing is written before something is said.
    pub async fn new_session(&self, new: NewSession) -> Result<Session, SessionError> {
        let mut manner = self.manner();
        if let Some(toolsets) = &new.toolsets {
            manner.tools = manner.tools.only(toolsets);
        }
        let prompt = self.prompt(manner.tools.clone(), new.about).await?;
        let mut record = sessions::NewSession::from(new.source);
        (record.key, record.user) = (new.key, new.user);
        let mut session = self.begun(record, prompt, manner);
        session.title = new.title;
        Ok(session)
    }

    /// A new conversation that begins with what was said elsewhere. It must be whole: every call with its result.
    pub async fn seeded_session(&self, new: NewSession, said: Vec<Message>) -> Result<Session, SessionError> {
        let mut session = self.new_session(new).await?;
        let entries = repaired(said.into_iter().map(|message| Entry { message, position: None }));
        let messages = entries.into_iter().map(|entry| entry.message).collect();
        self.keep(&mut session, messages, None).await?;
        Ok(session)
    }

    /// A conversation that was held before, by this process or another.
    pub async fn resume(&self, which: Which) -> Result<Session, SessionError> {
        let Loaded { session: kept, prompt, transcript } = self.load(which).await?;
        let (prompt, position) = match prompt {
            Some((prompt, position)) => (prompt, Some(position)),
            // The original kept none.
            None => (self.prompt(self.parts.tools.clone(), None).await?, None),
        };
        let mut session = self.begun(sessions::NewSession::from(kept.source), prompt, self.manner());
        session.workshop = Arc::new(Workshop::new(self.parts.workshops.opener(&kept.id)));
        session.id = kept.id;
        session.title = kept.title;
        session.usage = kept.usage;
        session.todos = Arc::new(Mutex::new(todos(transcript.messages())));
        session.transcript = transcript;
        session.record = Record::Kept { prompt: position };
        Ok(session)
    }

    /// Takes back the last thing the person said and everything after it.
    pub async fn undo(&self, session: &mut Session) -> Result<Undone, SessionError> {
        self.settle(session).await?;
        let Some(start) = session.transcript.last_user() else { return Err(SessionError::NothingToUndo) };
        let undone = Undone { said: session.messages()[start].text(), messages: session.messages().len() - start };
        self.truncate(session, start).await?;
        Ok(undone)
    }

    /// Drops the last answer and asks again.
    pub async fn retry(
        &self,
        session: &mut Session,
        turn: &TurnContext,
        audience: &Audience,
    ) -> Result<TurnEnd, TurnError> {
        let _finishing = finishing(turn);
        self.enter(session).await?;
        let Some(start) = session.transcript.last_user() else { return Err(TurnError::NothingToRetry) };
        self.truncate(session, start + 1).await?;
        self.go_on(session, turn, audience).await
    }

    /// Gives the session a title by which it can be resumed. No two have the same.
    pub async fn rename(&self, session: &mut Session, title: &str) -> Result<(), SessionError> {
        self.keep_said(session).await?;
        let title = self.set_title(session, title).await?;
        session.title = Some(title.to_string());
        Ok(())
    }

    /// From the next turn on, this model answers.
    pub async fn switch_model(&self, session: &mut Session, model: Arc<dyn Model>) -> Result<(), SessionError> {
        if !session.is_new() {
            self.set_model(session, model.id().to_string()).await?;
        }
        session.model = model;
        session.transcript.forget_measure();
        Ok(())
    }

    async fn prompt(&self, tools: Registry, about: Option<String>) -> Result<String, PromptError> {
        let agent = self.clone();
        let built = hermes_store::apart(move || prompt::build(&agent.parts, &tools, about)).await;
        built.map_err(|_| PromptError::Panicked)?
    }

    fn manner(&self) -> Manner {
        let (model, tools) = (self.parts.models.main.clone(), self.parts.tools.clone());
        Manner { model, tools, depth: Depth(0), budget: Budget(self.parts.config.agent.max_turns.max(1)) }
    }

    /// A session that begins; the store learns of it with the first message.
    pub(crate) fn begun(&self, mut record: sessions::NewSession, prompt: String, manner: Manner) -> Session {
        record.model = Some(manner.model.id().to_string());
        record.folder = Some(self.parts.folder.display().to_string());
        Session {
            id: record.id.clone(),
            title: None,
            prompt,
            transcript: Transcript::default(),
            unkept: Vec::new(),
            writing: Arc::default(),
            tools: manner.tools,
            model: manner.model,
            workshop: Arc::new(Workshop::new(self.parts.workshops.opener(&record.id))),
            todos: Arc::new(Mutex::new(TodoList::default())),
            usage: Usage::default(),
            depth: manner.depth,
            budget: manner.budget,
            compressed_at: None,
            is_in_turn: false,
            record: Record::New(record),
        }
    }
}

/// What the session wanted to do next, as the model was told last.
fn todos(messages: &[Message]) -> TodoList {
    let report = |message: &Message| match message {
        Message::Tool { name, .. } if name == "todo" => serde_json::from_str(&message.text()).ok(),
        _ => None,
    };
    messages.iter().rev().filter_map(report).find_map(|report| TodoList::reported(&report)).unwrap_or_default()
}
