//! `logs/container-boot.log`: one line a profile and boot, bounded, never through a link.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use hermes_home::files;
use rustix::fs::OFlags;

const LIMIT: u64 = 262_144;

/// The boot log of one home.
#[derive(Debug)]
pub struct BootLog {
    path: PathBuf,
}

impl BootLog {
    pub fn of(home: &Path) -> Self {
        Self { path: home.join("logs/container-boot.log") }
    }

    /// At boot: a log that has grown too long becomes the previous one.
    pub fn rotate(&self) -> io::Result<()> {
        match std::fs::symlink_metadata(&self.path) {
            Ok(log) if log.len() >= LIMIT => std::fs::rename(&self.path, self.path.with_extension("log.1")),
            _ => Ok(()),
        }
    }

    /// Adds lines in one write, each with the time.
    pub fn append(&self, lines: &[String]) -> io::Result<()> {
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%z").to_string();
        let text: String = lines.iter().map(|line| format!("{time} {line}\n")).collect();
        self.open()?.write_all(text.as_bytes())
    }

    /// Adds a line; one that cannot be written has nowhere to be told.
    pub fn note(&self, line: &str) {
        let _ = self.append(&[line.to_owned()]);
    }

    fn open(&self) -> io::Result<std::fs::File> {
        if let Some(folder) = self.path.parent() {
            files::create_private_dir(folder).map_err(io::Error::other)?;
        }
        let no_link = OFlags::NOFOLLOW.bits().cast_signed();
        OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(no_link).open(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::{BootLog, LIMIT};

    #[test]
    fn a_long_log_becomes_the_previous_one_at_the_next_boot() {
        let home = tempfile::tempdir().unwrap();
        let log = BootLog::of(home.path());
        let at = |name: &str| home.path().join("logs").join(name);
        log.rotate().unwrap();
        log.append(&["profile=default prior_state=None action=registered".to_owned()]).unwrap();
        log.rotate().unwrap();
        assert!(!at("container-boot.log.1").exists());
        std::fs::write(at("container-boot.log.1"), "older").unwrap();
        let long = usize::try_from(LIMIT).unwrap();
        std::fs::write(at("container-boot.log"), vec![b'x'; long]).unwrap();
        log.rotate().unwrap();
        assert_eq!(std::fs::read(at("container-boot.log.1")).unwrap().len(), long);
        log.note("profile=a");
        let text = std::fs::read_to_string(at("container-boot.log")).unwrap();
        let (time, line) = text.trim().split_once(' ').unwrap();
        assert_eq!(line, "profile=a");
        assert!(time.len() == 24 && time.ends_with("+0000"), "{time}");
    }

    #[test]
    fn a_link_in_place_of_the_log_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let outside = home.path().join("outside");
        std::fs::create_dir(home.path().join("logs")).unwrap();
        std::os::unix::fs::symlink(&outside, home.path().join("logs/container-boot.log")).unwrap();
        BootLog::of(home.path()).append(&["x".to_owned()]).unwrap_err();
        assert!(!outside.exists());
    }
}
