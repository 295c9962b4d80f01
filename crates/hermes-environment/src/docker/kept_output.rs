//! The beginning and the end of an output, whatever its length.

use std::collections::VecDeque;

/// Keeps four tenths of its room for the beginning and the rest for the end.
#[derive(Debug)]
pub(super) struct KeptOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_room: usize,
    tail_room: usize,
    total: u64,
}

impl KeptOutput {
    pub(super) fn new(room: usize) -> Self {
        let head_room = room * 4 / 10;
        Self { head: Vec::new(), tail: VecDeque::new(), head_room, tail_room: room - head_room, total: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.head_room - self.head.len()));
        self.head.extend_from_slice(first);
        let last = rest.len().saturating_sub(self.tail_room);
        self.tail.extend(&rest[last..]);
        let excess = self.tail.len().saturating_sub(self.tail_room);
        self.tail.drain(..excess);
    }

    /// The text, how much there was, and how much of it is missing.
    pub(super) fn finish(self) -> (String, u64, u64) {
        let omitted = self.total - (self.head.len() + self.tail.len()) as u64;
        let tail: Vec<u8> = self.tail.into();
        let (mut text, tail) = if omitted == 0 {
            (String::new(), [self.head, tail].concat())
        } else {
            let total = self.total;
            let notice = format!("\n... [OUTPUT TRUNCATED - {omitted} chars omitted out of {total} total] ...\n");
            (String::from_utf8_lossy(&self.head).into_owned() + &notice, tail)
        };
        text.push_str(&String::from_utf8_lossy(&tail));
        (text, self.total, omitted)
    }
}

#[cfg(test)]
mod tests {
    use super::KeptOutput;

    #[test]
    fn both_ends_are_kept_within_the_room() {
        let check = |pieces: &[&str], expected: (&str, u64, u64)| {
            let mut kept = KeptOutput::new(10);
            pieces.iter().for_each(|piece| kept.push(piece.as_bytes()));
            let (text, total, omitted) = kept.finish();
            assert_eq!((text.as_str(), total, omitted), expected);
        };
        check(&[], ("", 0, 0));
        check(&["0123456789"], ("0123456789", 10, 0));
        check(&["ab", "c", "ä"], ("abcä", 5, 0));
        let notice = "\n... [OUTPUT TRUNCATED - 5 chars omitted out of 15 total] ...\n";
        check(&["01234", "56789abcde"], (&format!("0123{notice}9abcde"), 15, 5));
    }
}
