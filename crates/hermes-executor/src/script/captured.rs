//! One output of a script, bounded from its first byte.
//!
//! Counted in bytes, as the script wrote them. A character that a cut goes through is left out and
//! counted with the rest, so that no replacement character appears where the script wrote none.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;

use rustix::io::ioctl_fionread;

use crate::scratch::ScratchUse;
use crate::stream::{Stream, read_once};

/// Whatever is asked for, more than this is never kept: two outputs, at their longest in JSON, are one message.
const MOST_KEPT: usize = 500_000;

/// Reads one output of a script.
#[derive(Debug)]
pub(super) struct Captured {
    stream: Stream,
    scratch: ScratchUse,
    kept: RefCell<Kept>,
    has_ended: Cell<bool>,
}

impl Captured {
    pub(super) fn new(stream: Stream, scratch: ScratchUse, kept: Kept) -> Self {
        Self { stream, scratch, kept: RefCell::new(kept), has_ended: Cell::new(false) }
    }

    /// Reads until every writer is gone. May be dropped and called again.
    pub(super) async fn pump(&self) {
        while !self.has_ended.get() {
            let read = self.stream.read_with(|descriptor| {
                self.scratch.with(|buffer| {
                    let length = read_once(descriptor, buffer)?;
                    self.kept.borrow_mut().push(buffer.get(..length).unwrap_or_default());
                    Ok(length)
                })
            });
            let length = read.await.unwrap_or(0);
            self.has_ended.set(length == 0);
            self.scratch.grow_after(length);
            // A flood must not keep the calls of the same script waiting.
            tokio::task::yield_now().await;
        }
    }

    /// What is in the pipe at this moment, and then the text.
    pub(super) fn finish(self) -> Text {
        let mut left = ioctl_fionread(&self.stream).ok().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
        while left > 0 && !self.has_ended.get() {
            match self.read_now(left) {
                Ok(length @ 1..) => left = left.saturating_sub(length),
                _ => break,
            }
        }
        self.kept.into_inner().finish()
    }

    fn read_now(&self, most: usize) -> io::Result<usize> {
        self.scratch.with(|buffer| {
            let most = most.min(buffer.len());
            let length = read_once(self.stream.as_fd(), buffer.get_mut(..most).unwrap_or_default())?;
            self.kept.borrow_mut().push(buffer.get(..length).unwrap_or_default());
            Ok(length)
        })
    }
}

/// What is kept of a stream: its beginning, and a part of its end.
#[derive(Debug)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_room: usize,
    tail_room: usize,
    total: u64,
    notice: Notice,
}

/// Whether the text itself says that something is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notice {
    Between,
    None,
}

/// The text of one output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) total: u64,
    pub(super) omitted: u64,
}

impl Kept {
    /// 40 % from the beginning, 60 % from the end, and between them how much is missing.
    pub(super) fn ends(limit: usize) -> Self {
        let limit = limit.min(MOST_KEPT);
        let head = limit * 2 / 5;
        Self::new(head, limit - head, Notice::Between)
    }

    /// The beginning alone.
    pub(super) fn beginning(limit: usize) -> Self {
        Self::new(limit.min(MOST_KEPT), 0, Notice::None)
    }

