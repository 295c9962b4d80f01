//! What agents remember between sessions: two small files in the home, a list of entries each.
//!
//! The files go into every prompt, so whatever is written there speaks to all later sessions: what looks
//! like an instruction smuggled in is refused, and so is what cannot be seen.

use hermes_home::Home;
use hermes_home::config;
use hermes_home::files::{self, Change, FileError, Mode, UpdateError};
use hermes_proto::Explain;

/// Stands between two entries.
const SEPARATOR: &str = "\n§\n";

/// One of the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryFile {
    /// The agent's own notes.
    Notes,
    /// What is known about the user.
    User,
}

/// A change to one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryChange {
    Add {
        content: String,
    },
    /// The entry that contains `old` becomes `content`.
    Replace {
        old: String,
        content: String,
    },
    Remove {
        old: String,
    },
}

/// Why a memory was not changed. The text goes to the model.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error("content is empty")]
    Empty,
    #[error(
        "{kind} holds {used} of {limit} characters, and this would make it {would}: shorten or remove entries first"
    )]
    Full { kind: &'static str, used: usize, limit: usize, would: usize },
    #[error("no entry contains {old:?}")]
    NotFound { old: String },
    #[error("{count} entries contain {old:?}: give more of the one that is meant")]
    Ambiguous { old: String, count: usize },
    #[error("content is refused: {reason}")]
    Suspicious { reason: &'static str },
    #[error("file is not text")]
    NotText,
    #[error(transparent)]
    File(#[from] FileError),
}

impl Explain for MemoryError {}

impl MemoryFile {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Notes => "memories/MEMORY.md",
            Self::User => "memories/USER.md",
        }
    }

    /// As it is called in the tool's arguments.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Notes => "memory",
            Self::User => "user",
        }
    }

    pub fn limit(self, config: &config::Memory) -> usize {
        let limit = match self {
            Self::Notes => config.memory_char_limit,
            Self::User => config.user_char_limit,
        };
        usize::try_from(limit).unwrap_or(usize::MAX)
    }

    pub fn is_enabled(self, config: &config::Memory) -> bool {
        match self {
            Self::Notes => config.memory_enabled,
            Self::User => config.user_profile_enabled,
        }
    }

    /// The entries as they are now.
    pub fn read(self, home: &Home) -> Result<Vec<String>, MemoryError> {
        entries(files::read(&home.path().join(self.name()))?.as_deref())
    }

    /// Changes the file, and returns its entries as they are now.
    pub fn change(self, home: &Home, limit: usize, change: MemoryChange) -> Result<Vec<String>, MemoryError> {
        let mut kept = Vec::new();
        let outcome = files::update(home.path(), self.name(), Mode::Private, |current| {
            kept = changed(entries(current)?, change, self.kind(), limit)?;
            Ok(Change::Replace(kept.join(SEPARATOR).into_bytes()))
        });
        outcome.map(|()| kept).map_err(|error| match error {
            UpdateError::File(error) => error.into(),
            UpdateError::Refused(error) => error,
        })
    }
}

/// Characters that entries take up in the file.
pub fn characters(entries: &[String]) -> usize {
    let separators = entries.len().saturating_sub(1) * SEPARATOR.chars().count();
    entries.iter().map(|entry| entry.chars().count()).sum::<usize>() + separators
}

fn entries(content: Option<&[u8]>) -> Result<Vec<String>, MemoryError> {
    let text = std::str::from_utf8(content.unwrap_or_default()).map_err(|_| MemoryError::NotText)?;
    let entries = text.split(SEPARATOR).map(str::trim).filter(|entry| !entry.is_empty());
    Ok(entries.map(ToOwned::to_owned).collect())
}

