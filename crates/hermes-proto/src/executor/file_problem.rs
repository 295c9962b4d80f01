//! Why a file operation was not done: an answer for a model, not a failure of the link.
//!
//! A model repeats a call that it was not told how to change, so each problem carries what
//! the next call needs (similar names, line numbers, the nearest text) and a hint.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::FileKind;
use crate::{Explain, Fault};

/// Why a file operation was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum FileProblem {
    #[error("{path}: there is no such file or folder")]
    NotFound { path: String, similar: Vec<String> },
    #[error("{path}: this is {kind}, not a file")]
    NotAFile { path: String, kind: FileKind },
    #[error("{path}: this is not a folder")]
    NotAFolder { path: String },
    #[error("{path}: binary ({looks_like}, {size} bytes)")]
    Binary { path: String, size: u64, looks_like: String },
    #[error("{path}: {size} bytes are too many, at most {limit} can be changed at once")]
    TooLarge { path: String, size: u64, limit: u64 },
    #[error("{path}: {detail}")]
    NotPermitted { path: String, detail: String },
    /// The path cannot name a file at all.
    #[error("{path:?}: {detail}")]
    BadPath { path: String, detail: String },
    #[error("{path}: the text to be replaced is not in the file")]
    NoMatch { path: String, nearest: Option<String> },
    #[error("{path}: the text to be replaced is there {places} times, on lines {}", listed(.lines))]
    SeveralMatches { path: String, places: usize, lines: Vec<usize> },
    /// The empty text was to be replaced in a file that has content.
    #[error("{path}: the file has content, and the text to be replaced is empty")]
    NothingToReplace { path: String },
    /// Old and new text are the same.
    #[error("{path}: the new text is the same as the old one, so nothing was changed")]
    Unchanged { path: String },
    #[error("the pattern {pattern:?} cannot be used: {detail}")]
    BadPattern { pattern: String, detail: String },
    #[error("{path}: given up because the request was cancelled")]
    Cancelled { path: String },
    #[error("{path}: {detail}")]
    Other { path: String, detail: String },
}

impl Explain for FileProblem {
    fn fault(&self) -> Fault {
        match self {
            Self::BadPath { .. }
            | Self::NothingToReplace { .. }
            | Self::Unchanged { .. }
            | Self::BadPattern { .. }
            | Self::NotAFile { .. }
            | Self::NotAFolder { .. } => Fault::Usage,
            Self::NotFound { .. }
            | Self::Binary { .. }
            | Self::TooLarge { .. }
            | Self::NotPermitted { .. }
            | Self::NoMatch { .. }
            | Self::SeveralMatches { .. }
            | Self::Cancelled { .. }
            | Self::Other { .. } => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { similar, .. } if similar.is_empty() => Some("list the folder to see what is there".into()),
            Self::NotFound { similar, .. } => Some(format!("did you mean {}?", similar.join(" or "))),
            Self::NotAFile { kind: FileKind::Folder, .. } => Some("list the folder, or name a file in it".into()),
            Self::NotAFile { .. } => Some("use a command for it".into()),
            Self::NotAFolder { .. } => Some("name a folder".into()),
            Self::Binary { .. } => Some("use a command that understands this kind of file".into()),
            Self::TooLarge { .. } => Some("use a command such as sed for it".into()),
            Self::NoMatch { nearest: Some(nearest), .. } => {
                Some(format!("read the file again and copy the text exactly; the nearest place is\n{nearest}"))
            }
            Self::NoMatch { nearest: None, .. } => Some("read the file again and copy the text exactly".into()),
            Self::SeveralMatches { .. } => {
                Some("add lines around it until it is there once, or replace all of them".into())
            }
            Self::NothingToReplace { .. } => Some("give the text to be replaced, or write the whole file".into()),
            Self::Unchanged { .. }
            | Self::NotPermitted { .. }
            | Self::BadPath { .. }
            | Self::BadPattern { .. }
            | Self::Cancelled { .. }
            | Self::Other { .. } => None,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "something unknown",
        })
    }
}

fn listed(lines: &[usize]) -> String {
    lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{FileKind, FileProblem};
    use crate::Explain;

    #[test]
    fn a_problem_tells_what_to_do_next() {
        let check = |problem: FileProblem, text: &str, hint: Option<&str>| {
            assert_eq!(problem.to_string(), text);
            assert_eq!(problem.hint().as_deref(), hint);
        };
        let path = || "/w/x".to_owned();
        check(
            FileProblem::NotFound { path: path(), similar: vec!["/w/y".into(), "/w/z".into()] },
            "/w/x: there is no such file or folder",
            Some("did you mean /w/y or /w/z?"),
        );
        check(
            FileProblem::NotAFile { path: path(), kind: FileKind::Fifo },
            "/w/x: this is a named pipe, not a file",
            Some("use a command for it"),
        );
        check(
            FileProblem::SeveralMatches { path: path(), places: 2, lines: vec![3, 9] },
            "/w/x: the text to be replaced is there 2 times, on lines 3, 9",
            Some("add lines around it until it is there once, or replace all of them"),
        );
    }
}
