//! The environment of a shell, before the session's own changes to it.

use hermes_proto::session::SessionVariable;

use crate::state::Variables;

/// Set unless somebody already did: tells programs that an agent runs them, keeps those that page
/// from waiting for a key, and spares bash a search through the user database at every start.
const DEFAULTS: [(&str, &str); 5] = [
    ("AI_AGENT", "hermes-agent"),
    ("HERMES_AGENT", "true"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("SHELL", "/bin/bash"),
];

/// Would tell the shell where it is or which options it has; it knows better.
const LEFT_OUT: [&str; 6] = ["PWD", "OLDPWD", "SHLVL", "_", "SHELLOPTS", "BASHOPTS"];

/// From the executor's own environment, if it is kept, and what the turn computed.
pub(crate) fn given(own: &Variables, turn: &[(String, String)]) -> Variables {
    let mut environment = own.clone();
    // The session variables of whoever started a container are not this turn's.
    for variable in SessionVariable::ALL {
        environment.remove(variable.name().as_bytes());
    }
    environment.extend(turn.iter().map(|(name, value)| (name.clone().into_bytes(), value.clone().into_bytes())));
    for name in LEFT_OUT {
        environment.remove(name.as_bytes());
    }
    for (name, value) in DEFAULTS {
        environment.entry(name.into()).or_insert_with(|| value.into());
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::given;
    use crate::state::Variables;

    #[test]
    fn the_turn_wins_and_defaults_fill_gaps() {
        let own: Variables = [("A", "own"), ("B", "own"), ("HERMES_SESSION_KEY", "somebody"), ("PWD", "/")]
            .map(|(name, value)| (name.into(), value.into()))
            .into();
        let environment = given(&own, &[("B".into(), "turn".into()), ("PAGER".into(), "less".into())]);
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(environment.get(name.as_bytes()).map(Vec::as_slice), expected.map(str::as_bytes), "{name}");
        };
        check("A", Some("own"));
        check("B", Some("turn"));
        check("PAGER", Some("less"));
        check("GIT_PAGER", Some("cat"));
        check("AI_AGENT", Some("hermes-agent"));
        check("HERMES_SESSION_KEY", None);
        check("PWD", None);
    }
}
