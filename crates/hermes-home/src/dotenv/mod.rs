//! The `.env` file of a home: reading it, and changes that keep everything else.
//!
//! People edit this file by hand, python-dotenv reads it and shells source it. It
//! is therefore never rewritten as a whole: a change touches the line it is about,
//! and a line that cannot be understood is reported and kept.

mod decode;
mod file;
mod parse;
mod problem;
mod quote;
mod scan;

use hermes_proto::{Explain, Fault};

use crate::Home;
use crate::files::{self, Change, FileError, Mode, UpdateError};

pub use file::{EditError, EnvFile};
pub use problem::{Problem, What};
pub(crate) use quote::quote;

/// The file's name in a home.
const NAME: &str = ".env";

/// A `.env` that could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum DotenvError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl Explain for DotenvError {
    fn fault(&self) -> Fault {
        match self {
            Self::File(error) => error.fault(),
            Self::Edit(error) => error.fault(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Edit(error) => error.hint(),
        }
    }
}

impl From<UpdateError<EditError>> for DotenvError {
    fn from(error: UpdateError<EditError>) -> Self {
        match error {
            UpdateError::File(error) => Self::File(error),
            UpdateError::Refused(error) => Self::Edit(error),
        }
    }
}

/// The `.env` of this home; a missing one is empty.
pub fn load(home: &Home) -> Result<EnvFile, DotenvError> {
    let bytes = files::read(&home.env_path())?;
    Ok(EnvFile::from_bytes(&bytes.unwrap_or_default()))
}

/// Sets one variable, creating the file (0600) if there is none.
pub fn set(home: &Home, name: &str, value: &str) -> Result<(), DotenvError> {
    files::update(home.path(), NAME, Mode::Private, |current| {
        let mut file = EnvFile::from_bytes(current.unwrap_or_default());
        file.set(name, value)?;
        Ok(replacing(current, &file))
    })?;
    Ok(())
}

/// Removes one variable, every line of it; answers whether there was one.
pub fn unset(home: &Home, name: &str) -> Result<bool, DotenvError> {
    let mut found = false;
    files::update(home.path(), NAME, Mode::Private, |current| {
        let mut file = EnvFile::from_bytes(current.unwrap_or_default());
        found = file.unset(name)?;
        Ok(if found { replacing(current, &file) } else { Change::Keep })
    })?;
    Ok(found)
}

fn replacing(current: Option<&[u8]>, file: &EnvFile) -> Change {
    let bytes = file.to_bytes();
    if current == Some(bytes.as_slice()) { Change::Keep } else { Change::Replace(bytes) }
}

#[cfg(test)]
mod tests;
