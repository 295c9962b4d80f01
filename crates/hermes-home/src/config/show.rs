//! The configuration in force, for people and scripts to look at.

use serde_json::Value as Json;

use super::load::tree;
use super::mask::mask;
use super::reader::{Variables, read};
use super::setting::Setting;
use super::{ConfigError, Finding, Severity};
use crate::{Home, dotenv, files};
use hermes_proto::HostEnvironment;

/// Every setting with the value in force, then what else the file holds; secrets
/// masked. A file with errors is not in force, so it is refused.
pub fn show(home: &Home, environment: &HostEnvironment) -> Result<Json, ConfigError> {
    let path = home.config_path();
    let bytes = files::read(&path)?.unwrap_or_default();
    let file = dotenv::load(home)?;
    let tree = tree(&path, &bytes)?;
    let (config, findings) = read(&tree, Variables { environment, file: &file });
    if findings.iter().map(Finding::severity).any(|severity| severity == Severity::Error) {
        return Err(ConfigError::Invalid { path, findings });
    }
    let mut shown = config.to_json();
    add_missing(&mut shown, tree.to_json());
    mask(&mut shown);
    Ok(shown)
}

/// Adds what only the file has; what both have stays as it is in force.
fn add_missing(shown: &mut Json, file: Json) {
    let (Json::Object(shown), Json::Object(file)) = (shown, file) else { return };
    for (key, value) in file {
        match shown.get_mut(&key) {
            Some(present) => add_missing(present, value),
            None => {
                shown.insert(key, value);
            }
        }
    }
}
