//! Bytes as text, with the way back.
//!
//! A `.env` saved in an old encoding still has to be read, and the lines nobody
//! changed have to be written back byte for byte. A lossy conversion alone would
//! destroy them.

use std::borrow::Cow;
use std::ops::Range;

/// Text read from bytes; what was not UTF-8 shows as U+FFFD.
pub(super) struct Decoded<'a> {
    bytes: &'a [u8],
    text: Cow<'a, str>,
    replaced: Vec<Replaced>,
}

/// One sequence that was not UTF-8: where its replacement ends in the text, and
/// where it ends itself in the bytes.
struct Replaced {
    text_start: usize,
    text_end: usize,
    bytes_end: usize,
}

impl<'a> Decoded<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut text = String::new();
        let mut replaced = Vec::new();
        if let Ok(valid) = std::str::from_utf8(bytes) {
            return Self { bytes, text: Cow::Borrowed(valid), replaced };
        }
        let mut bytes_end = 0;
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            bytes_end += chunk.valid().len() + chunk.invalid().len();
            if !chunk.invalid().is_empty() {
                let text_start = text.len();
                text.push(char::REPLACEMENT_CHARACTER);
                replaced.push(Replaced { text_start, text_end: text.len(), bytes_end });
            }
        }
        Self { bytes, text: Cow::Owned(text), replaced }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes that a range of the text was read from.
    pub(super) fn raw(&self, range: Range<usize>) -> &'a [u8] {
        &self.bytes[self.offset(range.start)..self.offset(range.end)]
    }

    /// Whether a range of the text was read from something that is not UTF-8.
    pub(super) fn is_damaged(&self, range: &Range<usize>) -> bool {
        self.replaced.iter().any(|one| range.contains(&one.text_start))
    }

    fn offset(&self, text_offset: usize) -> usize {
        let before = self.replaced.partition_point(|one| one.text_end <= text_offset);
        match before.checked_sub(1).and_then(|last| self.replaced.get(last)) {
            Some(last) => last.bytes_end + (text_offset - last.text_end),
            None => text_offset,
        }
    }
}
