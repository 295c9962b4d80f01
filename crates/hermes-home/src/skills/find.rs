//! Which skills there are.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::front_matter::front_matter;
use crate::files;

/// Folders inside folders that are looked into: a category, a subcategory, the skill.
const DEEPEST: usize = 4;
/// Skills that are listed.
const MOST: usize = 2_000;
/// Folders that are looked into altogether.
const MOST_FOLDERS: usize = 20_000;
/// Characters of a description that are kept.
const LONGEST_DESCRIPTION: usize = 1_024;

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// The folders it stands in, below the skills folder; empty at the top.
    pub category: String,
    pub folder: PathBuf,
}

/// The skills below these folders, by category and name. Of two with one name in one category the first folder's counts.
/// What cannot be read is left out.
pub fn find(roots: &[PathBuf]) -> Vec<Skill> {
    let mut search = Search { found: Vec::new(), seen: HashSet::new() };
    for root in roots {
        search.look_into(root, &mut Vec::new());
    }
    let mut skills = search.found;
    skills.sort_by(|one, other| (&one.category, &one.name).cmp(&(&other.category, &other.name)));
    skills.dedup_by(|later, earlier| later.category == earlier.category && later.name == earlier.name);
    skills
}

struct Search {
    found: Vec<Skill>,
    /// Folders that were looked into; links may lead to one again, or in a circle.
    seen: HashSet<PathBuf>,
}

impl Search {
    fn look_into(&mut self, folder: &Path, below: &mut Vec<String>) {
        if self.found.len() >= MOST || self.seen.len() >= MOST_FOLDERS {
            return;
        }
        if !folder.canonicalize().is_ok_and(|folder| self.seen.insert(folder)) {
            return;
        }
        if let Some((name, category)) = below.split_last()
            && let Some(skill) = skill(folder, name, category)
        {
            self.found.push(skill);
            return;
        }
        if below.len() == DEEPEST {
            return;
        }
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut names: Vec<_> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        for name in names.into_iter().filter(|name| !name.starts_with('.')) {
            let path = folder.join(&name);
            if path.is_dir() {
                below.push(name);
                self.look_into(&path, below);
                below.pop();
            }
        }
    }
}

fn skill(folder: &Path, name: &str, category: &[String]) -> Option<Skill> {
    let text = files::read(&folder.join("SKILL.md")).ok().flatten()?;
    let matter = front_matter(&String::from_utf8_lossy(&text));
    let said = |key: &str| matter[key].as_str().map(one_line).filter(|text| !text.is_empty());
    Some(Skill {
        name: said("name").unwrap_or_else(|| name.to_owned()),
        description: said("description").unwrap_or_default(),
        category: category.join("/"),
        folder: folder.to_owned(),
    })
}

fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_DESCRIPTION).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::find;

    fn write(root: &Path, folder: &str, text: &str) {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("SKILL.md"), text).unwrap();
    }

    #[test]
    fn skills_are_found_by_category_and_broken_ones_hide_nothing() {
        let own = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        write(own.path(), "plain", "no front matter");
        write(own.path(), "code/review", "---\nname: review\ndescription: >\n  Reads\n  diffs\n---\n");
        write(own.path(), "code/broken", "---\nname: [\n---\n");
        write(own.path(), "code/review/references", "not a skill of its own");
        write(own.path(), ".hidden", "---\nname: hidden\n---\n");
        write(other.path(), "code/review", "---\nname: review\ndescription: another\n---\n");
        std::os::unix::fs::symlink(own.path(), own.path().join("loop")).unwrap();
        let roots = [own.path().to_owned(), other.path().to_owned(), "/nowhere".into()];
        let found: Vec<_> =
            find(&roots).into_iter().map(|skill| (skill.category, skill.name, skill.description)).collect();
        let expected = [("", "plain", ""), ("code", "broken", ""), ("code", "review", "Reads diffs")];
        let expected = expected.map(|(category, name, description)| (category.into(), name.into(), description.into()));
        assert_eq!(found, expected);
    }
}
