//! Lists of texts to which several processes add: each adds to what is there then.
//!
//! Setting the whole list would write back what this process read earlier, and take away what another one has added since.

use super::load::tree;
use super::set::{NAME, judge, keep_if_good, not_edited};
use super::{ConfigError, KeyPath, Value};
use crate::Home;
use crate::files::{self, Change, Mode};
use crate::yaml::{self, Content, Node};
use hermes_proto::HostEnvironment;

/// The texts of this list as the file has them now; none if the file has no such list.
pub fn list(home: &Home, key: &KeyPath) -> Result<Vec<String>, ConfigError> {
    let path = home.config_path();
    let bytes = files::read(&path)?.unwrap_or_default();
    Ok(texts(&tree(&path, &bytes)?, key))
}

/// Adds a text to the end of the list unless it is in it; answers whether it was added.
pub fn add_to_list(home: &Home, environment: &HostEnvironment, key: &KeyPath, text: &str) -> Result<bool, ConfigError> {
    change(home, environment, key, |current, tree| {
        if texts(tree, key).iter().any(|other| other == text) {
            return Ok(None);
        }
        yaml::push(current, key.segments(), Value::text(text).node()).map(Some)
    })
}

/// Removes a text from the list; answers whether it was there.
pub fn remove_from_list(
    home: &Home,
    environment: &HostEnvironment,
    key: &KeyPath,
    text: &str,
) -> Result<bool, ConfigError> {
    change(home, environment, key, |current, tree| {
        let mut left = current.to_vec();
        let places: Vec<_> =
            texts(tree, key).iter().enumerate().filter(|(_, other)| *other == text).map(|(place, _)| place).collect();
        // From behind, so that the earlier ones keep their places.
        for place in places.iter().rev() {
            let mut path = key.segments().to_vec();
            path.push(place.to_string());
            if let Some(text) = yaml::unset(&left, &path)? {
                left = text.into_bytes();
            }
        }
        Ok((!places.is_empty()).then(|| String::from_utf8_lossy(&left).into_owned()))
    })
}

/// Decides on what is there under the file's lock; answers whether anything was changed.
fn change(
    home: &Home,
    environment: &HostEnvironment,
    key: &KeyPath,
    decide: impl FnOnce(&[u8], &Node) -> Result<Option<String>, yaml::EditError>,
) -> Result<bool, ConfigError> {
    let mut written = None;
    files::update(home.path(), NAME, Mode::Group, |current| {
        let current = current.unwrap_or_default();
        // A list that is none is an error of the file, not to be written over.
        judge(home, environment, key, current)?;
        let tree = tree(&home.config_path(), current)?;
        let text = decide(current, &tree).map_err(|source| not_edited(home, source))?;
        if let Some(text) = &text {
            judge(home, environment, key, text.as_bytes())?;
        }
        written = text.map(String::into_bytes);
        Ok::<_, ConfigError>(written.clone().map_or(Change::Keep, Change::Replace))
    })?;
    if let Some(written) = &written {
        keep_if_good(home, environment, written);
    }
    Ok(written.is_some())
}

fn texts(tree: &Node, key: &KeyPath) -> Vec<String> {
    match tree.at(key.segments()).map(|node| &node.content) {
        Some(Content::List(items)) => {
            items.iter().map(|item| Value::from(item.clone()).as_scalar().unwrap_or_default().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{add_to_list, list, remove_from_list};
    use crate::{Asked, Home, HomeRoot};
    use hermes_proto::HostEnvironment;

    const FILE: &str = "# mine\ncommand_allowlist:\n  # the build\n  - \"make *\" # often\n  - git push\nother: 1\n";

    fn home(content: &str) -> (tempfile::TempDir, Home, HostEnvironment) {
        let folder = tempfile::tempdir().unwrap();
        let environment = HostEnvironment::from_pairs([("HERMES_HOME", folder.path())]);
        let home = HomeRoot::find(&environment).unwrap().select(&Asked::Nothing).unwrap();
        std::fs::write(home.config_path(), content).unwrap();
        (folder, home, environment)
    }

    #[test]
    fn what_people_wrote_beside_the_items_stays() {
        let key = "command_allowlist".parse().unwrap();
        let (_folder, home, environment) = home(FILE);
        let add = |text: &str| add_to_list(&home, &environment, &key, text).unwrap();
        assert!(add("rm -rf build: 'x' # y"));
        assert!(!add("git push"), "it is there");
        let content = std::fs::read_to_string(home.config_path()).unwrap();
        assert_eq!(list(&home, &key).unwrap(), ["make *", "git push", "rm -rf build: 'x' # y"], "{content}");
        for kept in ["# mine\n", "# the build\n", "# often\n", "\nother: 1\n"] {
            assert!(content.contains(kept), "{kept:?} in {content}");
        }
        assert!(remove_from_list(&home, &environment, &key, "git push").unwrap());
        assert!(!remove_from_list(&home, &environment, &key, "git push").unwrap());
        assert_eq!(list(&home, &key).unwrap(), ["make *", "rm -rf build: 'x' # y"]);
        for text in ["make *", "rm -rf build: 'x' # y"] {
            assert!(remove_from_list(&home, &environment, &key, text).unwrap());
        }
        assert_eq!(list(&home, &key).unwrap(), Vec::<String>::new());
        assert!(add("1.0"));
        assert_eq!(list(&home, &key).unwrap(), ["1.0"], "a text stays a text");
    }

    #[test]
    fn a_missing_list_is_made_and_one_that_is_none_is_left_alone() {
        let key = "command_allowlist".parse().unwrap();
        for content in ["", "a: 1\n", "command_allowlist:\n", "command_allowlist: []\n", "command_allowlist: [x]\n"] {
            let (_folder, home, environment) = home(content);
            assert!(add_to_list(&home, &environment, &key, "ls\n*").unwrap(), "{content}");
            assert_eq!(list(&home, &key).unwrap().last().unwrap(), "ls\n*", "{content}");
        }
        for content in ["command_allowlist: {a: b}\n", "command_allowlist: [[x]]\n", "a: [\n"] {
            let (_folder, home, environment) = home(content);
            add_to_list(&home, &environment, &key, "ls").unwrap_err();
            assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), content);
        }
    }
}
