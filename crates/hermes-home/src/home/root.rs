//! HERMES_HOME or `~/.hermes`, and the choice of one home in it.
//!
//! Everything that is secret or that acts hangs on this choice, so it has one
//! order (command line, environment, active profile, default) and never falls
//! back: a name that cannot be honoured is an error, not another home.

use std::io;
use std::path::{Path, PathBuf};

use hermes_proto::ProfileName;

use super::{Asked, HomeError, HomeName, NamedBy, active};
use crate::{files, profiles};
use hermes_proto::HostEnvironment;

const PROFILES: &str = "profiles";

/// The folder that is the default home and that holds, under `profiles/`, all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeRoot {
    path: PathBuf,
    /// The profile that HERMES_HOME points at: how the children of a profile's
    /// process find their home.
    pointed_at: Option<ProfileName>,
}

/// One home: configuration, credentials and state of the default or of one profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    name: HomeName,
}

impl HomeRoot {
    /// HERMES_HOME, else `~/.hermes`. Nothing is read or created.
    pub fn find(environment: &HostEnvironment) -> Result<Self, HomeError> {
        let path = environment
            .path("HERMES_HOME")
            .or_else(|| environment.path("HOME").map(|home| home.join(".hermes")))
            .ok_or(HomeError::Nowhere)?;
        let path = std::path::absolute(&path).map_err(|source| HomeError::Relative { path, source })?;
        Ok(match root_of_profile(&path) {
            Some((root, name)) => Self { path: root.to_owned(), pointed_at: Some(name) },
            None => Self { path, pointed_at: None },
        })
    }

    /// The default home's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of all profiles. It may not exist yet.
    pub fn profiles_path(&self) -> PathBuf {
        self.path.join(PROFILES)
    }

    /// The profile that HERMES_HOME points at, if it does; it wins over the active one.
    pub fn pointed_at(&self) -> Option<&ProfileName> {
        self.pointed_at.as_ref()
    }

    /// Where a home is, existing or not.
    pub fn path_of(&self, name: &HomeName) -> PathBuf {
        match name {
            HomeName::Default => self.path.clone(),
            HomeName::Profile(name) => self.profiles_path().join(name.as_str()),
        }
    }

    /// The home to use: the one that was asked for, else the one HERMES_HOME
    /// points at, else the sticky one (`active_profile`), else the default home,
    /// which is created private when it is missing.
    ///
    /// The home can be listed; whether it can be written is found out by those who
    /// write, so that a home on a read-only disk can still be read.
    pub fn select(&self, asked: &Asked) -> Result<Home, HomeError> {
        let (name, named_by) = self.choose(asked)?;
        let home = Home { path: self.path_of(&name), name };
        if let HomeName::Profile(name) = &home.name
            && is_missing(&home.path)
        {
            return Err(self.missing(name.clone(), named_by));
        }
        files::create_private_dir(&home.path).map_err(HomeError::Folder)?;
        Ok(home)
    }

    /// The home that `select` would use, without a look at whether it is there.
    pub fn choice(&self, asked: &Asked) -> Result<HomeName, HomeError> {
        self.choose(asked).map(|(name, _)| name)
    }

    /// Creates the default home and the folders above it, private, if it is missing.
    /// A home that exists keeps its mode.
    pub fn create(&self) -> Result<(), HomeError> {
        files::create_private_dir(&self.path).map_err(HomeError::Folder)
    }

    /// An error if something is there that cannot be a home.
    pub(crate) fn check(&self) -> Result<(), HomeError> {
        if is_missing(&self.path) { Ok(()) } else { self.create() }
    }

    /// The error for a profile that is not there, with the names that look like it.
    pub(crate) fn missing(&self, name: ProfileName, named_by: NamedBy) -> HomeError {
        let alike = profiles::alike(self, &name);
        HomeError::NoSuchProfile { name, named_by, alike }
    }

