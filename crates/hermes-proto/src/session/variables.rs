//! The session variables of one turn, each in one of three states.
//!
//! "Never bound here" and "bound to empty" used to be told apart by luck, and a value
//! that was never bound here was looked up in the process, where another chat's
//! value stood. Here all three states are spelled out and nothing is looked up.

use super::variable::SessionVariable;

/// The state of one session variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Binding {
    /// Never bound in this turn.
    #[default]
    Unset,
    /// Bound to nothing: present in a child, and empty.
    Cleared,
    /// Bound to this text.
    Set(String),
}

/// Longest value that is passed on; platforms hand us untrusted text.
const LONGEST_VALUE: usize = 8 * 1024;

/// All session variables of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionVariables([Binding; SessionVariable::ALL.len()]);

impl SessionVariables {
    /// The state between the arrival of a message and its own binding.
    pub fn unset() -> Self {
        Self(std::array::from_fn(|_| Binding::Unset))
    }

    /// The variables of a message whose session is known: what it says, everything else
    /// cleared, so that nothing of an earlier message can show through.
    pub fn bound(values: impl IntoIterator<Item = (SessionVariable, String)>) -> Self {
        let mut variables = Self(std::array::from_fn(|index| {
            if SessionVariable::ALL[index].is_cleared_by_binding() { Binding::Cleared } else { Binding::Unset }
        }));
        for (variable, value) in values {
            variables.0[variable as usize] = binding_of(value);
        }
        variables
    }

    pub fn get(&self, variable: SessionVariable) -> &Binding {
        &self.0[variable as usize]
    }

    /// The text of a bound variable; `None` when it is unset or cleared.
    pub fn text(&self, variable: SessionVariable) -> Option<&str> {
        match self.get(variable) {
            Binding::Set(text) => Some(text),
            Binding::Unset | Binding::Cleared => None,
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (SessionVariable, &Binding)> {
        SessionVariable::ALL.into_iter().zip(&self.0)
    }
}

/// A value a child's environment can carry: no NUL, bounded, cut at a character.
fn binding_of(mut value: String) -> Binding {
    value.retain(|character| character != '\0');
    if value.len() > LONGEST_VALUE {
        value.truncate(value.floor_char_boundary(LONGEST_VALUE));
    }
    if value.is_empty() { Binding::Cleared } else { Binding::Set(value) }
}

#[cfg(test)]
mod tests {
    use super::{Binding, LONGEST_VALUE, SessionVariable, SessionVariables};

    #[test]
    fn every_variable_is_stored_in_its_own_place() {
        for (index, variable) in SessionVariable::ALL.into_iter().enumerate() {
            assert_eq!(variable as usize, index, "{variable:?}");
            assert_eq!(SessionVariable::from_name(variable.name()), Some(variable));
            let bound = SessionVariables::bound([(variable, "x".to_owned())]);
            assert_eq!(bound.text(variable), Some("x"));
            assert_eq!(bound.iter().filter(|(_, binding)| matches!(binding, Binding::Set(_))).count(), 1);
        }
    }

    #[test]
    fn binding_clears_what_the_message_does_not_say_but_not_the_cron_marker() {
        let bound = SessionVariables::bound([(SessionVariable::ChatId, "7".to_owned())]);
        assert_eq!(bound.get(SessionVariable::UserId), &Binding::Cleared);
        assert_eq!(bound.get(SessionVariable::Cron), &Binding::Unset);
    }

    #[test]
    fn hostile_values_are_made_fit_for_an_environment() {
        let bind = |text: String| SessionVariables::bound([(SessionVariable::ChatName, text)]);
        assert_eq!(bind("a\0b".to_owned()).text(SessionVariable::ChatName), Some("ab"));
        assert_eq!(bind("\0".to_owned()).get(SessionVariable::ChatName), &Binding::Cleared);
        let long = bind("ä".repeat(LONGEST_VALUE));
        assert!(long.text(SessionVariable::ChatName).unwrap().len() <= LONGEST_VALUE);
    }
}
