//! The verdict on a file that a file tool would write.
//!
//! Hazard: two ways to write the same file, of which one asks. The write is judged as what a
//! shell's `> path` is judged as, by the same table, so the two cannot part. Only the text of
//! the path is looked at: where a link in it leads is for who opens it.

use crate::shell::{Event, Field, Place, Redirect, Simple, join};
use crate::{Context, Findings, Verdict};

/// What policy says about writing this file. The path is as the file tools take it: relative to
/// the folder, `~` is the home, anything else stands for itself.
pub fn judge_file_write(path: &str, context: &Context) -> Verdict {
    file_write_findings(path, context).verdict()
}

/// The same with everything that was found. Its text is the shell's way to say this write, so
/// that one grant covers both.
pub fn file_write_findings(path: &str, context: &Context) -> Findings {
    let place = Place::new(context);
    let path = absolute(path, &place);
    let redirect = Redirect { target: Field::new(path.clone()), writes: true, duplicates: false };
    let folder = place.folder().map(ToOwned::to_owned);
    let command = Simple { redirects: vec![redirect], folder, ..Simple::default() };
    Findings::of(format!("> {}", quoted(&path)), vec![Event::Command(command.into())], &place)
}

fn absolute(path: &str, place: &Place) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => join(None, &format!("{}{rest}", place.home())),
        // A file whose name begins with a tilde.
        Some(_) => join(place.folder(), &format!("./{path}")),
        None => join(place.folder(), path),
    }
}

fn quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '.' | '-' | '_' | '+' | ',');
    if !path.is_empty() && path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests;
