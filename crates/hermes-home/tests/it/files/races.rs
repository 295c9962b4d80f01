//! Folders, files and locks that turn into links to the outside while an update is
//! under way: it may fail, but what is outside never changes.

use std::convert::Infallible;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_home::files::{Change, FileError, Mode, update};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::support::Ground;

const UPDATES: usize = 300;
/// For a machine so busy that the other thread hardly runs.
const MOST_UPDATES: usize = 20 * UPDATES;

/// Updates `file` again and again while another thread does `flip`. Both outcomes
/// must be seen; what is outside may neither change nor pass for the content.
fn check(ground: &Ground, file: &str, flip: impl Fn() + Sync) {
    let stop = AtomicBool::new(false);
    let (mut succeeded, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let stopped = StopOnDrop(&stop);
        let flipper = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                flip();
            }
        });
        for number in 0..MOST_UPDATES {
            if number >= UPDATES && succeeded > 0 && refused > 0 {
                break;
            }
            let outcome = update(&ground.home(), file, Mode::Private, |current| {
                assert!(current.is_some_and(|bytes| bytes != b"precious"), "seen: {current:?}");
                Ok::<_, Infallible>(Change::Replace(number.to_string().into_bytes()))
            });
            match outcome.map_err(FileError::from) {
                Ok(()) => succeeded += 1,
                Err(FileError::LeavesHome { .. } | FileError::LinkedLock { .. } | FileError::Unstable { .. }) => {
                    refused += 1;
                }
                Err(error) => panic!("{error:?}"),
            }
        }
        drop(stopped);
        flipper.join().unwrap();
    });
    assert!(succeeded > 0 && refused > 0, "the race did not happen: {succeeded} succeeded, {refused} refused");
    ground.assert_outside_untouched();
}

/// Stops the other thread also when an assertion fails in this one.
struct StopOnDrop<'flag>(&'flag AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swaps two entries of the home.
fn exchange(ground: &Ground, one: &str, other: &str) {
    renameat_with(CWD, ground.file(one), CWD, ground.file(other), RenameFlags::EXCHANGE).unwrap();
}

#[test]
fn a_folder_that_keeps_turning_into_a_link() {
    let ground = Ground::new();
    ground.write("folder/precious", "inside");
    ground.link("evil", ground.outside());
    check(&ground, "folder/precious", || exchange(&ground, "folder", "evil"));
}

#[test]
fn a_file_that_keeps_turning_into_a_link() {
    let ground = Ground::new();
    ground.write("precious", "inside");
    let (file, next) = (ground.file("precious"), ground.file("next"));
    check(&ground, "precious", || {
        symlink(ground.outside().join("precious"), &next).unwrap();
        std::fs::rename(&next, &file).unwrap();
        std::fs::write(&next, "inside").unwrap();
        std::fs::rename(&next, &file).unwrap();
    });
}

#[test]
fn a_lock_that_keeps_turning_into_a_link() {
    let ground = Ground::new();
    ground.write("file.lock", "");
    ground.write("file.txt", "inside");
    ground.link("evil", ground.outside().join("precious"));
    check(&ground, "file.txt", || exchange(&ground, "file.lock", "evil"));
}
