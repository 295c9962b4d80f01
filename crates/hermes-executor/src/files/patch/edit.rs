//! A change of some bytes to others, and a text with such changes made.

use std::ops::Range;
use std::rc::Rc;

/// The bytes in `range` become `new`, which all places of one patch share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) new: Rc<[u8]>,
}

/// The text with its edits made. They are in order and do not overlap. If the result would
/// be larger than `largest`, nothing is made and its size is the error: one short text
/// replaced everywhere by a long one is more than any memory.
pub(super) fn applied(text: &[u8], edits: &[Edit], largest: u64) -> Result<Vec<u8>, u64> {
    let removed: u64 = edits.iter().map(|edit| edit.range.len() as u64).sum();
    let added: u64 = edits.iter().map(|edit| edit.new.len() as u64).sum();
    let size = (text.len() as u64).saturating_sub(removed).saturating_add(added);
    if size > largest {
        return Err(size);
    }
    let mut result = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let mut done = 0;
    for edit in edits {
        result.extend_from_slice(text.get(done..edit.range.start).unwrap_or_default());
        result.extend_from_slice(&edit.new);
        done = edit.range.end;
    }
    result.extend_from_slice(text.get(done..).unwrap_or_default());
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::{Edit, applied};

    #[test]
    fn edits_are_made_within_a_bound() {
        let edit = |range, new: &str| Edit { range, new: new.as_bytes().into() };
        let edits = [edit(0..1, "xx"), edit(3..3, "-"), edit(4..6, "")];
        assert_eq!(applied(b"abcdef", &edits, 6).unwrap(), b"xxbc-d");
        assert_eq!(applied(b"abcdef", &edits, 5), Err(6));
        assert_eq!(applied(b"", &[edit(0..0, "new")], 10).unwrap(), b"new");
    }
}
