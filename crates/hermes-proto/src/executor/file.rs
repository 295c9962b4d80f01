//! File operations beside the commands, under the same confinement.
//!
//! Every answer fits one frame: what does not is cut where it is made, and the answer says so.
//! Paths in an answer are shown as text for a model: see [`FileEntry::is_exact_name`].

use serde::{Deserialize, Serialize};

use super::FileProblem;

/// One file operation. Paths are absolute, below `~/`, or relative to the session's
/// working directory; nothing else in them is expanded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRequest {
    Read(ReadFile),
    Write(WriteFile),
    Patch(PatchFile),
    Search(SearchFiles),
    List(ListFiles),
    Fetch(FetchFile),
    Put(PutFile),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFile {
    pub path: String,
    /// First line, counted from 1.
    pub offset: usize,
    /// Lines at most.
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteFile {
    pub path: String,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchFile {
    pub path: String,
    /// What is replaced. Empty: the file is missing or empty, and gets `new` as its content.
    pub old: String,
    pub new: String,
    pub mode: PatchMode,
}

/// How many places a patch changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchMode {
    /// Exactly one: where the text stands exactly, or else the only place that differs from
    /// it in white space, escapes or a few characters.
    Unique,
    /// Every exact occurrence.
    All,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFiles {
    /// A regular expression for content, a glob for names.
    pub pattern: String,
    pub target: SearchTarget,
    /// A folder, or for content one file.
    pub path: String,
    /// Only files whose name matches this glob.
    pub file_glob: Option<String>,
    /// Lines shown around a match.
    pub context: usize,
    /// Matches (or names) left out at the beginning.
    pub offset: usize,
    /// Matches (or names) at most.
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchTarget {
    Content,
    Names,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFiles {
    pub path: String,
    pub limit: usize,
}

/// A piece of a file as it is, to be taken out of the place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchFile {
    pub path: String,
    /// Bytes left out at the beginning.
    pub offset: u64,
}

/// A piece of a file that comes into the place. Whoever sends it does not choose where: the executor has a folder for such files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PutFile {
    /// What its sender calls it; untrusted. The file's own name is made from it.
    pub name: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// Bytes that came before. Without any this begins a new file, and one that is not whole yet is given up.
    pub offset: u64,
    /// As base64.
    pub bytes: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    File,
    Folder,
    Link,
    Fifo,
    Socket,
    Device,
    Other,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub name: String,
    /// Whether `name` is the name itself. Else it holds control characters or is not UTF-8,
    /// and `name` is that name as bash writes it: `$'two\x0alines'`.
    pub is_exact_name: bool,
    pub kind: FileKind,
    pub size: u64,
    /// Where a link points.
    pub target: Option<String>,
}

/// One line that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundLine {
    pub path: String,
    /// Counted from 1.
    pub line: u64,
    /// Without its end; a long one is cut around the match, with `…` where something is missing.
    pub text: String,
    pub role: LineRole,
}

/// Why a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineRole {
    Match,
    Context,
}

/// The answer to a file operation. `notes` are sentences for the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAnswer {
    Text {
        /// The lines with their ends, as they are in the file.
        content: String,
        first_line: usize,
        lines: usize,
        /// Lines of the whole file, when that was cheap to know.
        total_lines: Option<usize>,
        /// Bytes of the whole file.
        size: u64,
        /// Whether the file goes on after the last line shown.
        is_cut: bool,
        notes: Vec<String>,
    },
    Written {
        path: String,
        bytes: u64,
        created: bool,
        notes: Vec<String>,
    },
    Patched {
        path: String,
        /// Unified, with three lines of context.
        diff: String,
        places: usize,
        notes: Vec<String>,
    },
    Matches {
        lines: Vec<FoundLine>,
        /// Matches in all files, or as many as were counted if a note says so.
        total: usize,
        /// Whether there are more after the last match shown.
        is_cut: bool,
        notes: Vec<String>,
    },
    Names {
        /// Newest first.
        paths: Vec<String>,
        total: usize,
        is_cut: bool,
        notes: Vec<String>,
    },
    Entries {
        /// In the order of their names.
        entries: Vec<FileEntry>,
        /// Entries of the folder; more than are shown if the list was cut.
        total: usize,
    },
    Piece {
        /// As base64. Empty at the end of the file.
        bytes: String,
        /// Bytes of the whole file.
        size: u64,
    },
    /// A piece was put there.
    Put {
        /// Where the file is.
        path: String,
        /// Bytes that it has now.
        size: u64,
    },
    Problem(FileProblem),
}
