//! Who is at the other end of a script's socket.
//!
//! A token can be stolen: whoever runs as the same user can read a process's environment. The kernel knows
//! which process connected; only one of this script's own tree is listened to. In a shared
//! container that keeps one session's scripts from speaking for another's.

use std::fs;
use std::io;

use rustix::process::geteuid;
use tokio::net::UnixStream;

/// Ancestors that are looked at; more would be a loop.
const MOST_ANCESTORS: usize = 4096;
/// A process whose parent ends while it is looked at gets another one.
const ATTEMPTS: usize = 3;

/// Why somebody is not listened to.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stranger {
    #[error("the kernel does not tell who connected: {0}")]
    Unknown(io::Error),
    #[error("the user {0} connected")]
    User(u32),
    #[error("process {0:?} is not one of this script")]
    Process(Option<i32>),
}

/// Whether a process of the tree below `root` connected.
pub(super) fn check(stream: &UnixStream, root: i32) -> Result<(), Stranger> {
    let peer = stream.peer_cred().map_err(Stranger::Unknown)?;
    if peer.uid() != geteuid().as_raw() {
        return Err(Stranger::User(peer.uid()));
    }
    // Without /proc there is no tree to be seen, and the token has to do.
    if parent_of("self").is_none() || peer.pid().is_some_and(|process| descends(process, root)) {
        Ok(())
    } else {
        Err(Stranger::Process(peer.pid()))
    }
}

fn descends(process: i32, root: i32) -> bool {
    (0..ATTEMPTS).any(|_| ancestors(process).any(|ancestor| ancestor == root))
}

fn ancestors(process: i32) -> impl Iterator<Item = i32> {
    let parent = |child: &i32| parent_of(&child.to_string()).filter(|parent| *parent > 1);
    std::iter::successors(Some(process).filter(|process| *process > 1), parent).take(MOST_ANCESTORS)
}

/// The name of a program may contain anything, brackets and spaces too; it ends at the last bracket.
fn parent_of(process: &str) -> Option<i32> {
    let stat = fs::read(format!("/proc/{process}/stat")).ok()?;
    let after = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = str::from_utf8(stat.get(after + 1..)?).ok()?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{check, descends, parent_of};
    use hermes_sandbox::process::command;
    use tokio::net::UnixStream;

    #[test]
    fn a_child_descends_and_a_sibling_does_not() {
        let own = std::process::id().cast_signed();
        assert!(parent_of("self").is_some_and(|parent| parent > 0));
        let mut children = [(); 2].map(|()| command("/bin/sleep").arg("300").spawn().unwrap());
        let [one, other] = [&children[0], &children[1]].map(|child| child.id().cast_signed());
        assert!(descends(one, own) && descends(one, one));
        assert!(!descends(one, other) && !descends(own, one));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(!descends(one, own), "who has ended belongs to nobody");
    }

    #[tokio::test]
    async fn only_the_tree_is_listened_to() {
        let own = std::process::id().cast_signed();
        let (near, _far) = UnixStream::pair().unwrap();
        check(&near, own).unwrap();
        check(&near, i32::MAX).unwrap_err();
    }
}
