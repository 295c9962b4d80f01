//! The file itself: private, never replaced, and errors that say what is wrong with it.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use hermes_proto::{Explain, Fault};
use hermes_store::audit::{Entry, Kind, RequestId, VerifyError};
use hermes_store::{FILE, StoreError};

use super::child::audit;

fn append(home: &Path) -> Result<(), StoreError> {
    audit(home).append(&[Entry::new(Kind::Note, &RequestId::new())]).map(drop)
}

fn read(home: &Path) -> Result<(), StoreError> {
    match audit(home).verify() {
        Ok(_) => Ok(()),
        Err(VerifyError::Store(error)) => Err(error),
        Err(broken) => panic!("{broken}"),
    }
}

/// Fails for a reader and for a writer in the same way, and changes nothing.
#[track_caller]
fn assert_refused(home: &Path, expected: fn(&StoreError) -> bool) {
    let before = std::fs::read(home.join(FILE)).ok();
    for outcome in [read(home), append(home)] {
        let error = outcome.unwrap_err();
        assert!(expected(&error), "{error:?}");
        assert_eq!(error.fault(), Fault::Configuration);
        assert!(error.hint().is_some(), "{error:?}");
        assert!(error.to_string().contains(FILE), "{error}");
    }
    assert_eq!(std::fs::read(home.join(FILE)).ok(), before);
}

#[test]
fn only_the_owner_may_read_any_of_its_files() {
    let home = tempfile::tempdir().unwrap();
    let audit = audit(home.path());
    audit.append(&[Entry::new(Kind::Note, &RequestId::new())]).unwrap();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(home.path()).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with(FILE) {
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{name}");
            names.push(name);
        }
    }
    names.sort();
    assert_eq!(names, [FILE.to_owned(), format!("{FILE}-shm"), format!("{FILE}-wal")]);
}

#[test]
fn a_damaged_file_is_an_error_and_stays() {
    for damage in [Vec::new(), b"not a database, but long enough to be looked at as one".repeat(80)] {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(FILE), damage).unwrap();
        assert_refused(home.path(), |error| matches!(error, StoreError::Damaged { .. }));
    }
    let home = tempfile::tempdir().unwrap();
    append(home.path()).unwrap();
    let path = home.path().join(FILE);
    let whole = std::fs::read(&path).unwrap();
    let overwritten: Vec<u8> = whole.iter().enumerate().map(|(at, byte)| if at < 100 { *byte } else { 0xa5 }).collect();
    std::fs::write(&path, overwritten).unwrap();
    assert_refused(home.path(), |error| matches!(error, StoreError::Damaged { .. }));
}

#[test]
fn a_newer_layout_is_refused() {
    let home = tempfile::tempdir().unwrap();
    append(home.path()).unwrap();
    let connection = rusqlite::Connection::open(home.path().join(FILE)).unwrap();
    connection.pragma_update(None, "user_version", 9999).unwrap();
    drop(connection);
    assert_refused(home.path(), |error| matches!(error, StoreError::Newer { found: 9999, .. }));
}

#[test]
fn a_database_of_another_program_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let connection = rusqlite::Connection::open(home.path().join(FILE)).unwrap();
    connection.execute_batch("CREATE TABLE audit (x); PRAGMA user_version = 1").unwrap();
    drop(connection);
    assert_refused(home.path(), |error| matches!(error, StoreError::Foreign { .. }));
}

#[test]
fn a_link_or_a_folder_is_refused() {
    let (home, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    append(outside.path()).unwrap();
    symlink(outside.path().join(FILE), home.path().join(FILE)).unwrap();
    assert_refused(home.path(), |error| matches!(error, StoreError::NotAFile { .. }));
    std::fs::remove_file(home.path().join(FILE)).unwrap();
    std::fs::create_dir(home.path().join(FILE)).unwrap();
    assert_refused(home.path(), |error| matches!(error, StoreError::NotAFile { .. }));
}

/// SQLite would play the old log into the new file.
#[test]
fn a_log_without_its_store_is_not_taken_over() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join(format!("{FILE}-wal"));
    std::fs::write(&log, "left over").unwrap();
    let error = append(home.path()).unwrap_err();
    assert!(matches!(error, StoreError::LogAlone { .. }), "{error:?}");
    assert_eq!(std::fs::metadata(&log).unwrap().size(), 9);
    assert!(!home.path().join(FILE).exists());
}

#[test]
fn a_store_that_may_not_be_opened_says_so() {
    let home = tempfile::tempdir().unwrap();
    append(home.path()).unwrap();
    let path = home.path().join(FILE);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if rustix::process::geteuid().is_root() {
        // Root is refused nothing by a mode.
        return append(home.path()).unwrap();
    }
    assert_refused(home.path(), |error| matches!(error, StoreError::Denied { .. }));
}
