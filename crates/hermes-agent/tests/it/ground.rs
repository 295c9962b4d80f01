//! A home, a store and an agent for one test.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_agent::{
    Agent, AgentParts, Audience, Models, NewSession, Observer, OpenWorkshop, Opening, Registry, Session, SessionId,
    Tool, TurnEnd, TurnError, TurnEvent, UserInput, Workshops,
};
use hermes_approval::{Entry, Guard, GuardParts, GuardSettings, Journal, JournalError, PermanentGrants, Yolo};
use hermes_environment::{EnvironmentError, WorkplaceError};
use hermes_home::config::Config;
use hermes_home::redact::Redactor;
use hermes_home::{Asked, Home, HomeRoot};
use hermes_model::Model;
use hermes_proto::HostEnvironment;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::message::Message;
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use hermes_store::{Settings, Store};

/// Long enough for any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
struct NoWorkshops;

#[derive(Debug)]
struct NoWorkshop;

impl Workshops for NoWorkshops {
    fn opener(&self, _session: &SessionId) -> Box<dyn OpenWorkshop> {
        Box::new(NoWorkshop)
    }
}

impl OpenWorkshop for NoWorkshop {
    fn open(&self) -> Opening<'_> {
        Box::pin(async {
            Err(WorkplaceError::Local(EnvironmentError::Start(std::io::Error::other(
                "there is no workshop in this test",
            ))))
        })
    }
}

#[derive(Debug)]
struct Unwritten;

impl Journal for Unwritten {
    fn write(&self, _entries: &[Entry]) -> Result<(), JournalError> {
        Ok(())
    }
}

/// Remembers what a turn told.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<Vec<TurnEvent>>);

impl Observer for Seen {
    fn saw(&self, event: TurnEvent) {
        self.0.lock().unwrap().push(event);
    }
}

impl Seen {
    pub(crate) fn events(&self) -> Vec<TurnEvent> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn text(&self) -> String {
        let text = |event| match event {
            TurnEvent::Text { delta } => Some(delta),
            _ => None,
        };
        self.events().into_iter().filter_map(text).collect()
    }
}

pub(crate) struct Ground {
    folder: tempfile::TempDir,
    pub(crate) config: Config,
    pub(crate) seen: Arc<Seen>,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("work")).unwrap();
        Self { folder, config: Config::default(), seen: Arc::default() }
    }

    pub(crate) fn home_path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn agent(&self, model: Arc<dyn Model>, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Agent {
        self.agent_of(Models::only(model), tools)
    }

    pub(crate) fn agent_of(&self, models: Models, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Agent {
        agent_in(&self.home_path(), &self.work(), &self.config, models, tools)
    }

    pub(crate) fn audience(&self) -> Audience {
        Audience::watching(self.seen.clone())
    }

    /// Says something and waits for what comes of it.
    pub(crate) async fn says(&self, agent: &Agent, session: &mut Session, text: &str) -> Result<TurnEnd, TurnError> {
        let turn = turn(Surface::Gateway);
        let ended = agent.turn(session, &turn, UserInput::text(text), &self.audience()).await;
        assert!(turn.is_over());
        ended
    }
}

pub(crate) fn agent_in(
    home: &Path,
    work: &Path,
    config: &Config,
    models: Models,
    tools: impl IntoIterator<Item = Arc<dyn Tool>>,
) -> Agent {
    let settings = GuardSettings::configured(config, Yolo::default());
    Agent::new(AgentParts {
        models,
        tools: Registry::new(tools),
        guard: Guard::new(GuardParts::new(settings, Arc::new(Unwritten), PermanentGrants::none())),
        store: Store::of(home, Settings::default()),
        home: home_at(home),
        config: Arc::new(config.clone()),
        redactor: Redactor::default(),
        workshops: Arc::new(NoWorkshops),
        folder: work.to_owned(),
    })
}

pub(crate) fn home_at(path: &Path) -> Home {
    let environment = HostEnvironment::from_pairs([("HERMES_HOME", path)]);
    HomeRoot::find(&environment).unwrap().select(&Asked::Nothing).unwrap()
}

pub(crate) fn turn(surface: Surface) -> TurnContext {
    bound(TurnContext::arrived(&Hosting::new(), Edge::new(surface, Arc::new(NobodyToAsk))))
}

pub(crate) fn bound(turn: TurnContext) -> TurnContext {
    turn.bind([(SessionVariable::Key, "agent:main:test:dm:1".to_owned())], Delivery::Supported)
}

pub(crate) async fn begun(agent: &Agent) -> Session {
    agent.new_session(NewSession::from("test")).await.unwrap()
}

/// Whether a provider would take this: each call has its results right behind it.
#[track_caller]
pub(crate) fn assert_whole(messages: &[Message]) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if let Message::Tool { call_id, .. } = message {
            let index = open.iter().position(|id| *id == call_id.as_str());
            open.remove(index.unwrap_or_else(|| panic!("a result without a call: {messages:#?}")));
            continue;
        }
        assert!(open.is_empty(), "a call without a result: {messages:#?}");
        assert!(!message.text().is_empty() || !message.tool_calls().is_empty(), "an empty message: {messages:#?}");
        open = message.tool_calls().iter().map(|call| call.id.as_str()).collect();
    }
    assert!(open.is_empty(), "a call without a result: {messages:#?}");
}

/// The results of the last answer's calls, in their order.
pub(crate) fn last_results(session: &Session) -> Vec<String> {
    let is_result = |message: &&Message| matches!(message, Message::Tool { .. });
    session.messages().iter().filter(is_result).map(Message::text).collect()
}
