//! What a new volume gets: folders, a personality and two files to fill in. Done as the user
//! hermes; what is already there stays.

use std::convert::Infallible;
use std::path::Path;

use hermes_home::files::{self, Change, Mode};
use hermes_home::profiles;

use super::ownership::FOLDERS;

const ENV: &str = "\
# Keys and settings of this home, one NAME=value a line. Read by Hermes, never by a shell.
# OPENROUTER_API_KEY=
# ANTHROPIC_API_KEY=
# OPENAI_API_KEY=
";

const CONFIG: &str = "\
# Settings of this home. See them all with `hermes config show`, change one with `hermes config set`.
";

/// Completes the home at `home`; what could not be done is told and stops nothing.
pub(super) fn seed(home: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for folder in FOLDERS {
        if let Err(error) = files::create_private_dir(&home.join(folder)) {
            problems.push(error.to_string());
        }
    }
    if let Err(error) = profiles::furnish(home) {
        problems.push(error.to_string());
    }
    for (name, mode, content) in [(".env", Mode::Private, ENV), ("config.yaml", Mode::Group, CONFIG)] {
        // Looked at first: a home that has everything is not written to at all.
        if home.join(name).symlink_metadata().is_ok() {
            continue;
        }
        let written = files::update(home, name, mode, |current| {
            Ok::<_, Infallible>(match current {
                Some(_) => Change::Keep,
                None => Change::Replace(content.as_bytes().to_vec()),
            })
        });
        if let Err(error) = written {
            problems.push(error.to_string());
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::seed;

    #[test]
    fn a_new_home_is_completed_and_an_old_one_left_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        std::fs::write(at("SOUL.md"), "mine").unwrap();
        assert_eq!(seed(home.path()), Vec::<String>::new());
        let mode = |name: &str| at(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(".env"), mode("config.yaml"), mode("logs/gateways")), (0o600, 0o640, 0o700));
        assert_eq!(std::fs::read_to_string(at("SOUL.md")).unwrap(), "mine");
        std::fs::write(at("config.yaml"), "model:\n").unwrap();
        std::fs::write(at(".env"), "").unwrap();
        assert_eq!(seed(home.path()), Vec::<String>::new());
        assert_eq!(std::fs::read_to_string(at("config.yaml")).unwrap(), "model:\n");
        assert_eq!(std::fs::read_to_string(at(".env")).unwrap(), "");
    }
}
