//! Globs for names: without a slash for the name alone, with one for the path below the
//! folder that is searched.

use std::path::Path;

use globset::{GlobBuilder, GlobSet};
use hermes_proto::executor::FileProblem;

/// A longer one is no glob that anybody wrote.
const LONGEST: usize = 1000;

/// A checked glob.
#[derive(Debug)]
pub(super) struct NameGlob {
    glob: GlobSet,
    is_for_path: bool,
    wants_hidden: bool,
}

impl NameGlob {
    /// `root` is the folder that is searched; a glob may begin with it.
    pub(super) fn new(typed: &str, root: &Path) -> Result<Self, FileProblem> {
        let bad = |detail: String| FileProblem::BadPattern { pattern: typed.chars().take(200).collect(), detail };
        if typed.is_empty() {
            return Err(bad("it is empty; use * for every name".into()));
        }
        if typed.len() > LONGEST {
            return Err(bad(format!("a glob has at most {LONGEST} bytes")));
        }
        let below = Path::new(typed).strip_prefix(root).ok().and_then(Path::to_str);
        let pattern = below.unwrap_or(typed).trim_start_matches("./").trim_start_matches('/');
        let is_for_path = below.is_some() || typed.contains('/');
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .empty_alternates(true)
            .build()
            // Not compiled alone: that panics on one that grows too large, this is an error.
            .and_then(|glob| GlobSet::builder().add(glob).build())
            .map_err(|error| bad(error.kind().to_string()))?;
        let wants_hidden = pattern.split('/').any(|part| part.starts_with('.'));
        Ok(Self { glob, is_for_path, wants_hidden })
    }

    /// Whether a file matches; `path` is below the folder that is searched.
    pub(super) fn is_match(&self, path: &Path) -> bool {
        match (self.is_for_path, path.file_name()) {
            (true, _) => self.glob.is_match(path),
            (false, Some(name)) => self.glob.is_match(name),
            (false, None) => false,
        }
    }

    /// Whether hidden names are asked for by name.
    pub(super) fn wants_hidden(&self) -> bool {
        self.wants_hidden
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::NameGlob;

    #[test]
    fn a_glob_without_a_slash_is_for_names_and_with_one_for_paths() {
        let check = |glob: &str, path: &str, expected: bool| {
            let matched = NameGlob::new(glob, Path::new("/root")).unwrap().is_match(Path::new(path));
            assert_eq!(matched, expected, "{glob} for {path}");
        };
        check("*.rs", "a/b/c.rs", true);
        check("*.rs", "a/b/c.rss", false);
        check("c.rs", "a/c.rs", true);
        check("*.{rs,toml}", "a/x.toml", true);
        check("src/*.rs", "src/x.rs", true);
        check("src/*.rs", "src/a/x.rs", false);
        check("src/*.rs", "a/src/x.rs", false);
        check("src/**/x", "src/x", true);
        check("src/**/x", "src/a/b/x", true);
        check("./src/*", "src/x", true);
        check("/src/*", "src/x", true);
        check("/root/src/*", "src/x", true);
        check("/root/*.rs", "a/x.rs", false);
        check("**/x", "a/b/x", true);
        check("[ab]?", "z/b1", true);
    }

    #[test]
    fn a_bad_glob_is_told() {
        let nested = format!("{}a{}", "{".repeat(400), "}".repeat(400));
        for glob in ["", "[a", "a{b", &"x".repeat(2000), &nested, &"{a,b}".repeat(190)] {
            // Some of these are only unusual; none may panic.
            let _ = NameGlob::new(glob, Path::new("/")).map(|glob| glob.is_match(Path::new("aaa")));
        }
        assert!(NameGlob::new("[a", Path::new("/")).unwrap_err().to_string().contains("unclosed"));
    }

    #[test]
    fn hidden_names_are_wanted_if_they_are_named() {
        let check = |glob: &str, expected: bool| {
            assert_eq!(NameGlob::new(glob, Path::new("/root")).unwrap().wants_hidden(), expected, "{glob}");
        };
        check("*", false);
        check("./a", false);
        check(".env*", true);
        check(".github/**", true);
        check("a/.b", true);
    }
}
