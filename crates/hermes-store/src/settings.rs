//! How SQLite treats the disk: `database.*` of config.yaml, checked.

use hermes_home::config::Database;
use hermes_proto::{Explain, Fault};

/// How the store's file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    pub journal: Journal,
    pub synchronous: Synchronous,
}

/// How a transaction is kept apart from the file until it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Journal {
    /// Readers and a writer do not wait for each other.
    #[default]
    Wal,
    /// For file systems that cannot share memory between processes, such as network mounts.
    Delete,
}

/// When a commit waits for the disk. A killed process loses nothing in any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// At checkpoints: a power failure may take the last commits, never more.
    #[default]
    Normal,
    /// At every commit.
    Full,
    /// At every commit, and for the folder too.
    Extra,
}

/// A word in `database.*` that the store does not accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("database.journal_mode is {0:?}, not wal or delete")]
    Journal(String),
    #[error("database.synchronous is {0:?}, not normal, full or extra")]
    Synchronous(String),
}

impl Settings {
    /// What the configuration says. Modes in which a killed process could lose or break something are refused.
    pub fn of(database: &Database) -> Result<Self, SettingsError> {
        let journal = match database.journal_mode.trim().to_ascii_lowercase().as_str() {
            "" | "wal" => Journal::Wal,
            "delete" => Journal::Delete,
            _ => return Err(SettingsError::Journal(database.journal_mode.clone())),
        };
        let synchronous = match database.synchronous.trim().to_ascii_lowercase().as_str() {
            "" | "normal" | "1" => Synchronous::Normal,
            "full" | "2" => Synchronous::Full,
            "extra" | "3" => Synchronous::Extra,
            _ => return Err(SettingsError::Synchronous(database.synchronous.clone())),
        };
        Ok(Self { journal, synchronous })
    }
}

impl Journal {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Wal => "wal",
            Self::Delete => "delete",
        }
    }
}

impl Synchronous {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Full => "full",
            Self::Extra => "extra",
        }
    }
}

impl Explain for SettingsError {
    fn fault(&self) -> Fault {
        Fault::Configuration
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Journal(_) => "hermes config set database.journal_mode wal".to_owned(),
            Self::Synchronous(_) => "hermes config set database.synchronous normal".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(journal_mode: &str, synchronous: &str) -> Result<Settings, SettingsError> {
        Settings::of(&Database { journal_mode: journal_mode.to_owned(), synchronous: synchronous.to_owned() })
    }

    #[test]
    fn words_of_the_configuration_are_checked() {
        assert_eq!(Settings::of(&Database::default()), Ok(Settings::default()));
        let durable = Settings { journal: Journal::Delete, synchronous: Synchronous::Full };
        assert_eq!(of("DELETE", " full"), Ok(durable));
        assert_eq!(of("memory", ""), Err(SettingsError::Journal("memory".to_owned())));
        assert_eq!(of("off", ""), Err(SettingsError::Journal("off".to_owned())));
        assert_eq!(of("wal", "off"), Err(SettingsError::Synchronous("off".to_owned())));
    }
}
