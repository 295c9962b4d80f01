//! The newest content of config.yaml that was good: what a running program goes on
//! with when somebody breaks the file.

use std::convert::Infallible;
use std::path::PathBuf;

use crate::Home;
use crate::files::{self, Change, Mode};

const NAME: &str = "backups/config.yaml.good";

pub(super) fn path(home: &Home) -> PathBuf {
    home.path().join(NAME)
}

/// Keeps this content. It is private, because the file may hold secrets.
///
/// A copy that cannot be written is not worth failing for: the configuration itself
/// is fine, and the next one that is may be kept again.
pub(super) fn remember(home: &Home, bytes: &[u8]) {
    let outcome = files::update::<Infallible>(home.path(), NAME, Mode::Private, |current| {
        Ok(if current == Some(bytes) { Change::Keep } else { Change::Replace(bytes.to_vec()) })
    });
    if let Err(error) = outcome {
        tracing::warn!("no copy of the configuration was kept: {error}");
    }
}
