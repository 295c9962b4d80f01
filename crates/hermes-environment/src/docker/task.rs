//! The folder of one task's files: `sandboxes/docker/<task>`.
//!
//! A task's name comes from sessions and tools; used as a path it could lead anywhere.

use super::digest::short_digest;

const LONGEST: usize = 128;

/// The name itself if it is a harmless file name, else what is left of it and a digest.
pub(super) fn folder_name(task: &str) -> String {
    if task.is_empty() {
        return "default".to_owned();
    }
    let is_kept = task.chars().all(is_plain) && task.len() <= LONGEST;
    if is_kept && task != "." && task != ".." && !task.ends_with('.') {
        return task.to_owned();
    }
    let clean: String = task.chars().map(|c| if is_plain(c) { c } else { '_' }).take(64).collect();
    format!("{}-{}", clean.trim_matches('.'), short_digest(task.as_bytes()))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::folder_name;

    #[test]
    fn only_harmless_names_are_kept() {
        for kept in ["default", "kanban-42", "a.b_c"] {
            assert_eq!(folder_name(kept), kept);
        }
        assert_eq!(folder_name(""), "default");
        for odd in ["..", ".", "../../etc", "a/b", "ends.", "session:x", &"x".repeat(129)] {
            let name = folder_name(odd);
            assert!(!name.contains('/') && name != ".." && name.len() <= 80, "{odd}: {name}");
            assert_ne!(name, folder_name(&format!("{odd}2")), "{odd}");
        }
    }
}