    fn new(head_room: usize, tail_room: usize, notice: Notice) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), head_room, tail_room, total: 0, notice }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (to_head, rest) = bytes.split_at(bytes.len().min(self.head_room - self.head.len()));
        self.head.extend_from_slice(to_head);
        let rest = rest.get(rest.len().saturating_sub(self.tail_room)..).unwrap_or_default();
        let overflow = (self.tail.len() + rest.len()).saturating_sub(self.tail_room);
        self.tail.drain(..overflow);
        self.tail.extend(rest);
    }

    fn finish(mut self) -> Text {
        let total = self.total;
        let is_cut = total > (self.head.len() + self.tail.len()) as u64;
        if is_cut {
            self.head.truncate(self.head.len() - unfinished(&self.head));
            let begun = self.tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
            self.tail.drain(..begun);
        }
        let omitted = total - (self.head.len() + self.tail.len()) as u64;
        let mut bytes = self.head;
        if is_cut && self.notice == Notice::Between {
            let notice = format!("\n\n... [OUTPUT TRUNCATED - {omitted} bytes omitted out of {total} total] ...\n\n");
            bytes.extend_from_slice(notice.as_bytes());
        }
        bytes.extend(self.tail);
        Text { text: String::from_utf8_lossy(&bytes).into_owned(), total, omitted }
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Bytes at the end that begin a character and do not finish it.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = bytes.get(bytes.len().saturating_sub(4)..).unwrap_or_default();
    match str::from_utf8(tail).err().filter(|error| error.error_len().is_none()) {
        Some(error) => tail.len() - error.valid_up_to(),
        None => match tail.split_first() {
            // The window itself may begin inside a character.
            Some((first, rest)) if is_continuation(*first) => unfinished(rest),
            _ => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, Text};
    use proptest::prelude::*;

    fn collect(mut kept: Kept, pieces: &[&[u8]]) -> Text {
        pieces.iter().for_each(|piece| kept.push(piece));
        kept.finish()
    }

    #[test]
    fn what_fits_to_the_byte_is_whole_and_one_more_is_cut() {
        let whole = "x".repeat(50_000);
        let text = collect(Kept::ends(50_000), &[whole.as_bytes()]);
        assert_eq!((text.text, text.total, text.omitted), (whole.clone(), 50_000, 0));
        let text = collect(Kept::ends(50_000), &[whole.as_bytes(), b"y"]);
        assert_eq!((text.total, text.omitted), (50_001, 1));
        let notice = "\n\n... [OUTPUT TRUNCATED - 1 bytes omitted out of 50001 total] ...\n\n";
        assert_eq!(text.text, format!("{}{notice}{}y", "x".repeat(20_000), "x".repeat(29_999)));
    }

    #[test]
    fn errors_keep_their_beginning() {
        let text = collect(Kept::beginning(10), &[b"0123456789"]);
        assert_eq!((text.text.as_str(), text.omitted), ("0123456789", 0));
        let text = collect(Kept::beginning(10), &[b"01234", b"56789abc"]);
        assert_eq!((text.text.as_str(), text.total, text.omitted), ("0123456789", 13, 3));
        assert_eq!(collect(Kept::beginning(0), &[b"abc"]).omitted, 3);
    }

    #[test]
    fn a_character_is_never_cut_in_two() {
        // Head of 4, tail of 6: both borders go through a character of three bytes.
        let text = collect(Kept::ends(10), &["aa€€€€€€b".as_bytes()]);
        assert_eq!((text.total, text.omitted), (21, 15));
        assert!(text.text.starts_with("aa\n") && text.text.ends_with("\n€b"), "{:?}", text.text);
        let text = collect(Kept::beginning(3), &["aä€".as_bytes()]);
        assert_eq!((text.text.as_str(), text.omitted), ("aä", 3));
        let text = collect(Kept::beginning(2), &["aä€".as_bytes()]);
        assert_eq!((text.text.as_str(), text.omitted), ("a", 5));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_uncounted_and_no_character_invented(
            text in "[a-zä€😀]{0,60}", limit in 0usize..80, step in 1usize..20
        ) {
            let pieces: Vec<_> = text.as_bytes().chunks(step).collect();
            for (kept, is_whole) in [(Kept::ends(limit), true), (Kept::beginning(limit), false)] {
                let collected = collect(kept, &pieces);
                prop_assert_eq!(collected.total, text.len() as u64);
                prop_assert_eq!(collected.text.matches('\u{fffd}').count(), 0);
                if text.len() <= limit {
                    prop_assert_eq!(&collected.text, &text);
                } else if !is_whole {
                    prop_assert!(text.starts_with(&collected.text) && collected.text.len() <= limit);
                    prop_assert_eq!(collected.omitted as usize, text.len() - collected.text.len());
                }
            }
        }
    }
}
