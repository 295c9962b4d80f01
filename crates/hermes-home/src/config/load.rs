//! From the files of a home to a typed configuration.
//!
//! A broken file stops a command: the person is there to mend it. A running program
//! that must go on takes the newest copy that was good, and says so.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::reader::{Variables, read};
use super::{Config, ConfigError, Finding, KeyPath, Origin, Severity, good_copy};
use crate::Home;
use crate::dotenv::{self, EnvFile};
use crate::files;
use crate::yaml::{Node, parse};
use hermes_proto::HostEnvironment;

/// What the command line says instead of the file.
#[derive(Debug, Clone, Default)]
pub struct Overrides(Vec<(KeyPath, Json)>);

/// A configuration that can be used.
#[derive(Debug)]
pub struct Loaded {
    pub config: Config,
    /// What is odd about it; none of these is an error.
    pub warnings: Vec<Finding>,
    /// Set if the file is broken and this is the newest good copy.
    pub fallback: Option<Fallback>,
}

/// The file is broken and an older content is used.
#[derive(Debug)]
pub struct Fallback {
    pub copy: PathBuf,
    pub because: ConfigError,
}

impl fmt::Display for Fallback {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}; using the last good copy, {}", self.because, self.copy.display())
    }
}

impl Overrides {
    pub fn none() -> Self {
        Self::default()
    }

    pub fn set(&mut self, key: KeyPath, value: Json) {
        self.0.push((key, value));
    }

    /// Refuses what is wrong by itself, before it can be blamed on the file.
    fn check(&self, variables: Variables<'_>) -> Result<(), ConfigError> {
        let mut alone = Node::empty_map();
        self.apply(&mut alone);
        let (_, findings) = read(&alone, variables);
        let wrong =
            |finding: &Finding| finding.severity() == Severity::Error && matches!(finding.origin, Origin::File(_));
        findings.into_iter().find(wrong).map_or(Ok(()), |finding| Err(ConfigError::Refused(finding)))
    }

    fn apply(&self, tree: &mut Node) {
        for (key, value) in &self.0 {
            tree.assign(key.segments(), Node::from_json(value));
        }
    }
}

/// The configuration of this home; an error if the file is broken.
pub fn load(home: &Home, environment: &HostEnvironment, overrides: &Overrides) -> Result<Loaded, ConfigError> {
    let bytes = files::read(&home.config_path())?.unwrap_or_default();
    let file = dotenv::load(home)?;
    build(&home.config_path(), &bytes, Variables { environment, file: &file }, overrides)
}

/// The configuration for a program that must go on: the newest good copy stands in
/// for a broken file. A file that may not be read is an error all the same.
pub fn load_for_running_program(
    home: &Home,
    environment: &HostEnvironment,
    overrides: &Overrides,
) -> Result<Loaded, ConfigError> {
    let bytes = files::read(&home.config_path())?.unwrap_or_default();
    let file = dotenv::load(home)?;
    let variables = Variables { environment, file: &file };
    match build(&home.config_path(), &bytes, variables, overrides) {
        Ok(loaded) => {
            good_copy::remember(home, &bytes);
            Ok(loaded)
        }
        Err(because) if because.is_about_content() => from_copy(home, variables, overrides, because),
        Err(error) => Err(error),
    }
}

/// Everything that can be said about this home's file, in the order of the file.
pub fn check(home: &Home, environment: &HostEnvironment) -> Result<Vec<Finding>, ConfigError> {
    let path = home.config_path();
    let bytes = files::read(&path)?.unwrap_or_default();
    let file = dotenv::load(home)?;
    let tree = tree(&path, &bytes)?;
    Ok(read(&tree, Variables { environment, file: &file }).1)
}

fn from_copy(
    home: &Home,
    variables: Variables<'_>,
    overrides: &Overrides,
    because: ConfigError,
) -> Result<Loaded, ConfigError> {
    let copy = good_copy::path(home);
    let Some(bytes) = files::read(&copy)? else { return Err(because) };
    match build(&copy, &bytes, variables, overrides) {
        Ok(loaded) => Ok(Loaded { fallback: Some(Fallback { copy, because }), ..loaded }),
        // Neither can be used: the file that people edit is the one to tell about.
        Err(_) => Err(because),
    }
}

/// Reads a file's content, refusing it if it has errors.
pub(super) fn build(
    path: &Path,
    bytes: &[u8],
    variables: Variables<'_>,
    overrides: &Overrides,
) -> Result<Loaded, ConfigError> {
    let mut tree = tree(path, bytes)?;
    overrides.check(variables)?;
    overrides.apply(&mut tree);
    let (config, findings) = read(&tree, variables);
    if findings.iter().any(|finding| finding.severity() == Severity::Error) {
        return Err(ConfigError::Invalid { path: path.to_owned(), findings });
    }
    Ok(Loaded { config, warnings: findings, fallback: None })
}

pub(super) fn tree(path: &Path, bytes: &[u8]) -> Result<Node, ConfigError> {
    parse(bytes).map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })
}

/// `.env`, if the text can refer to it at all.
pub(super) fn variables_file(home: &Home, bytes: &[u8]) -> Result<EnvFile, ConfigError> {
    let refers = bytes.windows(2).any(|pair| pair == b"${");
    Ok(if refers { dotenv::load(home)? } else { EnvFile::parse("") })
}
