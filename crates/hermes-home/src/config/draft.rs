//! Editing the file by hand without ever leaving a broken one behind.
//!
//! The editor works on a copy. It replaces the file only if it can be used and the
//! file is still what the copy was made from; otherwise the copy is kept.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::load::build;
use super::reader::Variables;
use super::{ConfigError, Finding, Overrides, good_copy};
use crate::files::{self, Change, Mode};
use crate::{Home, dotenv};
use hermes_proto::HostEnvironment;

/// Names tried before giving up: each is only taken by a copy that was kept.
const ATTEMPTS: u32 = 100;

/// A copy of config.yaml that is being edited.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    base: Option<Vec<u8>>,
}

/// What came of an edit.
#[derive(Debug)]
pub enum Edited {
    Unchanged,
    /// The file was replaced; these are its warnings.
    Replaced(Vec<Finding>),
}

impl Draft {
    /// Copies the file, private, beside it.
    pub fn create(home: &Home) -> Result<Self, ConfigError> {
        let base = files::read(&home.config_path())?;
        let (mut file, path) = create_new(home)?;
        let content = base.as_deref().unwrap_or_default();
        file.write_all(content).map_err(|source| failed("write", &path, source))?;
        Ok(Self { path, base })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the copy if nothing was changed in it; answers whether it did.
    pub fn discard_if_unchanged(&self) -> Result<bool, ConfigError> {
        let content = files::read(&self.path)?;
        let same = content.as_deref().unwrap_or_default() == self.base.as_deref().unwrap_or_default();
        if same {
            self.remove()?;
        }
        Ok(same)
    }

    /// Replaces the file by what was edited. On every error the copy is kept.
    pub fn finish(self, home: &Home, environment: &HostEnvironment) -> Result<Edited, ConfigError> {
        if self.discard_if_unchanged()? {
            return Ok(Edited::Unchanged);
        }
        let content = files::read(&self.path)?.unwrap_or_default();
        let file = dotenv::load(home)?;
        let variables = Variables { environment, file: &file };
        let loaded =
            build(&self.path, &content, variables, &Overrides::none()).map_err(|broken| self.broken(home, broken))?;
        files::update(home.path(), "config.yaml", Mode::Group, |current| {
            if current != self.base.as_deref() {
                return Err(ConfigError::ChangedMeanwhile { path: home.config_path(), draft: self.path.clone() });
            }
            Ok(Change::Replace(content.clone()))
        })?;
        good_copy::remember(home, &content);
        self.remove()?;
        Ok(Edited::Replaced(loaded.warnings))
    }

    fn broken(&self, home: &Home, broken: ConfigError) -> ConfigError {
        ConfigError::DraftBroken { path: home.config_path(), draft: self.path.clone(), broken: Box::new(broken) }
    }

    fn remove(&self) -> Result<(), ConfigError> {
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(failed("remove", &self.path, source)),
            _ => Ok(()),
        }
    }
}

fn create_new(home: &Home) -> Result<(File, PathBuf), ConfigError> {
    let mut attempt = 0;
    loop {
        let path = home.path().join(format!("config.edit-{}-{attempt}.yaml", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => attempt += 1,
            Err(source) => return Err(failed("create", &path, source)),
        }
    }
}

fn failed(step: &'static str, draft: &Path, source: io::Error) -> ConfigError {
    ConfigError::Draft { step, draft: draft.to_owned(), source }
}
