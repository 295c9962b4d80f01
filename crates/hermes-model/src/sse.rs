//! Server-sent events, out of bytes that come in any pieces.
//!
//! The bound is the reason this is not a library: a server that never ends a line must not fill the memory. Lines end with LF,
//! CR LF or CR; a piece may end inside of any of these, or inside of a character.

/// Bytes one event may have, its longest line included. Whole answers that come as one event fit.
pub(crate) const LONGEST_EVENT: usize = 8 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ServerEvent {
    /// Empty where the server gives none.
    pub(crate) name: String,
    pub(crate) data: String,
}

/// An event has more bytes than it may.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Gathers bytes until they make events.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    line: Vec<u8>,
    event: ServerEvent,
    has_data: bool,
    /// The last byte was a CR: an LF that follows it belongs to it.
    after_return: bool,
    is_begun: bool,
}

impl EventReader {
    /// Takes more bytes; answers the events they complete.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<ServerEvent>, TooLong> {
        let mut events = Vec::new();
        if self.after_return && bytes.first() == Some(&b'\n') {
            bytes = &bytes[1..];
        }
        if !bytes.is_empty() {
            self.after_return = false;
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) {
            self.extend(&bytes[..end])?;
            events.extend(self.end_line());
            let is_pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
            self.after_return = bytes[end] == b'\r' && end + 1 == bytes.len();
            bytes = &bytes[end + 1 + usize::from(is_pair)..];
        }
        self.extend(bytes)?;
        Ok(events)
    }

    /// The event that the end of the stream left without its empty line. Some servers end like this.
    pub(crate) fn finish(&mut self) -> Option<ServerEvent> {
        if !self.line.is_empty() {
            let ended = self.end_line();
            debug_assert!(ended.is_none(), "a line with something in it ends no event");
        }
        self.end_event()
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.event.data.len() + bytes.len() > LONGEST_EVENT {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Option<ServerEvent> {
        let line = std::mem::take(&mut self.line);
        let line = match (self.is_begun, line.strip_prefix(b"\xef\xbb\xbf")) {
            (false, Some(rest)) => rest,
            _ => &line,
        };
        self.is_begun = true;
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(&value);
                self.has_data = true;
            }
            b"event" => self.event.name = value.into_owned(),
            // A comment (an empty field), an id, a retry: signs of life.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<ServerEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut reader = EventReader::default();
        let mut events: Vec<_> = pieces.iter().flat_map(|piece| reader.push(piece).unwrap()).collect();
        events.extend(reader.finish());
        events.into_iter().map(|event| (event.name, event.data)).collect()
    }

    const STREAM: &str = "\u{feff}: hello\r\n\r\ndata: one\n\nevent: e\rdata:two\rdata:  three\r\rid: 3\nretry: 5\n\ndata\n\n:\n\ndata: ä€😀\r\n\r\ndata: last";

    fn expected() -> Vec<(String, String)> {
        let event = |name: &str, data: &str| (name.to_owned(), data.to_owned());
        vec![event("", "one"), event("e", "two\n three"), event("", ""), event("", "ä€😀"), event("", "last")]
    }

    #[test]
    fn lines_end_in_three_ways_and_comments_are_nothing() {
        assert_eq!(read(&[STREAM.as_bytes()]), expected());
        let bytes: Vec<_> = STREAM.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes), expected());
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut reader = EventReader::default();
        let megabyte = vec![b'x'; 1024 * 1024];
        let outcome: Result<Vec<_>, _> = (0..9).map(|_| reader.push(&megabyte)).collect();
        assert_eq!(outcome, Err(TooLong));
        let mut reader = EventReader::default();
        let line = [b"data: ".as_slice(), &megabyte, b"\n"].concat();
        let outcome: Result<Vec<_>, _> = (0..9).map(|_| reader.push(&line)).collect();
        assert_eq!(outcome, Err(TooLong));
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same(cuts in proptest::collection::vec(0..STREAM.len(), 0..20)) {
            let mut cuts = cuts;
            cuts.extend([0, STREAM.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|cut| &STREAM.as_bytes()[cut[0]..cut[1]]).collect();
            prop_assert_eq!(read(&pieces), expected());
        }

        #[test]
        fn garbage_does_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            read(&[&bytes]);
        }
    }
}
