//! Bytes become text, chunk by chunk.
//!
//! A character may be cut by the end of a read; decoding each chunk alone would turn it into
//! two replacement characters. What may still become a character waits for the next chunk.

/// Decodes UTF-8 with replacement, across chunk borders.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The beginning of a character, at most three bytes.
    pending: Vec<u8>,
}

impl Decoder {
    /// Hands the text of the next bytes to `sink`, in pieces.
    pub(crate) fn decode(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&str)) {
        let mut rest = bytes;
        while !self.pending.is_empty() {
            let Some((next, later)) = rest.split_first() else { return };
            match self.extended_by(*next) {
                Pending::Incomplete => rest = later,
                Pending::Character => {
                    rest = later;
                    if let Ok(character) = str::from_utf8(&self.pending) {
                        sink(character);
                    }
                    self.pending.clear();
                }
                // The byte begins something of its own.
                Pending::Broken => {
                    sink("\u{fffd}");
                    self.pending.clear();
                }
            }
        }
        self.decode_rest(rest, sink);
    }

    /// What is left when nothing more comes.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(&str)) {
        if !self.pending.is_empty() {
            self.pending.clear();
            sink("\u{fffd}");
        }
    }

    fn extended_by(&mut self, byte: u8) -> Pending {
        self.pending.push(byte);
        match str::from_utf8(&self.pending) {
            Ok(_) => Pending::Character,
            Err(error) if error.error_len().is_none() => Pending::Incomplete,
            Err(_) => {
                self.pending.pop();
                Pending::Broken
            }
        }
    }

    fn decode_rest(&mut self, mut rest: &[u8], sink: &mut dyn FnMut(&str)) {
        loop {
            let error = match str::from_utf8(rest) {
                Ok("") => return,
                Ok(text) => return sink(text),
                Err(error) => error,
            };
            let (valid, invalid) = rest.split_at(error.valid_up_to());
            if let Ok(text) = str::from_utf8(valid)
                && !text.is_empty()
            {
                sink(text);
            }
            let Some(length) = error.error_len() else {
                self.pending.extend_from_slice(invalid);
                return;
            };
            sink("\u{fffd}");
            rest = invalid.get(length..).unwrap_or_default();
        }
    }
}

enum Pending {
    Incomplete,
    Character,
    Broken,
}

#[cfg(test)]
mod tests {
    use super::Decoder;
    use proptest::prelude::*;

    fn decoded(bytes: &[u8], step: usize) -> String {
        let mut decoder = Decoder::default();
        let mut text = String::new();
        for chunk in bytes.chunks(step) {
            decoder.decode(chunk, &mut |piece| text.push_str(piece));
        }
        decoder.finish(&mut |piece| text.push_str(piece));
        text
    }

    #[test]
    fn a_character_may_be_cut_anywhere() {
        for step in 1..8 {
            assert_eq!(decoded("aä€😀\0z".as_bytes(), step), "aä€😀\0z", "{step}");
        }
    }

    proptest! {
        #[test]
        fn any_cutting_gives_what_the_whole_gives(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0xc0u8..=0xf5, 0x80u8..=0xbf], 0..200), step in 1usize..9
        ) {
            prop_assert_eq!(decoded(&bytes, step), String::from_utf8_lossy(&bytes));
        }
    }
}
