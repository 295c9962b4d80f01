//! The pieces of the holder that need no executor.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use hermes_proto::executor::INITIAL_WINDOW;
use hermes_proto::{Explain, Fault};
use tokio::time::timeout;

use super::claim::Claim;
use super::credit::Credit;
use super::error::HeldError;
use super::input::{InputQueue, Overrun};

const WINDOW: usize = INITIAL_WINDOW as usize;
const SHORT: Duration = Duration::from_millis(20);

#[tokio::test]
async fn credit_is_spent_and_waited_for() {
    let credit = Credit::new();
    assert_eq!(credit.take(WINDOW - 1).await, WINDOW - 1);
    assert_eq!(credit.take(100).await, 1);
    assert!(timeout(SHORT, credit.take(100)).await.is_err());
    let (taken, ()) = tokio::join!(credit.take(100), async { credit.grant(7) });
    assert_eq!(taken, 7);
    // However much is granted, it does not overflow.
    (0..3).for_each(|_| credit.grant(u32::MAX));
    assert_eq!(credit.take(100).await, 100);
}

#[tokio::test]
async fn input_is_bounded_by_what_was_granted() {
    let queue = InputQueue::new();
    assert_eq!(queue.push(&vec![1; WINDOW]), Ok(()));
    assert_eq!(queue.push(&[2]), Err(Overrun));
    let taken = queue.next().await.unwrap();
    assert_eq!(taken.len(), WINDOW);
    // Taken is not granted: only what the command has got makes room.
    assert_eq!(queue.push(&[2]), Err(Overrun));
    queue.reopen(1);
    assert_eq!(queue.push(&[2]), Ok(()));
    queue.end();
    assert_eq!((queue.next().await, queue.next().await), (Some(vec![2]), None));
}

#[tokio::test]
async fn a_home_is_claimed_once() {
    let home = tempfile::tempdir().unwrap();
    let (claim, _listener) = Claim::take(home.path()).unwrap();
    let mode = home.path().join("exec.sock").symlink_metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    let error = Claim::take(home.path()).unwrap_err();
    assert!(
        matches!(&error, HeldError::Held { holder: Some(holder) } if holder.pid == std::process::id()),
        "{error:?}"
    );
    assert_eq!(error.fault(), Fault::TryAgain);
    drop(claim);
    assert!(!home.path().join("exec.sock").exists());
    Claim::take(home.path()).unwrap();
}

#[tokio::test]
async fn a_holder_whose_lock_was_deleted_does_not_remove_the_next_ones_socket() {
    let home = tempfile::tempdir().unwrap();
    let (first, _listener) = Claim::take(home.path()).unwrap();
    std::fs::remove_file(home.path().join("exec.lock")).unwrap();
    // The file is another one now, and so is the lock; the newer holder is the one that is reached.
    let (second, _newer) = Claim::take(home.path()).unwrap();
    drop(first);
    assert!(second.socket().exists());
    drop(second);
    assert!(!home.path().join("exec.sock").exists());
}

#[tokio::test]
async fn a_lock_that_is_a_link_or_a_folder_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let lock = home.path().join("exec.lock");
    std::os::unix::fs::symlink("/etc/hostname", &lock).unwrap();
    assert!(matches!(Claim::take(home.path()), Err(HeldError::OpenLock { .. })));
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    assert!(matches!(Claim::take(home.path()), Err(HeldError::OpenLock { .. })));
    assert!(!home.path().join("exec.sock").exists());
}
