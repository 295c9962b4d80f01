//! A writer that is killed at any moment leaves the old content or the new one.

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use hermes_home::files::{Change, Mode, update};
use rustix::fs::{FlockOperation, flock};

use super::child::Task;
use super::support::{Ground, mode_of, put, temporaries};

const NAME: &str = "config.yaml";
const KILLS: usize = 200;
const LONGEST_LIFE_IN_MICROSECONDS: u64 = 8000;
/// Neither what a new file would get nor what a umask would leave.
const BITS: u32 = 0o604;

/// A content that shows whether it is whole, of a size that varies.
fn content(generation: u64) -> String {
    let size = usize::try_from(generation * 7919 % 60_000).unwrap();
    format!("generation {generation}\n{}\nend {generation}\n", "x".repeat(size))
}

/// The generation of a whole content.
fn generation(text: &str) -> u64 {
    let first = text.lines().next().and_then(|line| line.strip_prefix("generation "));
    let number = first.unwrap_or_else(|| panic!("no first line: {text:?}")).parse().unwrap();
    assert!(text == content(number), "generation {number} is torn: {} bytes", text.len());
    number
}

fn advance(home: &Path) -> u64 {
    let mut next = 0;
    update(home, NAME, Mode::Private, |current| {
        next = generation(std::str::from_utf8(current.unwrap()).unwrap()) + 1;
        Ok::<_, std::convert::Infallible>(Change::Replace(content(next).into_bytes()))
    })
    .unwrap();
    next
}

/// The child: writes one generation after the other and tells when each is done.
pub(super) fn write_for_ever(home: &Path) {
    loop {
        let line = format!("{}\n", advance(home));
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

/// Lets a writer live for a while; answers the last generation that it told.
fn kill_a_writer(home: &Path, life: Duration) -> u64 {
    let mut child = Task::new("write", home.to_owned()).command().spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = told.next().unwrap().unwrap();
    std::thread::sleep(life);
    child.kill().unwrap();
    child.wait().unwrap();
    // The kill may also hit between the number and its end of line.
    told.map_while(Result::ok).last().unwrap_or(first).parse().unwrap()
}

#[test]
fn two_hundred_kills_lose_and_break_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let ground = Ground::new();
    let home = ground.home();
    put(&home, NAME, Mode::Private, content(0)).unwrap();
    std::fs::set_permissions(ground.file(NAME), std::fs::Permissions::from_mode(BITS)).unwrap();
    let random = RandomState::new();
    let mut interrupted = 0;
    for kill in 0..KILLS {
        let life = Duration::from_micros(random.hash_one(kill) % LONGEST_LIFE_IN_MICROSECONDS);
        let told = kill_a_writer(&home, life);
        let found = generation(&ground.read(NAME));
        assert!(found == told || found == told + 1, "kill {kill}: told {told}, found {found}");
        assert_eq!(mode_of(&ground.file(NAME)), BITS, "kill {kill}");
        interrupted += usize::from(!temporaries(&home).is_empty());
        let lock = std::fs::File::open(ground.file("config.lock")).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        drop(lock);
        assert_eq!(advance(&home), found + 1);
        assert_eq!(temporaries(&home), Vec::<String>::new(), "kill {kill}");
    }
    assert!(interrupted > 0, "no kill came in the middle of a write: the test showed nothing");
}
