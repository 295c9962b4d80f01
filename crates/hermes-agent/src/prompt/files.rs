//! Text of files on its way into the prompt: bounded, and looked at for words that are meant for the model alone.

use hermes_home::Home;
use hermes_home::files::{self, FileError};

use crate::injection::suspicion;
use crate::turn::shorten_text;

/// Characters of one file.
pub(super) const LARGEST: usize = 20_000;

/// The text of a file of the home, if there is one.
pub(super) fn home_file(home: &Home, name: &str) -> Result<Option<String>, FileError> {
    let bytes = files::read(&home.path().join(name))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The text as it may enter the prompt, or a notice in its place.
pub(super) fn cleaned(name: &str, text: &str) -> String {
    // An editor's mark at the start of a file is no attack.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(reason) = suspicion(text) {
        tracing::warn!(file = name, reason, "a file was kept out of the prompt");
        return format!("[{name} was left out: {reason}]");
    }
    let mut text = text.trim().to_owned();
    shorten_text(&mut text, LARGEST);
    text
}
