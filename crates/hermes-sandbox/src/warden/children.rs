//! Whose parent we are, as the kernel knows it.
//!
//! The kernel keeps a list per thread; where it was built without it, every process is asked
//! for its parent. Nothing here allocates (except [`own_children`]), because a warden asks too.
//! A list can only grow while it is read: children leave it when they are reaped, and the only one
//! who reaps is the one who reads.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use rustix::io::Errno;
use rustix::process::{Pid, getpid};

const READ_ONLY: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);
const FOLDER: OFlags = READ_ONLY.union(OFlags::DIRECTORY);

/// All children of this process, of whichever thread.
pub fn own_children() -> Vec<Pid> {
    let mut children = Vec::new();
    for_each_child(&mut |child| children.push(child));
    children
}

/// Calls `action` for every child of this process. Allocation-free.
pub(super) fn for_each_child(action: &mut dyn FnMut(Pid)) {
    if listed_by_threads(action).is_err() {
        // Without /proc nobody can be found; the caller still has the process group.
        let _ = found_by_parent(action);
    }
}

/// From the kernel's own lists; an error if it keeps none.
fn listed_by_threads(action: &mut dyn FnMut(Pid)) -> Result<(), Errno> {
    let threads = openat(CWD, c"/proc/self/task", FOLDER, Mode::empty())?;
    for_each_number(threads.as_fd(), &mut |thread| {
        let list = openat(thread, c"children", READ_ONLY, Mode::empty())?;
        for_each_in_list(&list, action)
    })
}

/// By asking every process for its parent.
fn found_by_parent(action: &mut dyn FnMut(Pid)) -> Result<(), Errno> {
    let own = getpid();
    let processes = openat(CWD, c"/proc", FOLDER, Mode::empty())?;
    for_each_numbered(processes.as_fd(), &mut |number, process| {
        if parent_of(process) == Some(own) {
            action(number);
        }
        Ok(())
    })
}

fn for_each_number(
    folder: BorrowedFd<'_>,
    action: &mut dyn FnMut(BorrowedFd<'_>) -> Result<(), Errno>,
) -> Result<(), Errno> {
    for_each_numbered(folder, &mut |_, entry| action(entry))
}

/// Opens every entry of a folder in /proc whose name is a number.
fn for_each_numbered(
    folder: BorrowedFd<'_>,
    action: &mut dyn FnMut(Pid, BorrowedFd<'_>) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut entries = RawDir::new(folder, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let Some(number) = number_of(entry.file_name()) else { continue };
        match openat(folder, entry.file_name(), FOLDER, Mode::empty()) {
            Ok(opened) => action(number, opened.as_fd())?,
            // It ended meanwhile.
            Err(Errno::NOENT | Errno::SRCH) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn number_of(name: &CStr) -> Option<Pid> {
    let mut number = Number::default();
    for byte in name.to_bytes() {
        if !number.push(*byte) {
            return None;
        }
    }
    number.take()
}

/// The numbers in a `children` file, which are separated by spaces.
fn for_each_in_list(list: &OwnedFd, action: &mut dyn FnMut(Pid)) -> Result<(), Errno> {
    let mut buffer = [0_u8; 4096];
    let mut number = Number::default();
    loop {
        let length = match rustix::io::read(list, &mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(Errno::INTR) => continue,
            // The thread ended meanwhile.
            Err(Errno::SRCH | Errno::NOENT) => break,
            Err(error) => return Err(error),
        };
        for byte in buffer.get(..length).unwrap_or_default() {
            if !number.push(*byte)
                && let Some(child) = number.take()
            {
                action(child);
            }
        }
    }
    if let Some(child) = number.take() {
        action(child);
    }
    Ok(())
}

/// The parent in a process's `stat`: the second field after the name, which may itself
/// contain anything and ends at the last parenthesis.
fn parent_of(process: BorrowedFd<'_>) -> Option<Pid> {
    let stat = openat(process, c"stat", READ_ONLY, Mode::empty()).ok()?;
    let mut buffer = [0_u8; 512];
    let length = rustix::io::read(&stat, &mut buffer).ok()?;
    let text = buffer.get(..length)?;
    let name_end = text.iter().rposition(|byte| *byte == b')')?;
    let mut fields = text.get(name_end..)?.split(|byte| *byte == b' ').skip(2);
    let mut number = Number::default();
    fields.next()?.iter().all(|byte| number.push(*byte)).then(|| number.take())?
}

/// A decimal number in the making.
#[derive(Debug, Default)]
struct Number(Option<i32>);

impl Number {
    /// Takes a digit; false, and nothing changed, if it is none.
    fn push(&mut self, byte: u8) -> bool {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            self.0 = Some(self.0.unwrap_or(0).wrapping_mul(10).wrapping_add(i32::from(digit)));
        }
        digit < 10
    }

    fn take(&mut self) -> Option<Pid> {
        self.0.take().filter(|number| *number > 0).and_then(Pid::from_raw)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{found_by_parent, listed_by_threads, number_of};
    use crate::process::command;

    #[test]
    fn both_ways_find_a_child() {
        let mut child = command("/bin/sleep").arg("300").spawn().unwrap();
        let (mut listed, mut found) = (BTreeSet::new(), BTreeSet::new());
        listed_by_threads(&mut |child| listed.extend([child.as_raw_nonzero().get()])).unwrap();
        found_by_parent(&mut |child| found.extend([child.as_raw_nonzero().get()])).unwrap();
        let expected = child.id().cast_signed();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(listed.contains(&expected), "{listed:?}");
        assert!(found.contains(&expected), "{found:?}");
    }

    #[test]
    fn only_numbers_are_processes() {
        let check = |name: &std::ffi::CStr, expected: Option<i32>| {
            assert_eq!(number_of(name).map(|pid| pid.as_raw_nonzero().get()), expected, "{name:?}");
        };
        check(c"1", Some(1));
        check(c"4194304", Some(4_194_304));
        check(c"self", None);
        check(c"12a", None);
        check(c"", None);
        check(c"0", None);
    }
}
