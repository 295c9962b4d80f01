//! How rules and wrappers look at the arguments of a command.

use super::event::{Field, Simple};

impl Simple {
    pub(crate) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// The texts of all arguments.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        self.arguments.iter().map(|field| field.text.as_str())
    }

    /// One of these words is an argument.
    pub(crate) fn has(&self, words: &[&str]) -> bool {
        self.texts().any(|text| words.contains(&text))
    }

    /// Short flags such as `-rf`: a cluster before `--` that holds this letter.
    pub(crate) fn has_letter(&self, letter: char) -> bool {
        self.before_end().any(|text| is_cluster(text) && text[1..].contains(letter))
    }

    /// A long flag, also with `=value`, also abbreviated down to `shortest`.
    pub(crate) fn has_long(&self, name: &str, shortest: usize) -> bool {
        self.before_end().any(|text| {
            let given = text.split('=').next().unwrap_or_default();
            given.len() >= shortest && given.starts_with("--") && name.starts_with(given)
        })
    }

    /// The value of an option, given as `-o value`, `-ovalue`, `--option value` or `--option=value`.
    pub(crate) fn value_of(&self, option: &str) -> Option<&str> {
        let mut texts = self.texts();
        while let Some(text) = texts.next() {
            if text == option {
                return texts.next();
            }
            let rest = text.strip_prefix(option);
            match rest {
                Some(rest) if option.starts_with("--") => {
                    if let Some(value) = rest.strip_prefix('=') {
                        return Some(value);
                    }
                }
                Some(rest) if option.len() == 2 => return Some(rest),
                // `-qc text`
                _ if option.len() == 2 && is_cluster(text) && text.ends_with(&option[1..]) => return texts.next(),
                _ => {}
            }
        }
        None
    }

    /// Arguments that are no flags, and everything after `--`.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Field> {
        let mut ended = false;
        self.arguments.iter().filter(move |field| {
            if ended {
                return true;
            }
            if field.text == "--" {
                ended = true;
                return false;
            }
            !field.text.starts_with('-') || field.text == "-"
        })
    }

    /// The n-th operand's text: subcommands are found so.
    pub(crate) fn operand(&self, index: usize) -> Option<&str> {
        self.operands().nth(index).map(|field| field.text.as_str())
    }

    fn before_end(&self) -> impl Iterator<Item = &str> {
        self.texts().take_while(|text| *text != "--")
    }
}

/// `-rf`, not `--force`, not `-`.
pub(crate) fn is_cluster(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && !text.starts_with("--")
}
