//! Where the session is, and which file a typed path means there.
//!
//! Nothing but `~` is expanded: a `$` or a `*` in a path is part of a name. Without a known
//! home `~/x` is refused, because a folder that is called `~` is nothing anybody asked for.

use std::path::{Path, PathBuf};

use hermes_proto::executor::FileProblem;

use super::received::Received;

/// As long as the kernel takes a path, with its end.
const LONGEST: usize = 4096;

/// Where the session is.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// What relative paths are relative to.
    pub working_directory: &'a Path,
    /// What `~` stands for.
    pub home: Option<&'a Path>,
    /// Where files go that come from outside. Without it none are taken.
    pub received: Option<&'a Received>,
}

impl<'a> From<&'a Path> for Place<'a> {
    /// A place without a home, which takes no files.
    fn from(working_directory: &'a Path) -> Self {
        Self { working_directory, home: None, received: None }
    }
}

impl Place<'_> {
    /// The absolute path, without `.` and empty parts in it.
    pub(super) fn resolve(&self, typed: &str) -> Result<PathBuf, FileProblem> {
        let bad = |detail: &str| {
            let path = typed.chars().take(200).collect();
            Err(FileProblem::BadPath { path, detail: detail.to_owned() })
        };
        if typed.is_empty() {
            return bad("the path is empty; name a file or folder");
        }
        if typed.contains('\0') {
            return bad("no path contains a nul character");
        }
        if typed.len() >= LONGEST {
            return bad("the path is too long");
        }
        let path = match (below_home(typed), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            (Some(_), None) => {
                return bad("the home folder is not known; give an absolute path, or ./~ for a file of that name");
            }
            (None, _) => self.working_directory.join(typed),
        };
        Ok(path.components().collect())
    }

    /// The path as it is repeated in answers: so that typing it again means the same file.
    pub(super) fn repeated(typed: &str, resolved: &Path) -> PathBuf {
        match Path::new(typed).is_absolute() || below_home(typed).is_some() {
            true => resolved.to_owned(),
            false => Path::new(typed).components().filter(|part| part.as_os_str() != ".").collect(),
        }
    }
}

fn below_home(typed: &str) -> Option<&str> {
    match typed.strip_prefix('~')? {
        "" => Some(""),
        rest => rest.strip_prefix('/').map(|rest| rest.trim_start_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Place;

    #[test]
    fn a_typed_path_means_one_file() {
        let place = Place { working_directory: Path::new("/work"), home: Some(Path::new("/home/me")), received: None };
        let check = |typed: &str, expected: &str| {
            assert_eq!(place.resolve(typed).unwrap(), PathBuf::from(expected), "{typed}");
        };
        check("a", "/work/a");
        check("./a//b/./c", "/work/a/b/c");
        check("../a", "/work/../a");
        check("/etc/x", "/etc/x");
        check("~", "/home/me");
        check("~/a", "/home/me/a");
        check("~//etc/x", "/home/me/etc/x");
        check("~backup", "/work/~backup");
        check("./~/a", "/work/~/a");
        check("$HOME/*", "/work/$HOME/*");
        check(".", "/work");
    }

    #[test]
    fn what_names_no_file_is_refused() {
        let place = Place::from(Path::new("/work"));
        for typed in ["", "a\0b", "~", "~/x", &"x/".repeat(3000)] {
            assert!(place.resolve(typed).is_err(), "{typed:?}");
        }
    }

    #[test]
    fn a_path_is_repeated_as_it_was_typed() {
        let check = |typed: &str, expected: &str| {
            let resolved =
                Place { working_directory: Path::new("/work"), home: Some(Path::new("/home/me")), received: None }
                    .resolve(typed)
                    .unwrap();
            assert_eq!(Place::repeated(typed, &resolved), PathBuf::from(expected), "{typed}");
        };
        check(".", "");
        check("./src/", "src");
        check("../x", "../x");
        check("/etc", "/etc");
        check("~/a", "/home/me/a");
    }
}
