//! The files of `pairing/` in a home: JSON, private, replaced as a whole under a lock.

use std::path::Path;

use hermes_home::files::{self, Change, Mode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::PairingError;

pub(super) const FOLDER: &str = "pairing";

/// What a file holds; its default if there is none.
pub(super) fn read<T: DeserializeOwned + Default>(home: &Path, file: &str) -> Result<T, PairingError> {
    match files::read(&home.join(FOLDER).join(file))? {
        Some(bytes) => parse(file, &bytes),
        None => Ok(T::default()),
    }
}

/// Changes a file; what `change` answers. It is on disk when this returns. Nothing is written if `change` fails or changes nothing.
pub(super) fn update<T, A>(
    home: &Path,
    file: &str,
    change: impl FnOnce(&mut T) -> Result<A, PairingError>,
) -> Result<A, PairingError>
where
    T: Serialize + DeserializeOwned + Default + Clone + PartialEq,
{
    let mut answer = None;
    files::update(home, &format!("{FOLDER}/{file}"), Mode::Private, |bytes| {
        let before: T = bytes.map_or_else(|| Ok(T::default()), |bytes| parse(file, bytes))?;
        let mut after = before.clone();
        answer = Some(change(&mut after)?);
        if after == before {
            return Ok(Change::Keep);
        }
        let unwritable =
            |error: serde_json::Error| PairingError::Unwritable { file: file.to_owned(), problem: error.to_string() };
        Ok(Change::Replace(serde_json::to_vec_pretty(&after).map_err(unwritable)?))
    })?;
    answer.ok_or_else(|| PairingError::Unwritable { file: file.to_owned(), problem: "nothing was decided".to_owned() })
}

fn parse<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, PairingError> {
    let unreadable =
        |error: serde_json::Error| PairingError::Unreadable { file: file.to_owned(), problem: error.to_string() };
    serde_json::from_slice(bytes).map_err(unreadable)
}
