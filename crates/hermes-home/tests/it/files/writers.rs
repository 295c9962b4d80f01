//! Many writers at once: every change is there in the end.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::Path;

use hermes_home::files::{Change, Mode, update};

use super::child::{Task, assert_done};
use super::support::{Ground, temporaries};

const NAME: &str = "memories/MEMORY.md";
const WRITERS: usize = 8;
const INSERTIONS: usize = 25;

fn insert_line(home: &Path, line: &str) {
    update(home, NAME, Mode::Group, |current| {
        let mut text = current.map(<[u8]>::to_vec).unwrap_or_default();
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        Ok::<_, Infallible>(Change::Replace(text))
    })
    .unwrap();
}

/// The child: its lines one by one.
pub(super) fn insert(home: &Path, writer: &str) {
    for number in 0..INSERTIONS {
        insert_line(home, &format!("{writer}/{number}"));
    }
}

fn assert_nothing_lost(ground: &Ground) {
    let text = ground.read(NAME);
    let found: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    let expected =
        (0..WRITERS).flat_map(|writer| (0..INSERTIONS).map(move |number| format!("{writer}/{number}"))).collect();
    assert_eq!(found, expected);
    assert_eq!(text.lines().count(), WRITERS * INSERTIONS);
    assert_eq!(temporaries(&ground.file("memories")), Vec::<String>::new());
}

#[test]
fn eight_processes_lose_nothing() {
    let ground = Ground::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let task = Task::new("insert", ground.home()).value(writer.to_string());
            scope.spawn(move || assert_done(&task, task.command()));
        }
    });
    assert_nothing_lost(&ground);
}

#[test]
fn eight_threads_of_one_process_lose_nothing() {
    let ground = Ground::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let home = ground.home();
            scope.spawn(move || insert(&home, &writer.to_string()));
        }
    });
    assert_nothing_lost(&ground);
}
