//! `auth.json`: the credentials that were given to Hermes, kept private (0600).
//!
//! The file also holds what other versions put there, so a change touches only its
//! own entry: unknown fields, their order and foreign providers survive. A file that
//! cannot be read or understood is an error, never an empty file: whoever is told
//! "not logged in" logs in again, and the old credentials are gone.

mod content;
mod error;
mod shape;
#[cfg(test)]
mod tests;
mod timestamp;

use std::time::SystemTime;

use super::{ApiKey, ProviderId};
use crate::Home;
use crate::files::{self, Change, Mode, UpdateError};

pub use content::{AuthFile, Login, NewKey, PoolEntry};
pub use error::AuthFileError;

/// The file's name in a home.
const NAME: &str = "auth.json";

/// Which stored credential is meant, even if the file changed since it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// An entry of the pool, under the key it is stored with.
    Pool { key: String, entry: PoolEntry },
    /// The state of a login, under the key it is stored with.
    Login { key: String },
}

/// The `auth.json` of this home; a missing one is empty.
pub fn load(home: &Home) -> Result<AuthFile, AuthFileError> {
    let path = home.auth_path();
    match files::read(&path)? {
        Some(bytes) => AuthFile::parse(&path, &bytes),
        None => Ok(AuthFile::default()),
    }
}

/// Stores a key; answers its label.
pub fn add(home: &Home, provider: &ProviderId, key: &ApiKey, new: &NewKey) -> Result<String, AuthFileError> {
    let mut label = String::new();
    change(home, |file| {
        label = file.add(provider, key, new)?;
        Ok(())
    })?;
    Ok(label)
}

/// Removes a stored credential.
pub fn remove(home: &Home, place: &Place) -> Result<(), AuthFileError> {
    change(home, |file| file.remove(place))
}

fn change(home: &Home, edit: impl FnOnce(&mut AuthFile) -> Result<(), AuthFileError>) -> Result<(), AuthFileError> {
    let path = home.auth_path();
    let outcome = files::update(home.path(), NAME, Mode::Private, |current| {
        let mut file = match current {
            Some(bytes) => AuthFile::parse(&path, bytes)?,
            None => AuthFile::default(),
        };
        edit(&mut file)?;
        Ok(Change::Replace(file.render(SystemTime::now())))
    });
    outcome.map_err(|error| match error {
        UpdateError::File(error) => AuthFileError::File(error),
        UpdateError::Refused(error) => error,
    })
}
