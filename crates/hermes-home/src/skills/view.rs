//! One file of a skill, and the names of the others.

use std::path::{Component, Path, PathBuf};

use super::Skill;
use crate::files::{self, FileError};

/// Files of a skill that are named.
const MOST_NAMES: usize = 200;
/// Folders of a skill that are looked into.
const DEEPEST: usize = 3;

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    pub content: String,
    /// The skill's other files, relative to its folder.
    pub others: Vec<String>,
}

/// Why a skill's file is not shown.
#[derive(Debug, thiserror::Error)]
pub enum SkillError {
    #[error("skill {skill} has no file {file:?}")]
    NoSuchFile { skill: String, file: String },
    #[error("{file:?} is outside of skill {skill}")]
    Outside { skill: String, file: String },
    #[error("{file:?} of skill {skill} is not text")]
    NotText { skill: String, file: String },
    #[error(transparent)]
    File(#[from] FileError),
}

/// Reads a file of the skill; links count only as long as they stay inside its folder.
pub fn view(skill: &Skill, file: &str) -> Result<SkillFile, SkillError> {
    let named = || (skill.name.clone(), file.to_owned());
    let outside = || {
        let (skill, file) = named();
        SkillError::Outside { skill, file }
    };
    let missing = || {
        let (skill, file) = named();
        SkillError::NoSuchFile { skill, file }
    };
    if !Path::new(file).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let folder = skill.folder.canonicalize().map_err(|_| missing())?;
    let path = folder.join(file).canonicalize().map_err(|_| missing())?;
    if !path.starts_with(&folder) {
        return Err(outside());
    }
    if path.is_dir() {
        return Err(missing());
    }
    let bytes = files::read(&path)?.ok_or_else(missing)?;
    let content = String::from_utf8(bytes).map_err(|_| {
        let (skill, file) = named();
        SkillError::NotText { skill, file }
    })?;
    let mut others = Vec::new();
    list(&folder, &folder, DEEPEST, &mut others);
    others.retain(|other| Path::new(other) != path.strip_prefix(&folder).unwrap_or(&path));
    Ok(SkillFile { content, others })
}

fn list(root: &Path, folder: &Path, depth: usize, names: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if names.len() == MOST_NAMES {
            return;
        }
        match path.symlink_metadata() {
            Ok(kind) if kind.is_dir() && depth > 0 => list(root, &path, depth - 1, names),
            Ok(kind) if kind.is_file() => {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                names.extend(relative.to_str().map(ToOwned::to_owned));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Skill, view};

    #[test]
    fn a_skill_shows_its_own_files_and_no_others() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("skill");
        fs::create_dir_all(folder.join("references")).unwrap();
        fs::write(folder.join("SKILL.md"), "main").unwrap();
        fs::write(folder.join("references/more.md"), "more").unwrap();
        fs::write(folder.join("picture.bin"), [0xff, 0xfe]).unwrap();
        fs::write(place.path().join("secret"), "key").unwrap();
        std::os::unix::fs::symlink("../secret", folder.join("link")).unwrap();
        let skill = Skill { name: "s".into(), description: String::new(), category: String::new(), folder };
        let shown = view(&skill, "SKILL.md").unwrap();
        assert_eq!(
            (shown.content.as_str(), shown.others),
            ("main", vec!["picture.bin".into(), "references/more.md".into()])
        );
        assert_eq!(view(&skill, "references/more.md").unwrap().content, "more");
        for (file, expected) in [
            ("../secret", "\"../secret\" is outside of skill s"),
            ("/etc/passwd", "\"/etc/passwd\" is outside of skill s"),
            ("link", "\"link\" is outside of skill s"),
            ("references", "skill s has no file \"references\""),
            ("nothing.md", "skill s has no file \"nothing.md\""),
            ("picture.bin", "\"picture.bin\" of skill s is not text"),
        ] {
            assert_eq!(view(&skill, file).unwrap_err().to_string(), expected);
        }
    }
}
