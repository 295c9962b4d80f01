//! The lock beside a file: what may stand there, and who gets to see it.

use std::convert::Infallible;
use std::path::Path;

use hermes_home::files::{Change, FileError, Mode, update};
use hermes_proto::Explain;
use rustix::fs::{FlockOperation, flock};

use super::child::program;
use super::support::{Ground, mode_of, put};

#[test]
fn a_lock_that_is_a_link_is_refused() {
    for target in ["../outside/precious", "other", "missing"] {
        let ground = Ground::new();
        ground.write("other", "other");
        ground.link("auth.lock", target);
        let error = put(&ground.home(), "auth.json", Mode::Private, "new").unwrap_err();
        assert!(matches!(error, FileError::LinkedLock { .. }), "{error:?}");
        assert!(error.to_string().contains(&format!("auth.lock is a symbolic link to {target}")), "{error}");
        assert!(error.hint().unwrap().starts_with("rm "), "{error}");
        assert_eq!(ground.read("other"), "other");
        assert!(!ground.file("auth.json").exists() && !ground.file("missing").exists());
        ground.assert_outside_untouched();
    }
}

#[test]
fn a_lock_that_is_no_file_is_refused() {
    let ground = Ground::new();
    std::fs::create_dir(ground.file("a.lock")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, ground.file("b.lock"), rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
        .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(ground.file("c.lock")).unwrap();
    for (name, kind) in [("a.txt", "a folder"), ("b.txt", "a named pipe"), ("c.txt", "a socket")] {
        let error = put(&ground.home(), name, Mode::Private, "new").unwrap_err();
        assert!(matches!(error, FileError::NotAFile { .. }), "{error:?}");
        assert!(error.to_string().contains(kind), "{error}");
    }
}

#[test]
fn a_lock_of_the_original_is_used_as_it_is() {
    let ground = Ground::new();
    ground.write("auth.lock", "");
    std::fs::set_permissions(ground.file("auth.lock"), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    put(&ground.home(), "auth.json", Mode::Private, "{}").unwrap();
    assert_eq!(mode_of(&ground.file("auth.lock")), 0o644);
    assert_eq!(ground.read("auth.lock").trim(), std::process::id().to_string());
}

#[test]
fn programs_started_during_an_update_do_not_get_the_lock() {
    let ground = Ground::new();
    let decide = |_: Option<&[u8]>| {
        let mut listing = program(&["ls", "-l", "/proc/self/fd"]);
        let open = listing.stdout(std::process::Stdio::piped()).output().unwrap().stdout;
        let open = String::from_utf8(open).unwrap();
        assert!(open.contains("/proc/") && !open.contains(ground.home().to_str().unwrap()), "{open}");
        Ok::<_, Infallible>(Change::Keep)
    };
    update(&ground.home(), "f.txt", Mode::Private, decide).unwrap();
}

#[test]
fn the_lock_is_free_after_every_outcome() {
    let ground = Ground::new();
    let outcome = |change: Result<Change, &'static str>| {
        // The result is the test's own doing; what matters is the lock.
        let _ = update(&ground.home(), "f.txt", Mode::Private, |_| change.map_err(std::io::Error::other));
        assert_free(&ground.file("f.lock"));
    };
    outcome(Ok(Change::Keep));
    outcome(Ok(Change::Replace(b"x".to_vec())));
    outcome(Ok(Change::Replace(b"x".to_vec())));
    outcome(Err("refused"));
    outcome(Ok(Change::Remove));
    outcome(Ok(Change::Remove));
    assert!(!ground.file("f.txt").exists());
}

fn assert_free(lock: &Path) {
    flock(std::fs::File::open(lock).unwrap(), FlockOperation::NonBlockingLockExclusive).unwrap();
}
