//! Where a text stands exactly.

use hermes_proto::executor::PatchMode;
use memchr::memmem;

/// Places that are kept; a single letter may be there in millions.
pub(super) const MOST: usize = 100_000;

/// Places of a text in another.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Where it begins, the first [`MOST`] of them.
    pub(super) starts: Vec<usize>,
    pub(super) count: usize,
}

/// Where `old`, which is not empty, begins. The places do not overlap, except that a text
/// that overlaps only itself (`aa` in `aaa`) also counts as two when one is wanted.
pub(super) fn places(text: &[u8], old: &[u8], mode: PatchMode) -> Places {
    let mut all = memmem::find_iter(text, old);
    let mut starts: Vec<usize> = all.by_ref().take(MOST).collect();
    let count = starts.len() + all.count();
    if let (PatchMode::Unique, [only]) = (mode, starts.as_slice()) {
        let after = only + 1;
        let overlapping = text.get(after..).and_then(|rest| memmem::find(rest, old));
        starts.extend(overlapping.map(|start| after + start));
        return Places { count: starts.len(), starts };
    }
    Places { starts, count }
}

#[cfg(test)]
mod tests {
    use hermes_proto::executor::PatchMode::{self, All, Unique};

    #[test]
    fn places_are_found() {
        let check = |text: &str, old: &str, mode: PatchMode, expected: &[usize]| {
            let places = super::places(text.as_bytes(), old.as_bytes(), mode);
            assert_eq!(places.starts, expected, "{old} in {text}");
            assert_eq!(places.count, expected.len());
        };
        check("abc", "x", Unique, &[]);
        check("abcb", "b", All, &[1, 3]);
        check("abc", "b", Unique, &[1]);
        check("aaa", "aa", All, &[0]);
        check("aaa", "aa", Unique, &[0, 1]);
        check("abc", "abc", Unique, &[0]);
    }

    #[test]
    fn more_places_than_are_kept_are_counted() {
        let places = super::places(&b"x".repeat(super::MOST + 5), b"x", All);
        assert_eq!((places.starts.len(), places.count), (super::MOST, super::MOST + 5));
    }
}
