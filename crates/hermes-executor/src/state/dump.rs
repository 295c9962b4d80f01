//! What a shell left in its state descriptor.
//!
//! The descriptor is a piece of memory of fixed size: a shell that writes too much gets an
//! error, a command that scribbles into it spoils its own session's state at most, and nobody
//! waits for anybody. What is not complete and well-formed counts as nothing.

use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::io::{Errno, pread, retry_on_intr};

use super::declarations::{self, Declared};
use super::{DUMP_END, UNCHANGED};

/// Room for a shell's state.
const ROOM: usize = 1024 * 1024;
const UNWRITTEN: &[u8] = &[0; 64];

/// Fresh memory for one shell's state.
pub(crate) fn create() -> Result<OwnedFd, Errno> {
    let memory = memfd_create(c"hermes-state", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    ftruncate(&memory, ROOM as u64)?;
    fcntl_add_seals(&memory, SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(memory)
}

/// What a shell wrote at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dump {
    /// Its state, unless it is the one that it began with.
    pub(crate) left: Option<Left>,
    /// The status of a command that came to its end, and not to an early one.
    pub(crate) status: Option<u8>,
}

/// A shell's state at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    /// Where it was; empty if it could not tell.
    pub(super) directory: Vec<u8>,
    pub(super) exported: Vec<Declared>,
    /// Functions, which of them are exported, and aliases, in this order, as bash prints them
    /// and reads them again.
    pub(super) definitions: Vec<u8>,
}

/// Reads what a shell has left so far; `None` if it left nothing whole.
pub(crate) fn read(memory: &OwnedFd) -> Option<Dump> {
    let mut text = Vec::new();
    let mut chunk = [0; 8 * 1024];
    // Memory that was not written is zero, and no dump has that many zeros in a row: there is
    // no need to look further.
    while text.len() < ROOM && !text.ends_with(UNWRITTEN) {
        let length = retry_on_intr(|| pread(memory, &mut chunk[..], text.len() as u64)).ok()?;
        if length == 0 {
            break;
        }
        text.extend_from_slice(chunk.get(..length)?);
    }
    let end = text.iter().rposition(|byte| *byte != 0)? + 1;
    parse(text.get(..end)?)
}

fn parse(text: &[u8]) -> Option<Dump> {
    if let Some(status) = text.strip_suffix(UNCHANGED).and_then(|rest| rest.strip_suffix(b"\0")) {
        return Some(Dump { left: None, status: Some(parse_status(status)?) });
    }
    let mut parts = text.strip_suffix(DUMP_END)?.split(|byte| *byte == 0);
    let mut next = || parts.next();
    let directory = next()?;
    let directory = directory.strip_suffix(b"\n").unwrap_or(directory).to_vec();
    let exported = declarations::parse(next()?)?;
    let definitions = next()?.to_vec();
    let status = match next()? {
        b"" => None,
        status => Some(parse_status(status)?),
    };
    // The separator before the end mark makes one more, empty, part.
    let is_whole = next()? == b"" && parts.next().is_none();
    is_whole.then_some(Dump { left: Some(Left { directory, exported, definitions }), status })
}

fn parse_status(text: &[u8]) -> Option<u8> {
    str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Dump, ROOM, create, parse, read};
    use proptest::prelude::*;

    #[test]
    fn only_a_whole_dump_counts() {
        let whole = b"/tmp\n\0declare -x A=\"1\"\n\0f () \n{ \n    :\n}\nalias a='b'\n\x007\0hermes";
        let dump = parse(whole).unwrap();
        let left = dump.left.unwrap();
        assert_eq!(left.directory, b"/tmp");
        assert_eq!(left.exported, [(b"A".to_vec(), Some(b"1".to_vec()))]);
        assert_eq!(left.definitions, b"f () \n{ \n    :\n}\nalias a='b'\n");
        assert_eq!(dump.status, Some(7));
        assert_eq!(parse(b"7\0same"), Some(Dump { left: None, status: Some(7) }));
        assert_eq!(parse(b"\0same"), None);
        assert_eq!(parse(b"/tmp\n\x007\0same"), None);
        assert_eq!(parse(b"/\n\0\0\0\0hermes").unwrap().status, None);
        for cut in 0..whole.len() {
            assert_eq!(parse(&whole[..cut]), None, "{cut}");
        }
        assert_eq!(parse(b"/tmp\n\0\0\x30\0hermes"), None);
        assert_eq!(parse(b"/tmp\n\0\x00256\0hermes"), None);
        assert_eq!(parse(b"/tmp\n\0rubbish\0\0\x30\0hermes"), None);
        assert_eq!(parse(b"/tmp\n\0\0\0\x30\0\0hermes"), None);
    }

    #[test]
    fn memory_does_not_grow_and_nothing_written_is_nothing() {
        let memory = create().unwrap();
        assert_eq!(read(&memory), None);
        let flood = vec![b'x'; ROOM + 1];
        assert_eq!(rustix::io::write(&memory, &flood).unwrap(), ROOM);
        assert!(rustix::io::write(&memory, b"x").is_err());
        assert_eq!(read(&memory), None);
    }

    #[test]
    fn a_long_dump_is_read_whole() {
        let memory = create().unwrap();
        let value = "y".repeat(100_000);
        let text = format!("/\n\0declare -x A=\"{value}\"\n\0\x000\0hermes");
        rustix::io::write(&memory, text.as_bytes()).unwrap();
        assert_eq!(read(&memory).unwrap().left.unwrap().exported, [(b"A".to_vec(), Some(value.into_bytes()))]);
    }

    proptest! {
        #[test]
        fn garbage_is_no_panic(text in proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..300)) {
            let _ = parse(&text);
        }
    }
}
