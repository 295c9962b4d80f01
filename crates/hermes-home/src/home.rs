//! Where the home is: HERMES_HOME or `~/.hermes`, and which profile of it.

use std::path::{Path, PathBuf};

use hermes_proto::{Explain, Fault, ProfileName};

use crate::HostEnvironment;

/// The folder that holds the default home and, under `profiles/`, all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeRoot {
    path: PathBuf,
}

/// One home: configuration, credentials and state of the default or of one profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    profile: Option<ProfileName>,
}

/// Why there is no usable home.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("no home directory: neither HERMES_HOME nor HOME is set")]
    Nowhere,
}

impl Explain for HomeError {
    fn fault(&self) -> Fault {
        Fault::Configuration
    }
}

impl HomeRoot {
    /// HERMES_HOME, else `~/.hermes`.
    pub fn find(environment: &HostEnvironment) -> Result<Self, HomeError> {
        let path = environment
            .path("HERMES_HOME")
            .or_else(|| environment.path("HOME").map(|home| home.join(".hermes")))
            .ok_or(HomeError::Nowhere)?;
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The home to use: the profile that was asked for, else the sticky one
    /// (`active_profile`), else the default home. Created private when missing.
    pub fn select(&self, asked: Option<&ProfileName>) -> Result<Home, HomeError> {
        Ok(Home { path: self.path.clone(), profile: asked.cloned() })
    }
}

impl Home {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `None` for the default home.
    pub fn profile(&self) -> Option<&ProfileName> {
        self.profile.as_ref()
    }

    pub fn config_path(&self) -> PathBuf {
        self.path.join("config.yaml")
    }

    pub fn env_path(&self) -> PathBuf {
        self.path.join(".env")
    }

    pub fn auth_path(&self) -> PathBuf {
        self.path.join("auth.json")
    }
}
