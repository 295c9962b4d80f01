//! What an agent is made of. Put together once, shared by every session.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_approval::Guard;
use hermes_home::Home;
use hermes_home::config::Config;
use hermes_home::redact::Redactor;
use hermes_model::Model;
use hermes_store::Store;
use hermes_store::sessions::SessionId;

use crate::event::{Observer, Unobserved};
use crate::person::{NobodyAnswers, Person};
use crate::registry::Registry;
use crate::workshop::OpenWorkshop;

/// The models of one agent.
#[derive(Debug, Clone)]
pub struct Models {
    /// The one that answers.
    pub main: Arc<dyn Model>,
    /// The one that shortens conversations; the main one if there is none.
    pub compression: Option<Arc<dyn Model>>,
    /// The one of delegated tasks; the session's if there is none.
    pub delegation: Option<Arc<dyn Model>>,
}

impl Models {
    /// One model for everything.
    pub fn only(main: Arc<dyn Model>) -> Self {
        Self { main, compression: None, delegation: None }
    }
}

/// Where sessions get their place to work in.
pub trait Workshops: std::fmt::Debug + Send + Sync {
    /// How the place of this session is opened. Two sessions never share an executor.
    fn opener(&self, session: &SessionId) -> Box<dyn OpenWorkshop>;
}

/// Everything an agent needs.
#[derive(Debug)]
pub struct AgentParts {
    pub models: Models,
    pub tools: Registry,
    pub guard: Guard,
    pub store: Store,
    pub home: Home,
    pub config: Arc<Config>,
    /// Takes the home's secrets out of what models are told, unless `security.redact_secrets` is off.
    pub redactor: Redactor,
    pub workshops: Arc<dyn Workshops>,
    /// The folder on this machine that work is about, whose instruction files are read.
    pub folder: PathBuf,
}

/// Answers people. Cheap to clone; sessions of clones do not disturb each other.
#[derive(Debug, Clone)]
pub struct Agent {
    pub(crate) parts: Arc<AgentParts>,
}

impl Agent {
    pub fn new(parts: AgentParts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// All tools that sessions may use.
    pub fn tools(&self) -> &Registry {
        &self.parts.tools
    }

    pub fn models(&self) -> &Models {
        &self.parts.models
    }

    pub fn config(&self) -> &Config {
        &self.parts.config
    }
}

/// Who watches a turn, and who can be asked what was meant.
#[derive(Debug, Clone)]
pub struct Audience {
    pub observer: Arc<dyn Observer>,
    pub person: Arc<dyn Person>,
}

impl Audience {
    /// Somebody watches, nobody answers.
    pub fn watching(observer: Arc<dyn Observer>) -> Self {
        Self { observer, person: Arc::new(NobodyAnswers) }
    }

    /// Nobody at all.
    pub fn nobody() -> Self {
        Self::watching(Arc::new(Unobserved))
    }
}
