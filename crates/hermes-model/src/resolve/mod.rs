//! From configuration and credentials to the models that answer.
//!
//! `model:`, `providers:`, aliases and fallbacks mean what they mean in the original's config.yaml. Nothing is guessed past what
//! is written: where a model is named and no key is found, that is an error; the built-in model stands in only where nothing
//! was configured at all.

mod build;
mod catalog;
mod entry;
mod error;
mod name;
mod settings;

use std::sync::Arc;

use hermes_home::config::Config;
use hermes_home::credentials::{self, Credential};
use hermes_home::dotenv::{self, EnvFile};
use hermes_home::{Home, credentials::auth_file};
use hermes_proto::HostEnvironment;

use crate::offline::Offline;
use crate::{Chain, Endpoint, Model, ModelId};

pub use catalog::{Listed, Offer, list_models, offers};
pub use error::ResolveError;

use build::Spot;
use entry::Entry;

/// What the command line says: `-m` and `--provider`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub model: Option<String>,
    pub provider: Option<String>,
}

/// Everything that decides which model answers, read once.
#[derive(Debug)]
pub struct Sources {
    pub(crate) config: Config,
    pub(crate) credentials: Vec<Credential>,
    pub(crate) dotenv: EnvFile,
    pub(crate) environment: HostEnvironment,
    pub(crate) active_provider: Option<String>,
}

/// The models that answer: the first, and those that stand in for it.
#[derive(Debug)]
pub struct Resolution {
    chosen: Chosen,
    /// What could not be used, for the person to know.
    pub notes: Vec<String>,
}

#[derive(Debug)]
enum Chosen {
    Offline,
    Endpoints { first: Box<Endpoint>, fallbacks: Vec<Endpoint> },
}

impl Sources {
    /// Reads the credentials of a home. The configuration has been loaded by whoever knows the command line.
    pub fn read(home: &Home, environment: &HostEnvironment, config: Config) -> Result<Self, ResolveError> {
        Ok(Self {
            config,
            credentials: credentials::list(home, environment)?,
            dotenv: dotenv::load(home).map_err(credentials::ListError::from)?,
            environment: environment.clone(),
            active_provider: auth_file::load(home)
                .map_err(credentials::ListError::from)?
                .active_provider()
                .map(str::to_owned),
        })
    }

    /// A variable: the environment first, then `.env`.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let found = self.environment.text(name).or_else(|| self.dotenv.get(name));
        found.map(str::trim).filter(|value| !value.is_empty())
    }

    /// The model that answers a turn.
    pub fn resolve(&self, asked: &Asked) -> Result<Resolution, ResolveError> {
        let Some(entry) = self.choose(asked)? else {
            return Ok(Resolution { chosen: Chosen::Offline, notes: Vec::new() });
        };
        let first = Box::new(self.endpoint(&entry, Spot::Main)?);
        let (fallbacks, notes) = self.fallbacks(&first.id);
        Ok(Resolution { chosen: Chosen::Endpoints { first, fallbacks }, notes })
    }

    /// The model of a task besides answering, such as `compression`: its own, else the one that answers.
    pub fn resolve_task(&self, task: &str, asked: &Asked) -> Result<Resolution, ResolveError> {
        let own = self.config.auxiliary.get(task).and_then(Entry::of_task);
        let Some(entry) = own else { return self.resolve(asked) };
        let main = || self.resolve(asked).map(|main| main.id().provider);
        let provider =
            if entry.provider.is_empty() && entry.base_url.is_none() { main()? } else { entry.provider.clone() };
        let mut first = self.endpoint(&Entry { provider, ..entry }, Spot::Other)?;
        if let Some(seconds) = self.config.auxiliary.get(task).and_then(|task| task.timeout) {
            first.timeouts.whole = std::time::Duration::from_secs(seconds);
        }
        Ok(Resolution {
            chosen: Chosen::Endpoints { first: Box::new(first), fallbacks: Vec::new() },
            notes: Vec::new(),
        })
    }

    /// Those that stand in for the first one, without it. What cannot be used is told.
    fn fallbacks(&self, first: &ModelId) -> (Vec<Endpoint>, Vec<String>) {
        let mut notes = Vec::new();
        let mut endpoints: Vec<Endpoint> = Vec::new();
        let both = [&self.config.fallback_providers, &self.config.fallback_model];
        for entry in both.into_iter().flat_map(Entry::of_list) {
            match entry.and_then(|entry| self.endpoint(&self.named(entry), Spot::Other)) {
                Ok(endpoint) if endpoint.id == *first || endpoints.iter().any(|known| known.id == endpoint.id) => {}
                Ok(endpoint) => endpoints.push(endpoint),
                Err(error) => notes.push(format!("a fallback model cannot be used: {error}")),
            }
        }
        (endpoints, notes)
    }
}

impl Resolution {
    /// Who is asked first.
    pub fn id(&self) -> ModelId {
        match &self.chosen {
            Chosen::Offline => Offline::new().id().clone(),
            Chosen::Endpoints { first, .. } => first.id.clone(),
        }
    }

    /// Where it is, and those that stand in for it; none for the built-in model.
    pub fn endpoints(&self) -> Vec<&Endpoint> {
        match &self.chosen {
            Chosen::Offline => Vec::new(),
            Chosen::Endpoints { first, fallbacks } => std::iter::once(&**first).chain(fallbacks).collect(),
        }
    }

    pub fn is_offline(&self) -> bool {
        matches!(self.chosen, Chosen::Offline)
    }

    pub fn into_model(self) -> Arc<dyn Model> {
        match self.chosen {
            Chosen::Offline => Arc::new(Offline::new()),
            Chosen::Endpoints { first, fallbacks } => Arc::new(Chain::new(*first, fallbacks)),
        }
    }
}

#[cfg(test)]
mod tests;
