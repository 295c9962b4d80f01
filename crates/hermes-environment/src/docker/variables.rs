//! The variables of commands in a container.
//!
//! What configuration sets stands on `docker run` for all to see; what is forwarded from the
//! host may be secret and travels only over the link, with each command, as it is at that
//! moment. A provider's credential is forwarded only if the operator named it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hermes_home::dotenv::{self, EnvFile};
use hermes_home::{Home, config::Terminal};
use hermes_policy::environment::{Configured, child_environment, is_credential};
use hermes_proto::HostEnvironment;
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::TurnContext;
use serde_json::Value;

use crate::environment::TurnVariables;

/// Names and values, sorted.
pub type Variables = BTreeMap<String, String>;

/// The variables of `docker_env` that are any: valid names, values that are one word.
pub fn normalized(configured: &Value) -> Variables {
    let Some(map) = configured.as_object() else { return Variables::new() };
    let usable = map.iter().filter(|(name, _)| is_name(name));
    usable.filter_map(|(name, value)| Some((name.clone(), scalar(value)?))).collect()
}

/// As the original writes it: a flag is a word with a capital.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.replace('\0', "")),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) => Some("False".to_owned()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Which variables of the host commands get.
#[derive(Debug, Clone, Default)]
pub struct ForwardedNames(Vec<String>);

impl ForwardedNames {
    pub fn of(terminal: &Terminal) -> Self {
        let explicit = terminal.docker_forward_env.iter().map(|name| name.trim());
        let passed = terminal.env_passthrough.iter().map(|name| name.trim()).filter(|name| !is_credential(name));
        Self::new(explicit.chain(passed))
    }

    /// Valid names, each once. Session variables are each turn's own and never forwarded.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut kept: Vec<String> = Vec::new();
        for name in names {
            if is_name(name) && SessionVariable::from_name(name).is_none() && !kept.iter().any(|known| known == name) {
                kept.push(name.to_owned());
            }
        }
        Self(kept)
    }
}

/// What is sent with a command: configuration, and above it what is forwarded, from the
/// process's environment or else from `.env`.
pub fn sent(configured: &Variables, names: &ForwardedNames, host: &HostEnvironment, dotenv: &EnvFile) -> Variables {
    let mut sent = configured.clone();
    for name in &names.0 {
        if let Some(value) = host.text(name).or_else(|| dotenv.get(name)) {
            sent.insert(name.clone(), value.replace('\0', ""));
        }
    }
    sent
}

/// Computes what a command of a turn is sent.
#[derive(Debug, Clone)]
pub(super) struct ContainerVariables {
    pub(super) configured: Variables,
    pub(super) names: ForwardedNames,
    pub(super) host: Arc<HostEnvironment>,
    pub(super) home: Home,
}

impl TurnVariables for ContainerVariables {
    fn variables(&self, turn: &TurnContext) -> Vec<(String, String)> {
        let dotenv = dotenv::load(&self.home).unwrap_or_else(|error| {
            tracing::warn!(%error, "nothing is forwarded from .env");
            EnvFile::default()
        });
        let mut variables = sent(&self.configured, &self.names, &self.host, &dotenv);
        variables.extend(session_variables(&self.host, turn));
        variables.into_iter().collect()
    }
}

/// The turn's own; nothing else of the host is inherited in a container.
fn session_variables(host: &HostEnvironment, turn: &TurnContext) -> Variables {
    let own = SessionVariable::ALL.iter().filter_map(|one| host.get(one.name()).map(|value| (one.name(), value)));
    child_environment(&HostEnvironment::from_pairs(own), &Configured::default(), turn).variables
}
