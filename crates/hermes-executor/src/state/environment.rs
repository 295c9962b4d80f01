//! What the session's commands exported, apart from what each command is given.
//!
//! Kept is the difference, not the result: a command's own environment is computed anew for
//! every turn, and a session variable of one turn must never reach the next through the shell.

use std::collections::{BTreeMap, BTreeSet};

use hermes_proto::session::SessionVariable;

use super::declarations::{Declared, is_name};

/// Names and values as bytes.
pub(crate) type Variables = BTreeMap<Vec<u8>, Vec<u8>>;

/// The kernel passes no longer `NAME=value` on.
const LONGEST_VARIABLE: usize = 128 * 1024 - 1;

/// Names that the shell sets by itself, that would make shell options outlive their command, or
/// that our own script uses.
const NEVER_KEPT: [&[u8]; 7] =
    [b"PWD", b"OLDPWD", b"SHLVL", b"_", b"SHELLOPTS", b"BASHOPTS", super::STATUS_VARIABLE.as_bytes()];

/// What later commands find changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Delta {
    set: Variables,
    unset: BTreeSet<Vec<u8>>,
}

impl Delta {
    /// Changes a command's environment as earlier commands of the session asked for.
    pub(crate) fn apply(&self, environment: &mut Variables) {
        for name in &self.unset {
            if !is_session(name) {
                environment.remove(name);
            }
        }
        for (name, value) in &self.set {
            if !is_session(name) {
                environment.insert(name.clone(), value.clone());
            }
        }
    }

    /// Learns what a command changed: its environment at its start against what it
    /// exported at its end. Returns the names that are too long to be kept.
    pub(super) fn learn(&mut self, before: &Variables, after: Vec<Declared>) -> Vec<Vec<u8>> {
        let after: BTreeMap<_, _> = after.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        for name in before.keys().filter(|name| is_kept(name) && !after.contains_key(*name)) {
            self.set.remove(name);
            self.unset.insert(name.clone());
        }
        let mut refused = Vec::new();
        for (name, value) in after {
            if !is_kept(&name) || before.get(&name) == Some(&value) {
                continue;
            }
            if name.len() + value.len() >= LONGEST_VARIABLE {
                refused.push(name);
                continue;
            }
            self.unset.remove(&name);
            self.set.insert(name, value);
        }
        refused
    }
}

/// Whether a name may be kept between commands.
fn is_kept(name: &[u8]) -> bool {
    is_name(name) && !NEVER_KEPT.contains(&name) && !is_session(name)
}

fn is_session(name: &[u8]) -> bool {
    str::from_utf8(name).is_ok_and(|name| SessionVariable::from_name(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::{Delta, LONGEST_VARIABLE, Variables};

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
    }

    /// What the next command sees, if a command was given `given` and left `left`.
    fn next(given: &[(&str, &str)], left: &[(&str, &str)], next_given: &[(&str, &str)]) -> Variables {
        let mut delta = Delta::default();
        let left = variables(left).into_iter().map(|(name, value)| (name, Some(value))).collect();
        delta.learn(&variables(given), left);
        let mut environment = variables(next_given);
        delta.apply(&mut environment);
        environment
    }

    #[test]
    fn changes_are_kept_and_the_rest_is_given_anew() {
        let seen = next(&[("A", "1"), ("B", "1")], &[("A", "1"), ("B", "2"), ("C", "3")], &[("A", "9"), ("B", "9")]);
        assert_eq!(seen, variables(&[("A", "9"), ("B", "2"), ("C", "3")]));
    }

    #[test]
    fn what_was_unset_stays_unset() {
        assert_eq!(next(&[("A", "1")], &[], &[("A", "2"), ("B", "3")]), variables(&[("B", "3")]));
    }

    #[test]
    fn session_variables_are_always_this_turns() {
        let given = [("HERMES_SESSION_KEY", "one")];
        let forged = [("HERMES_SESSION_KEY", "forged"), ("HERMES_SESSION_CHAT_ID", "forged")];
        assert_eq!(
            next(&given, &forged, &[("HERMES_SESSION_KEY", "two")]),
            variables(&[("HERMES_SESSION_KEY", "two")])
        );
        assert_eq!(next(&given, &[], &[("HERMES_SESSION_KEY", "two")]), variables(&[("HERMES_SESSION_KEY", "two")]));
    }

    #[test]
    fn the_shells_own_names_are_not_kept() {
        let left = [("PWD", "/x"), ("OLDPWD", "/"), ("SHLVL", "2"), ("_", "x"), ("SHELLOPTS", "xtrace"), ("A", "1")];
        assert_eq!(next(&[("PWD", "/y")], &left, &[("PWD", "/z")]), variables(&[("A", "1"), ("PWD", "/z")]));
    }

    #[test]
    fn a_later_command_changes_its_mind() {
        let mut delta = Delta::default();
        delta.learn(&variables(&[]), vec![(b"A".to_vec(), Some(b"1".to_vec()))]);
        delta.learn(&variables(&[("A", "1")]), vec![]);
        let mut environment = variables(&[("A", "given")]);
        delta.apply(&mut environment);
        assert_eq!(environment, variables(&[]));
        delta.learn(&variables(&[]), vec![(b"A".to_vec(), Some(b"2".to_vec()))]);
        delta.apply(&mut environment);
        assert_eq!(environment, variables(&[("A", "2")]));
    }

    #[test]
    fn what_no_program_could_be_started_with_is_refused() {
        let mut delta = Delta::default();
        let refused = delta.learn(&variables(&[]), vec![(b"A".to_vec(), Some(vec![b'x'; LONGEST_VARIABLE]))]);
        assert_eq!((refused, delta), (vec![b"A".to_vec()], Delta::default()));
    }
}