    fn choose(&self, asked: &Asked) -> Result<(HomeName, NamedBy), HomeError> {
        if let Asked::For(name) = asked {
            return Ok((name.clone(), NamedBy::CommandLine));
        }
        if let Some(name) = &self.pointed_at {
            return Ok((name.clone().into(), NamedBy::Environment));
        }
        self.check()?;
        Ok((active::read(&self.path)?, NamedBy::ActiveProfile(active::path(&self.path))))
    }
}

impl Home {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn name(&self) -> &HomeName {
        &self.name
    }

    /// `None` for the default home.
    pub fn profile(&self) -> Option<&ProfileName> {
        self.name.profile()
    }

    pub fn config_path(&self) -> PathBuf {
        self.path.join("config.yaml")
    }

    pub fn env_path(&self) -> PathBuf {
        self.path.join(".env")
    }

    pub fn auth_path(&self) -> PathBuf {
        self.path.join("auth.json")
    }
}

/// `<root>/profiles/<name>` taken apart, if the path has that shape.
fn root_of_profile(path: &Path) -> Option<(&Path, ProfileName)> {
    let name = path.file_name()?.to_str()?.parse().ok()?;
    let folder = path.parent().filter(|folder| folder.ends_with(PROFILES))?;
    Some((folder.parent()?, name))
}

/// Whether there is nothing; what cannot be seen is not missing.
fn is_missing(path: &Path) -> bool {
    path.metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::{Asked, HomeError, HomeRoot};
    use hermes_proto::HostEnvironment;

    fn root(path: &Path) -> HomeRoot {
        HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", path)])).unwrap()
    }

    #[test]
    fn the_root_is_found_from_the_environment() {
        let check = |pairs: &[(&str, &str)], expected: &str| {
            let found = HomeRoot::find(&HostEnvironment::from_pairs(pairs.iter().copied())).unwrap();
            assert_eq!(found.path(), Path::new(expected), "{pairs:?}");
        };
        check(&[("HOME", "/h")], "/h/.hermes");
        check(&[("HOME", "/h"), ("HERMES_HOME", "")], "/h/.hermes");
        check(&[("HOME", "/h"), ("HERMES_HOME", "/data")], "/data");
        check(&[("HERMES_HOME", "/data/")], "/data");
        check(&[("HERMES_HOME", "/data/profiles/coder")], "/data");
        check(&[("HERMES_HOME", "/data/profiles/coder/")], "/data");
        check(&[("HERMES_HOME", "/profiles/coder")], "/");
        check(&[("HERMES_HOME", "/data/profiles/Coder")], "/data/profiles/Coder");
        check(&[("HERMES_HOME", "/data/profiles")], "/data/profiles");
        check(&[("HERMES_HOME", "/data/myprofiles/coder")], "/data/myprofiles/coder");
    }

    #[test]
    fn without_any_variable_there_is_no_home() {
        let nothing: [(&str, &str); 2] = [("HOME", ""), ("HERMES_HOME", "")];
        let error = HomeRoot::find(&HostEnvironment::from_pairs(nothing)).unwrap_err();
        assert!(matches!(error, HomeError::Nowhere), "{error}");
    }

    #[test]
    fn a_relative_home_is_made_absolute() {
        let found = root(Path::new("some/home"));
        assert_eq!(found.path(), std::env::current_dir().unwrap().join("some/home"));
    }

    #[test]
    fn eight_first_uses_at_once_all_succeed_and_the_home_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let root = root(&folder.path().join("a/b/home"));
        std::thread::scope(|scope| {
            let uses: Vec<_> = (0..8).map(|_| scope.spawn(|| root.select(&Asked::Nothing))).collect();
            for first_use in uses {
                first_use.join().unwrap().unwrap();
            }
        });
        for path in ["a", "a/b", "a/b/home"] {
            let mode = folder.path().join(path).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o700, "{path}");
        }
    }
}
