//! How much an answer may hold, counted as the JSON it becomes on the link.
//!
//! A result travels in one frame. Text that is all control characters grows six times when
//! it is written as JSON, so counting its characters would not keep it in the frame.

use hermes_proto::executor::LONGEST_PAYLOAD;

/// Half a frame: the rest is for notes, names of fields and whoever wraps the answer.
const MOST: usize = LONGEST_PAYLOAD / 2;
/// Names of fields, quotes and numbers of one item.
const FRAME_OF_ITEM: usize = 100;

/// Room that is left in an answer.
#[derive(Debug)]
pub(super) struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(MOST)
    }
}

impl Room {
    /// Takes the room of an item with these texts. `false` if it does not fit; then
    /// nothing else does, so that an answer has no holes.
    #[must_use]
    pub(super) fn take(&mut self, texts: &[&str]) -> bool {
        let needed = FRAME_OF_ITEM + texts.iter().map(|text| written_length(text)).sum::<usize>();
        match self.0.checked_sub(needed) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => {
                self.0 = 0;
                false
            }
        }
    }
}

fn written_length(text: &str) -> usize {
    text.bytes()
        .map(|byte| match byte {
            b'"' | b'\\' => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::{Room, written_length};

    #[test]
    fn lengths_are_those_of_json() {
        for text in ["", "plain", "ä€😀", "\u{1}\u{1f}\0", "\"\\", "\u{7f}\u{2028}"] {
            assert_eq!(written_length(text) + 2, serde_json::to_string(text).unwrap().len(), "{text:?}");
        }
    }

    #[test]
    fn what_is_full_stays_full() {
        let mut room = Room(250);
        assert!(room.take(&["ab", "c"]));
        assert!(!room.take(&["x".repeat(100).as_str()]));
        assert!(!room.take(&[]));
    }
}
