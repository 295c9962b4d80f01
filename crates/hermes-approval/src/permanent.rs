//! What was allowed for good: `command_allowlist` in config.yaml.
//!
//! Other processes write it too, and people edit it. So it is read when something is decided by it, added to under the
//! file's lock, and never written back from memory.

use std::sync::Arc;

use hermes_home::Home;
use hermes_home::config::{self, ConfigError, KeyPath};
use hermes_policy::allow_list::{AllowList, Grant};
use hermes_proto::HostEnvironment;

const KEY: &str = "command_allowlist";

/// The list of one home, or none at all.
#[derive(Debug, Clone)]
pub struct PermanentGrants {
    place: Option<Arc<(Home, HostEnvironment)>>,
}

/// Why the list was not read or not changed.
#[derive(Debug, thiserror::Error)]
pub enum PermanentError {
    #[error("{KEY} cannot be used: {0}")]
    Config(#[from] ConfigError),
    #[error("{KEY} is not a key: {0}")]
    Key(#[from] config::InvalidKeyPath),
    #[error("there is no configuration to keep it in")]
    Nowhere,
}

impl hermes_proto::Explain for PermanentError {
    fn fault(&self) -> hermes_proto::Fault {
        match self {
            Self::Config(error) => error.fault(),
            Self::Key(_) | Self::Nowhere => hermes_proto::Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Config(error) => error.hint(),
            Self::Key(_) | Self::Nowhere => None,
        }
    }
}

impl PermanentGrants {
    pub fn of(home: &Home, environment: &HostEnvironment) -> Self {
        Self { place: Some(Arc::new((home.clone(), environment.clone()))) }
    }

    /// For where nothing can be allowed for good.
    pub fn none() -> Self {
        Self { place: None }
    }

    pub(crate) fn is_somewhere(&self) -> bool {
        self.place.is_some()
    }

    /// The entries as they are written, those that cannot be used among them.
    pub fn entries(&self) -> Result<Vec<String>, PermanentError> {
        let Some(place) = &self.place else { return Ok(Vec::new()) };
        Ok(config::list(&place.0, &key()?)?)
    }

    /// What they allow at this moment. A file that cannot be read allows nothing.
    pub(crate) fn read(&self) -> AllowList {
        match self.entries() {
            Ok(entries) => {
                let (list, problems) = AllowList::parse(&entries);
                for problem in problems {
                    tracing::warn!(%problem, "{KEY}: allows nothing");
                }
                list
            }
            Err(error) => {
                tracing::warn!(%error, "nothing is allowed for good");
                AllowList::default()
            }
        }
    }

    /// Adds one to whatever is there now.
    pub fn add(&self, grant: &Grant) -> Result<(), PermanentError> {
        let (home, environment) = self.place.as_deref().ok_or(PermanentError::Nowhere)?;
        config::add_to_list(home, environment, &key()?, &grant.entry())?;
        Ok(())
    }

    /// Takes an entry back, as it is written; answers whether it was there.
    pub fn revoke(&self, entry: &str) -> Result<bool, PermanentError> {
        let (home, environment) = self.place.as_deref().ok_or(PermanentError::Nowhere)?;
        Ok(config::remove_from_list(home, environment, &key()?, entry)?)
    }
}

fn key() -> Result<KeyPath, config::InvalidKeyPath> {
    KEY.parse()
}
