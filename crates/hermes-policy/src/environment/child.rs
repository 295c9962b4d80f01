//! The environment of one child: the one function that computes it.
//!
//! From empty: allowed host names, then configuration, then this turn's session variables,
//! which win. Nothing is ever subtracted from a full environment, because what one forgets to
//! subtract is a leak; and no session variable comes from anywhere but this turn once
//! the process hosts sessions. (Invariants 1, 2 and 7.)

use std::collections::BTreeMap;

use hermes_proto::HostEnvironment;
use hermes_proto::session::{Binding, SessionVariable};
use hermes_proto::turn::TurnContext;

use super::blocklist::{is_credential, looks_like_a_secret};
use super::inherited::is_inherited;

/// What the operator's configuration adds.
#[derive(Debug, Clone, Default)]
pub struct Configured {
    /// Host names that commands may inherit besides the built-in ones.
    pub passthrough: Vec<String>,
    /// Variables with their values.
    pub variables: Vec<(String, String)>,
}

impl Configured {
    /// The names that no command will get, whatever the turn.
    pub fn refusals(&self) -> Vec<Refusal> {
        let variables = self.variables.iter().map(|(name, _)| name);
        self.passthrough.iter().chain(variables).filter_map(|name| refusal(name)).collect()
    }
}

/// A name that configuration asked for and does not get.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{0} is a credential of Hermes and is not passed to commands")]
    Credential(String),
    #[error("{0:?} is not the name of a variable")]
    Name(String),
    #[error("{0} is a session variable; each turn sets its own")]
    Session(String),
}

/// The result: what the child gets, and what configuration asked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildEnvironment {
    pub variables: BTreeMap<String, String>,
    pub refusals: Vec<Refusal>,
}

/// Computes what a command of this turn sees.
pub fn child_environment(host: &HostEnvironment, configured: &Configured, turn: &TurnContext) -> ChildEnvironment {
    let mut child = ChildEnvironment { variables: BTreeMap::new(), refusals: configured.refusals() };
    for (name, value) in host.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?))) {
        if is_inherited(name) && !is_credential(name) && !looks_like_a_secret(name) {
            child.variables.insert(name.to_owned(), value.to_owned());
        }
    }
    for name in &configured.passthrough {
        if let (None, Some(value)) = (refusal(name), host.text(name)) {
            child.variables.insert(name.clone(), value.to_owned());
        }
    }
    for (name, value) in &configured.variables {
        if refusal(name).is_none() {
            child.variables.insert(name.clone(), value.replace('\0', ""));
        }
    }
    bind_session(&mut child.variables, host, turn);
    child
}

fn refusal(name: &str) -> Option<Refusal> {
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Some(Refusal::Name(name.to_owned()));
    }
    if SessionVariable::from_name(name).is_some() {
        return Some(Refusal::Session(name.to_owned()));
    }
    is_credential(name).then(|| Refusal::Credential(name.to_owned()))
}

/// A bound variable is present, an unset one is absent; only a program that never hosted a
/// session passes on what it was itself started with.
fn bind_session(variables: &mut BTreeMap<String, String>, host: &HostEnvironment, turn: &TurnContext) {
    for (variable, binding) in turn.variables().iter() {
        let value = match binding {
            Binding::Set(value) => Some(value.clone()),
            Binding::Cleared => Some(String::new()),
            Binding::Unset if turn.is_hosted() => None,
            Binding::Unset => host.text(variable.name()).map(str::to_owned),
        };
        match value {
            Some(value) => drop(variables.insert(variable.name().to_owned(), value)),
            None => drop(variables.remove(variable.name())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Configured, Refusal, child_environment};
    use hermes_proto::HostEnvironment;
    use hermes_proto::consent::NobodyToAsk;
    use hermes_proto::session::SessionVariable;
    use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
    use std::sync::Arc;

    fn host() -> HostEnvironment {
        HostEnvironment::from_pairs([
            ("PATH", "/bin"),
            ("OPENAI_API_KEY", "sk-1"),
            ("MY_APP_MODE", "fast"),
            ("MY_APP_TOKEN", "t"),
            ("HERMES_SESSION_CHAT_ID", "FOREIGN"),
            ("LC_SECRET_KEY", "x"),
        ])
    }

    fn turn(hosting: &Hosting) -> TurnContext {
        TurnContext::arrived(hosting, Edge::new(Surface::Headless, Arc::new(NobodyToAsk)))
    }

    #[test]
    fn only_allowed_names_are_inherited() {
        let child = child_environment(&host(), &Configured::default(), &turn(&Hosting::new()));
        let names: Vec<_> = child.variables.keys().map(String::as_str).collect();
        assert_eq!(names, ["HERMES_SESSION_CHAT_ID", "PATH"]);
    }

    #[test]
    fn passthrough_opens_other_names_but_no_credential_and_says_so() {
        let passthrough = ["MY_APP_MODE", "MY_APP_TOKEN", "openai_api_key", "A-B", "HERMES_SESSION_KEY", "UNSET_NAME"];
        let configured = Configured { passthrough: passthrough.map(str::to_owned).to_vec(), variables: Vec::new() };
        let child = child_environment(&host(), &configured, &turn(&Hosting::new()));
        assert_eq!(child.variables["MY_APP_MODE"], "fast");
        assert_eq!(child.variables["MY_APP_TOKEN"], "t");
        assert_eq!(
            child.refusals,
            [
                Refusal::Credential("openai_api_key".to_owned()),
                Refusal::Name("A-B".to_owned()),
                Refusal::Session("HERMES_SESSION_KEY".to_owned()),
            ]
        );
    }

    #[test]
    fn configuration_beats_the_host_and_the_session_beats_both() {
        let variables = vec![("PATH".to_owned(), "/opt/bin".to_owned()), ("X".to_owned(), "a\0b".to_owned())];
        let configured = Configured { passthrough: Vec::new(), variables };
        let bound = turn(&Hosting::new()).bind([(SessionVariable::ChatId, "OWN".to_owned())], Delivery::Unset);
        let child = child_environment(&host(), &configured, &bound);
        assert_eq!(child.variables["PATH"], "/opt/bin");
        assert_eq!(child.variables["X"], "ab");
        assert_eq!(child.variables["HERMES_SESSION_CHAT_ID"], "OWN");
        assert_eq!(child.variables["HERMES_SESSION_USER_ID"], "");
    }

    #[test]
    fn once_sessions_are_hosted_an_unset_variable_is_absent_whatever_the_process_has() {
        let hosting = Hosting::new();
        let before = child_environment(&host(), &Configured::default(), &turn(&hosting));
        assert_eq!(before.variables["HERMES_SESSION_CHAT_ID"], "FOREIGN");
        drop(turn(&hosting).bind([], Delivery::Unset));
        let after = child_environment(&host(), &Configured::default(), &turn(&hosting));
        assert!(!after.variables.contains_key("HERMES_SESSION_CHAT_ID"));
    }
}