fn changed(
    mut entries: Vec<String>,
    change: MemoryChange,
    kind: &'static str,
    limit: usize,
) -> Result<Vec<String>, MemoryError> {
    let used = characters(&entries);
    match change {
        MemoryChange::Add { content } => {
            let content = accepted(&content)?;
            if !entries.contains(&content) {
                entries.push(content);
            }
        }
        MemoryChange::Replace { old, content } => {
            let index = the_one(&entries, &old)?;
            entries[index] = accepted(&content)?;
        }
        MemoryChange::Remove { old } => {
            entries.remove(the_one(&entries, &old)?);
        }
    }
    let would = characters(&entries);
    if would > limit && would > used {
        return Err(MemoryError::Full { kind, used, limit, would });
    }
    Ok(entries)
}

/// The only entry that contains the text.
fn the_one(entries: &[String], old: &str) -> Result<usize, MemoryError> {
    let old = old.trim();
    if old.is_empty() {
        return Err(MemoryError::NotFound { old: String::new() });
    }
    let found: Vec<_> = (0..entries.len()).filter(|&index| entries[index].contains(old)).collect();
    match found.as_slice() {
        [] => Err(MemoryError::NotFound { old: old.to_owned() }),
        [index] => Ok(*index),
        several => Err(MemoryError::Ambiguous { old: old.to_owned(), count: several.len() }),
    }
}

/// The content as it is stored, if it may be.
fn accepted(content: &str) -> Result<String, MemoryError> {
    let content = content.trim();
    if content.is_empty() {
        return Err(MemoryError::Empty);
    }
    if content.contains('§') {
        return Err(MemoryError::Suspicious { reason: "§ stands between entries" });
    }
    match crate::injection::suspicion(content) {
        Some(reason) => Err(MemoryError::Suspicious { reason }),
        None => Ok(content.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryChange, MemoryError, changed};

    fn add(content: &str) -> MemoryChange {
        MemoryChange::Add { content: content.to_owned() }
    }

    fn check(entries: &[&str], change: MemoryChange, expected: Result<&[&str], &str>) {
        let entries = entries.iter().map(|&entry| entry.to_owned()).collect();
        let outcome = changed(entries, change, "memory", 30).map_err(|error: MemoryError| error.to_string());
        let expected = expected.map(|kept| kept.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>());
        assert_eq!(outcome, expected.map_err(str::to_owned));
    }

    #[test]
    fn entries_are_added_once_replaced_and_removed() {
        check(&[], add(" likes tea \n"), Ok(&["likes tea"]));
        check(&["likes tea"], add("likes tea"), Ok(&["likes tea"]));
        let replace =
            |old: &str, content: &str| MemoryChange::Replace { old: old.to_owned(), content: content.to_owned() };
        check(&["likes tea", "has a dog"], replace("tea", "likes coffee"), Ok(&["likes coffee", "has a dog"]));
        check(&["likes tea", "has a dog"], MemoryChange::Remove { old: "dog".to_owned() }, Ok(&["likes tea"]));
    }

    #[test]
    fn what_cannot_be_done_says_how_to_do_better() {
        check(&[], add("  "), Err("content is empty"));
        check(
            &["a tea", "b tea"],
            MemoryChange::Remove { old: "tea".to_owned() },
            Err("2 entries contain \"tea\": give more of the one that is meant"),
        );
        check(&["a"], MemoryChange::Remove { old: "tea".to_owned() }, Err("no entry contains \"tea\""));
        check(&["a"], MemoryChange::Remove { old: " ".to_owned() }, Err("no entry contains \"\""));
        check(
            &["twelve chars"],
            add("and twenty more of them"),
            Err("memory holds 12 of 30 characters, and this would make it 38: shorten or remove entries first"),
        );
        check(&[], add("a § b"), Err("content is refused: § stands between entries"));
    }

    #[test]
    fn a_memory_that_is_too_full_can_still_shrink() {
        let long = "a long entry that is over the limit of thirty";
        let change = MemoryChange::Replace {
            old: "long".to_owned(),
            content: "over the limit of thirty chars, still".to_owned(),
        };
        check(&[long], change, Ok(&["over the limit of thirty chars, still"]));
    }
}
