//! The platforms that a gateway can serve: one folder and one row each. The host knows none of them.

pub mod api;
mod telegram;
pub mod webhook;

use std::fmt;
use std::sync::Arc;

use hermes_home::config::Config;
use hermes_home::{Home, HomeRoot};
use hermes_model::resolve::Sources;
use hermes_proto::{Explain, Fault};
use hermes_store::Store;

use crate::Adapter;

/// What adapters are made from.
pub struct Setup<'a> {
    pub root: &'a HomeRoot,
    pub home: &'a Home,
    pub config: &'a Arc<Config>,
    pub store: &'a Store,
    pub sources: &'a Arc<Sources>,
    /// Where the API listens if nothing else is configured; each profile has its own.
    pub default_api_port: u16,
    /// From the process's environment, and where that is silent from the home's `.env`.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl fmt::Debug for Setup<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Setup").field("home", self.home).finish_non_exhaustive()
    }
}

/// A platform that is wanted and cannot be served as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{platform}: {problem}")]
pub struct SetupError {
    pub platform: &'static str,
    pub problem: String,
    pub remedy: String,
}

impl Explain for SetupError {
    fn fault(&self) -> Fault {
        Fault::Configuration
    }

    fn hint(&self) -> Option<String> {
        Some(self.remedy.clone())
    }
}

/// Makes an adapter, or nothing where its platform is not wanted.
type Build = fn(&Setup<'_>) -> Result<Option<Arc<dyn Adapter>>, SetupError>;

const ALL: &[Build] = &[api::build, telegram::build, webhook::build];

/// An adapter for every platform that is configured.
pub fn configured(setup: &Setup<'_>) -> Result<Vec<Arc<dyn Adapter>>, SetupError> {
    ALL.iter().filter_map(|build| build(setup).transpose()).collect()
}
