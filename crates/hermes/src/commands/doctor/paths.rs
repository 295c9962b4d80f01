//! Paths as a person reads them.

use std::path::Path;

use super::subject::Subject;

/// The path with `~` for the user's home directory.
pub(super) fn shown(path: &Path, subject: &Subject) -> String {
    abbreviated(path, subject.user_home().as_deref())
}

fn abbreviated(path: &Path, user_home: Option<&Path>) -> String {
    match user_home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::abbreviated;

    #[test]
    fn paths_in_the_users_home_are_short() {
        for (path, expected) in [("/h/u/.hermes", "~/.hermes"), ("/h/u", "~"), ("/h/user", "/h/user"), ("/", "/")] {
            assert_eq!(abbreviated(Path::new(path), Some(Path::new("/h/u"))), expected);
        }
        assert_eq!(abbreviated(Path::new("/h/u"), None), "/h/u");
    }
}
