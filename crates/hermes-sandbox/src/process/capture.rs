//! What a helper program wrote, up to a bound.
//!
//! A program that floods its output must cost neither memory (only the first bytes
//! are kept) nor be held up (the rest is read away and counted), and one that left
//! its pipe to somebody else must not be waited for (only what is there is read).

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

/// Read at once. A pipe holds 64 KiB unless somebody changed that.
const CHUNK: usize = 16 * 1024;

/// The beginning of what a program wrote to one of its outputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// At most as many bytes as the helper's output limit allows.
    pub bytes: Vec<u8>,
    /// How many more were written and not kept.
    pub dropped: u64,
}

impl Captured {
    /// As text, without surrounding white space; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim().to_owned()
    }

    /// The first line that is not empty, without control characters and cut to a
    /// length that fits a message.
    pub fn first_line(&self) -> Option<String> {
        const LONGEST: usize = 200;
        let text = self.text();
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        let mut shown: String = line.chars().filter(|c| !c.is_control()).take(LONGEST + 1).collect();
        if shown.chars().count() > LONGEST {
            shown.pop();
            shown.push('…');
        }
        Some(shown)
    }
}

/// The reading end of a pipe and what came out of it so far.
#[derive(Debug)]
pub(super) struct Capture {
    pipe: Option<OwnedFd>,
    limit: usize,
    captured: Captured,
}

impl Capture {
    /// Reads from `pipe`, which is made non-blocking; its writing end is not affected.
    pub(super) fn new(pipe: OwnedFd, limit: usize) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(pipe), limit, captured: Captured::default() })
    }

    /// The pipe, until all its writers are gone.
    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Takes one chunk; nothing happens if there is none.
    pub(super) fn take_chunk(&mut self) -> io::Result<()> {
        self.take_up_to(CHUNK).map(drop)
    }

    /// Takes what is in the pipe at this moment, even if somebody keeps filling it.
    pub(super) fn take_rest(&mut self) -> io::Result<()> {
        let Some(pipe) = &self.pipe else { return Ok(()) };
        let mut left = usize::try_from(rustix::io::ioctl_fionread(pipe)?).unwrap_or(usize::MAX);
        while left > 0 {
            match self.take_up_to(left.min(CHUNK))? {
                0 => break,
                taken => left -= taken,
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Captured {
        self.captured
    }

    fn take_up_to(&mut self, most: usize) -> io::Result<usize> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        let mut buffer = [0; CHUNK];
        match rustix::io::read(pipe, &mut buffer[..most]) {
            Ok(0) => self.pipe = None,
            Ok(taken) => {
                self.keep(&buffer[..taken]);
                return Ok(taken);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(0)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.limit - self.captured.bytes.len();
        let (kept, dropped) = bytes.split_at(bytes.len().min(room));
        self.captured.bytes.extend_from_slice(kept);
        self.captured.dropped += dropped.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Capture, Captured};

    #[test]
    fn the_rest_is_taken_whole_and_only_its_beginning_kept() {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
        let mut capture = Capture::new(reader, CHUNK + 1).unwrap();
        capture.take_rest().unwrap();
        assert_eq!(rustix::io::write(&writer, &[7; 2 * CHUNK]).unwrap(), 2 * CHUNK);
        capture.take_chunk().unwrap();
        capture.take_rest().unwrap();
        assert!(capture.pipe().is_some(), "the writer is still there");
        drop(writer);
        capture.take_chunk().unwrap();
        assert!(capture.pipe().is_none());
        let expected = Captured { bytes: vec![7; CHUNK + 1], dropped: CHUNK as u64 - 1 };
        assert_eq!(capture.finish(), expected);
    }

    #[test]
    fn the_first_line_fits_a_message() {
        let check = |written: &[u8], expected: Option<&str>| {
            let captured = Captured { bytes: written.to_vec(), dropped: 0 };
            assert_eq!(captured.first_line().as_deref(), expected, "{written:?}");
        };
        check(b"", None);
        check(b" \n\t\n", None);
        check(b"\n  one  \ntwo\n", Some("one"));
        check(b"\x1b[31mred\x1b[0m", Some("[31mred[0m"));
        check(b"not \xff text", Some("not \u{fffd} text"));
        check("ä".repeat(200).as_bytes(), Some(&"ä".repeat(200)));
        check("ä".repeat(201).as_bytes(), Some(&format!("{}…", "ä".repeat(200))));
    }
}
