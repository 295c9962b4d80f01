//! Changing one setting in the file, and nothing else in it.
//!
//! The change is decided under the file's lock on the content that is there then, so
//! that two writers cannot undo each other.

use super::load::{build, tree, variables_file};
use super::reader::{Variables, read};
use super::{ConfigError, Finding, KeyPath, Origin, Overrides, Severity, Value, good_copy};
use crate::Home;
use crate::files::{self, Change, Mode};
use crate::yaml;
use hermes_proto::HostEnvironment;

pub(super) const NAME: &str = "config.yaml";

/// Sets a key; answers what is odd about it. A value of the wrong kind is refused.
pub fn set(
    home: &Home,
    environment: &HostEnvironment,
    key: &KeyPath,
    value: &Value,
) -> Result<Vec<Finding>, ConfigError> {
    let mut warnings = Vec::new();
    let mut written = Vec::new();
    files::update(home.path(), NAME, Mode::Group, |current| {
        let text = yaml::set(current.unwrap_or_default(), key.segments(), value.node())
            .map_err(|source| not_edited(home, source))?;
        warnings = judge(home, environment, key, text.as_bytes())?;
        written = text.into_bytes();
        Ok::<_, ConfigError>(Change::Replace(written.clone()))
    })?;
    keep_if_good(home, environment, &written);
    Ok(warnings)
}

/// Removes a key; answers whether it was there.
pub fn unset(home: &Home, environment: &HostEnvironment, key: &KeyPath) -> Result<bool, ConfigError> {
    let mut written = None;
    files::update(home.path(), NAME, Mode::Group, |current| {
        let text =
            yaml::unset(current.unwrap_or_default(), key.segments()).map_err(|source| not_edited(home, source))?;
        written = text.map(String::into_bytes);
        Ok::<_, ConfigError>(written.clone().map_or(Change::Keep, Change::Replace))
    })?;
    if let Some(written) = &written {
        keep_if_good(home, environment, written);
    }
    Ok(written.is_some())
}

/// What the changed file says about this key: errors refuse the change, the rest is told.
pub(super) fn judge(
    home: &Home,
    environment: &HostEnvironment,
    key: &KeyPath,
    bytes: &[u8],
) -> Result<Vec<Finding>, ConfigError> {
    let file = variables_file(home, bytes)?;
    let tree = tree(&home.config_path(), bytes)?;
    let (_, findings) = read(&tree, Variables { environment, file: &file });
    let about = |finding: &Finding| {
        let (found, asked) = (finding.key.segments(), key.segments());
        matches!(finding.origin, Origin::File(_)) && (found.starts_with(asked) || asked.starts_with(found))
    };
    let (errors, warnings): (Vec<_>, Vec<_>) =
        findings.into_iter().filter(about).partition(|finding| finding.severity() == Severity::Error);
    errors.into_iter().next().map_or(Ok(warnings), |error| Err(ConfigError::Refused(error)))
}

/// Remembers a content that a running program could use.
pub(super) fn keep_if_good(home: &Home, environment: &HostEnvironment, bytes: &[u8]) {
    let Ok(file) = variables_file(home, bytes) else { return };
    let variables = Variables { environment, file: &file };
    if build(&home.config_path(), bytes, variables, &Overrides::none()).is_ok() {
        good_copy::remember(home, bytes);
    }
}

pub(super) fn not_edited(home: &Home, source: yaml::EditError) -> ConfigError {
    let path = home.config_path();
    match source {
        yaml::EditError::Parse(source) => ConfigError::Unreadable { path, source },
        source => ConfigError::NotEdited { path, source },
    }
}
