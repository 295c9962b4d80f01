//! The output of one command, bounded from its first byte.
//!
//! The first 40 % and the last 60 % of what may be returned are kept. Together they are the
//! whole until the bound is passed; at that moment, and not before, a file is begun that gets
//! what was kept so far and all that follows, up to its own bound.

use std::path::{Path, PathBuf};

use hermes_proto::executor::OutputLimits;

use super::decoder::Decoder;
use super::rolling::Rolling;
use super::spill::Spill;

/// More than this is never returned, whatever is asked for.
const MOST_RETURNED: usize = 1_000_000;

/// Collects output.
#[derive(Debug)]
pub(crate) struct Bounded {
    decoder: Decoder,
    kept: Kept,
}

/// What is returned.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Collected {
    pub(crate) text: String,
    pub(crate) total_characters: u64,
    pub(crate) omitted_characters: u64,
    pub(crate) spill_path: Option<PathBuf>,
    pub(crate) note: Option<String>,
}

impl Bounded {
    pub(crate) fn new(limits: OutputLimits, spill_folder: Option<PathBuf>) -> Self {
        let returned = limits.returned_characters.min(MOST_RETURNED);
        let head = returned * 2 / 5;
        let kept = Kept {
            head: String::new(),
            head_room: head,
            tail: Rolling::new(returned - head),
            overflow: Overflow::NotYet { folder: spill_folder, limit: limits.spilled_bytes },
        };
        Self { decoder: Decoder::default(), kept }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let kept = &mut self.kept;
        self.decoder.decode(bytes, &mut |piece| kept.push(piece));
    }

    pub(crate) fn finish(mut self) -> Collected {
        let kept = &mut self.kept;
        self.decoder.finish(&mut |piece| kept.push(piece));
        self.kept.finish()
    }
}

#[derive(Debug)]
struct Kept {
    head: String,
    /// Characters that still go to the head.
    head_room: usize,
    tail: Rolling,
    overflow: Overflow,
}

/// Where the full stream goes.
#[derive(Debug)]
enum Overflow {
    NotYet { folder: Option<PathBuf>, limit: u64 },
    Into(Spill),
    Nowhere { note: Option<String> },
}

impl Kept {
    fn push(&mut self, piece: &str) {
        let (to_head, to_tail) = split_characters(piece, self.head_room);
        if !to_head.is_empty() {
            self.head.push_str(to_head);
            self.head_room -= to_head.chars().count();
        }
        if !to_tail.is_empty() {
            self.push_tail(to_tail);
        }
    }

    fn push_tail(&mut self, piece: &str) {
        if let Overflow::Into(spill) = &mut self.overflow {
            if let Err(error) = spill.push(piece) {
                self.overflow = Overflow::Nowhere { note: Some(error.to_string()) };
            }
            return self.tail.push(piece);
        }
        let would_drop = self.tail.would_drop(piece);
        if would_drop && let Overflow::NotYet { folder, limit } = &self.overflow {
            self.overflow = self.begin_spill(folder.as_deref(), *limit, piece);
        }
        self.tail.push(piece);
    }

    /// The stream from its beginning: what was kept so far is all of it.
    fn begin_spill(&self, folder: Option<&Path>, limit: u64, piece: &str) -> Overflow {
        let Some(folder) = folder.filter(|_| limit > 0) else { return Overflow::Nowhere { note: None } };
        let begun = Spill::create(folder, limit).and_then(|mut spill| {
            for part in [&self.head, self.tail.text(), piece] {
                spill.push(part)?;
            }
            Ok(spill)
        });
        match begun {
            Ok(spill) => Overflow::Into(spill),
            Err(error) => Overflow::Nowhere { note: Some(error.to_string()) },
        }
    }

    fn finish(self) -> Collected {
        let omitted = self.tail.dropped();
        let total = self.head.chars().count() as u64 + self.tail.total();
        let mut text = self.head;
        if omitted > 0 {
            text.push_str(&format!(
                "\n\n... [OUTPUT TRUNCATED - {omitted} chars omitted out of {total} total] ...\n\n"
            ));
        }
        text.push_str(self.tail.text());
        let (spill_path, note) = match self.overflow {
            Overflow::NotYet { .. } => (None, None),
            Overflow::Into(spill) => (Some(spill.path().to_owned()), None),
            Overflow::Nowhere { note } => (None, note),
        };
        Collected { text, total_characters: total, omitted_characters: omitted, spill_path, note }
    }
}

/// The first so-many characters, and the rest.
fn split_characters(text: &str, characters: usize) -> (&str, &str) {
    if characters == 0 {
        return ("", text);
    }
    let at = text.char_indices().nth(characters).map_or(text.len(), |(index, _)| index);
    text.split_at(at)
}

#[cfg(test)]
mod tests {
    use super::{Bounded, Collected};
    use hermes_proto::executor::OutputLimits;
    use std::fs;
    use std::path::Path;

    fn collect(returned: usize, spilled: u64, folder: Option<&Path>, pieces: &[&str]) -> Collected {
        let limits = OutputLimits { returned_characters: returned, spilled_bytes: spilled };
        let mut bounded = Bounded::new(limits, folder.map(Path::to_owned));
        pieces.iter().for_each(|piece| bounded.push(piece.as_bytes()));
        bounded.finish()
    }

    #[test]
    fn what_fits_is_returned_as_it_is_and_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let whole = collect(10, 100, Some(folder.path()), &["ä234", "56", "7890"]);
        assert_eq!(whole.text, "ä234567890");
        assert_eq!((whole.total_characters, whole.omitted_characters, whole.spill_path), (10, 0, None));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_does_not_fit_is_head_and_tail_and_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let cut = collect(10, 100, Some(folder.path()), &["ä2345", "67890", "xyz", "end"]);
        assert_eq!(cut.text, "ä234\n\n... [OUTPUT TRUNCATED - 6 chars omitted out of 16 total] ...\n\nxyzend");
        assert_eq!((cut.total_characters, cut.omitted_characters), (16, 6));
        assert_eq!(fs::read_to_string(cut.spill_path.unwrap()).unwrap(), "ä234567890xyzend");
    }

    #[test]
    fn the_file_is_bounded_too() {
        let folder = tempfile::tempdir().unwrap();
        let cut = collect(4, 6, Some(folder.path()), &["1234", "5678", "9"]);
        assert_eq!(fs::read_to_string(cut.spill_path.unwrap()).unwrap(), "123456");
        assert_eq!(cut.total_characters, 9);
    }

    #[test]
    fn a_file_that_cannot_be_is_said_and_nothing_else_is_lost() {
        let cut = collect(4, 6, Some(Path::new("/proc/no/such")), &["1234", "5678"]);
        assert_eq!(cut.text, "1\n\n... [OUTPUT TRUNCATED - 4 chars omitted out of 8 total] ...\n\n678");
        assert!(cut.note.unwrap().starts_with("/proc/no/such: folder"));
        assert_eq!(collect(4, 6, None, &["12345"]).note, None);
    }

    #[test]
    fn nothing_may_be_returned_at_all() {
        let cut = collect(0, 0, None, &["12345"]);
        assert_eq!(cut.text, "\n\n... [OUTPUT TRUNCATED - 5 chars omitted out of 5 total] ...\n\n");
    }
}
