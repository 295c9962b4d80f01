//! The process's environment, read once at start and passed on as a value.
//!
//! Code that asks the process for a variable wherever it happens to be is how one
//! session's settings reached another; clippy forbids it everywhere but here.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What the process was started with.
#[derive(Debug, Clone)]
pub struct HostEnvironment(BTreeMap<OsString, OsString>);

impl HostEnvironment {
    /// Reads the process's environment. Called once, by `main`.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads it")]
    pub fn capture() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// An environment made of these variables, for tests and for derived ones.
    pub fn from_pairs<K: Into<OsString>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// The value as text; a value that is not UTF-8 counts as absent.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(OsStr::to_str)
    }

    /// A path from a variable; set but empty counts as absent.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}
