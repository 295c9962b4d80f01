//! The home and the files in it that decide or hold secrets: whose they are and who
//! else may use them. What is in them is for other checks.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hermes_home::Home;
use hermes_home::files::{self, Account, quoted};
use hermes_proto::Explain;
use rustix::fs::{Access, access};

use super::finding::Finding;
use super::paths::shown;
use super::subject::Subject;

/// Permission bits of everybody but the owner.
const NOT_THE_OWNER: u32 = 0o077;
/// What nobody else may do with the configuration: change it, or read it from outside
/// the group.
const NOT_FOR_CONFIGURATION: u32 = 0o027;
const ALL_MAY_WRITE: u32 = 0o002;

/// The home itself.
pub(super) fn folder(subject: &Subject) -> Finding {
    let home = match subject.home() {
        Ok(home) => home,
        Err(finding) => return finding.clone(),
    };
    let path = home.path();
    match path.metadata() {
        Ok(metadata) => existing_folder(path, &metadata, subject),
        Err(error) => Finding::failure(format!("{} cannot be looked at: {error}", shown(path, subject)), ls(path)),
    }
}

pub(super) fn config_file(subject: &Subject) -> Finding {
    file(subject, Home::config_path, |path, mode| match mode {
        mode if mode & ALL_MAY_WRITE != 0 => {
            Some(Finding::failure(format!("{mode:04o}: anybody may change it"), format!("chmod 640 {}", quoted(path))))
        }
        mode if mode & NOT_FOR_CONFIGURATION != 0 => Some(Finding::warning(
            format!("{mode:04o}: open to others than its owner"),
            format!("chmod 640 {}", quoted(path)),
        )),
        _ => None,
    })
}

pub(super) fn env_file(subject: &Subject) -> Finding {
    file(subject, Home::env_path, secret_mode)
}

pub(super) fn auth_file(subject: &Subject) -> Finding {
    file(subject, Home::auth_path, secret_mode)
}

fn secret_mode(path: &Path, mode: u32) -> Option<Finding> {
    (mode & NOT_THE_OWNER != 0).then(|| {
        Finding::failure(
            format!("{mode:04o}: holds secrets and is open to others than its owner"),
            format!("chmod 600 {}", quoted(path)),
        )
    })
}

/// A file of the home: missing is fine, unreadable never is, the rest is a matter of mode.
fn file(subject: &Subject, place: fn(&Home) -> PathBuf, judge: fn(&Path, u32) -> Option<Finding>) -> Finding {
    subject.with_home(|home| {
        let path = place(home);
        match files::read(&path) {
            Ok(None) => return Finding::ok("none yet"),
            Ok(Some(_)) => {}
            Err(error) => return unreadable(&path, &error),
        }
        match path.metadata() {
            Ok(metadata) => {
                let mode = metadata.mode() & 0o7777;
                judge(&path, mode).unwrap_or_else(|| Finding::ok(format!("{} ({mode:04o})", shown(&path, subject))))
            }
            Err(error) => Finding::failure(format!("cannot be looked at: {error}"), ls(&path)),
        }
    })
}

fn unreadable(path: &Path, error: &files::FileError) -> Finding {
    Finding::failure(error.to_string(), error.hint().unwrap_or_else(|| ls(path)))
}

fn ls(path: &Path) -> String {
    format!("see what is there: ls -ld {}", quoted(path))
}

fn existing_folder(path: &Path, metadata: &Metadata, subject: &Subject) -> Finding {
    let (mode, owner, we) = (metadata.mode() & 0o7777, Account::of(metadata.uid()), Account::current());
    let named = format!("{} ({mode:04o})", shown(path, subject));
    if owner != we {
        return Finding::failure(
            format!("{named} belongs to {owner}, and this is {we}"),
            format!("run Hermes as its owner, or: sudo chown -R {} {}", we.uid, quoted(path)),
        );
    }
    if let Err(error) = access(path, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        return Finding::failure(
            format!("{named} cannot be used: {error}"),
            format!("chmod 700 {}, or set HERMES_HOME to a folder on a writable disk", quoted(path)),
        );
    }
    if mode & NOT_THE_OWNER != 0 {
        return Finding::warning(
            format!("{named} is open to others than its owner"),
            format!("chmod 700 {}", quoted(path)),
        );
    }
    Finding::ok(named)
}
