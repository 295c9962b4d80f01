//! Searching by content and by name, with ripgrep's own parts: what it would leave out
//! (hidden files, those that `.gitignore` names, binary ones) is left out.

mod content;
mod found_lines;
mod name_glob;
mod names;
mod walk;

pub(super) use content::search_content;
pub(super) use names::search_names;
