//! Taking lines out of a stream without ever holding more than is returned.
//!
//! The hazard is a "line" of any length: what goes beyond a bound is passed over, and when
//! even its end is too far away the reading stops there.

use std::io::{self, BufRead};

use memchr::memchr;

/// Characters of one line that are shown.
pub(super) const LONGEST_LINE: usize = 2000;
/// Characters that are shown altogether.
const MOST_CHARACTERS: usize = 100_000;
/// Bytes of a line that are kept: enough for its characters, whatever they are.
const KEPT: usize = LONGEST_LINE * 4 + 4;
/// Bytes of a cut line that are passed over to find its end.
const FARTHEST_END: u64 = 16 * 1024 * 1024;
/// Bytes after the last line shown that are read to count the lines.
const COUNTED: u64 = 8 * 1024 * 1024;

/// Lines that were read.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    pub(super) content: String,
    pub(super) lines: usize,
    pub(super) total_lines: Option<usize>,
    /// Whether the file goes on.
    pub(super) is_cut: bool,
    /// Numbers of lines of which only the beginning is shown.
    pub(super) cut_lines: Vec<usize>,
    /// The last line shown, if its end was too far away.
    pub(super) endless_line: Option<usize>,
    /// Whether something was not UTF-8.
    pub(super) has_replacements: bool,
    pub(super) has_nul: bool,
}

/// Why reading stopped.
#[derive(Debug)]
pub(super) enum Stop {
    Cancelled,
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Takes at most `limit` lines from line `first` (from 1) on. `is_cancelled` is asked before each piece.
pub(super) fn read_lines(
    source: &mut impl BufRead,
    first: usize,
    limit: usize,
    is_cancelled: impl Fn() -> bool,
) -> Result<Excerpt, Stop> {
    let mut stream = Stream { source, is_cancelled };
    let mut excerpt = Excerpt::default();
    let passed = stream.pass_lines(first - 1)?;
    if passed < first - 1 {
        return Ok(Excerpt { total_lines: Some(passed), ..excerpt });
    }
    let mut characters = 0;
    let mut taken = 0;
    while excerpt.lines < limit {
        let Some(line) = stream.take_line()? else { break };
        taken += 1;
        let shown = line.shown();
        characters += shown.text.chars().count();
        if characters > MOST_CHARACTERS && excerpt.lines > 0 {
            excerpt.is_cut = true;
            break;
        }
        excerpt.add(first + taken - 1, &line, &shown);
        if excerpt.endless_line.is_some() {
            excerpt.is_cut = true;
            return Ok(excerpt);
        }
    }
    let rest = stream.count_rest()?;
    excerpt.is_cut |= rest != Some(0);
    excerpt.total_lines = rest.map(|rest| passed + taken + rest);
    Ok(excerpt)
}

impl Excerpt {
    fn add(&mut self, number: usize, line: &Line, shown: &ShownLine) {
        self.content.push_str(&shown.text);
        self.content.push_str(line.end.unwrap_or_default());
        self.lines += 1;
        self.has_replacements |= shown.has_replacements;
        self.has_nul |= shown.text.contains('\0');
        match (shown.is_cut, line.is_endless) {
            (_, true) => self.endless_line = Some(number),
            (true, false) => self.cut_lines.push(number),
            (false, false) => {}
        }
    }
}

/// The beginning of a line, and how it ends.
struct Line {
    kept: Vec<u8>,
    length: u64,
    /// `None` at the end of the file.
    end: Option<&'static str>,
    is_endless: bool,
}

struct ShownLine {
    text: String,
    is_cut: bool,
    has_replacements: bool,
}

impl Line {
    fn shown(&self) -> ShownLine {
        let decoded = String::from_utf8_lossy(&self.kept);
        let cut = decoded.char_indices().nth(LONGEST_LINE).map(|(end, _)| end);
        let is_cut = cut.is_some() || self.length > self.kept.len() as u64;
        let text = decoded.get(..cut.unwrap_or(decoded.len())).unwrap_or_default();
        // A character that was cut in the middle is beyond the cut, so it is not taken for a bad one.
        let has_replacements = std::str::from_utf8(&self.kept).is_err() && text.contains('\u{fffd}');
        let text = match (is_cut, self.is_endless) {
            (false, _) => text.to_owned(),
            (true, false) => format!("{text}… [cut; the line has {} bytes]", self.length),
            (true, true) => format!("{text}… [cut; the line has more than {} bytes]", self.length),
        };
        ShownLine { text, is_cut, has_replacements }
    }
}

struct Stream<'source, S, C> {
    source: &'source mut S,
    is_cancelled: C,
}

impl<S: BufRead, C: Fn() -> bool> Stream<'_, S, C> {
    /// Gives the next bytes to `take`, which says how many it used; `None` at the end.
    fn next<T>(&mut self, take: impl FnOnce(&[u8]) -> (usize, T)) -> Result<Option<T>, Stop> {
        if (self.is_cancelled)() {
            return Err(Stop::Cancelled);
        }
        while self.source.fill_buf().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {}
        let bytes = self.source.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let (used, taken) = take(bytes);
        self.source.consume(used);
        Ok(Some(taken))
    }

    /// Passes over this many lines, or as many as there are, and says how many those were.
    fn pass_lines(&mut self, count: usize) -> Result<usize, Stop> {
        let mut passed = 0;
        let mut is_inside = false;
        while passed < count {
            let step = self.next(|bytes| match memchr(b'\n', bytes) {
                Some(end) => (end + 1, true),
                None => (bytes.len(), false),
            })?;
            match step {
                Some(ended) => {
                    passed += usize::from(ended);
                    is_inside = !ended;
                }
                None => return Ok(passed + usize::from(is_inside)),
            }
        }
        Ok(passed)
    }

    /// The next line, or `None` at the end of the file.
    fn take_line(&mut self) -> Result<Option<Line>, Stop> {
        let mut line = Line { kept: Vec::new(), length: 0, end: None, is_endless: false };
        let mut last = None;
        loop {
            let step = self.next(|bytes| {
                let end = memchr(b'\n', bytes);
                let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
                let room = KEPT - line.kept.len();
                line.kept.extend(part.iter().take(room));
                line.length += part.len() as u64;
                last = part.last().copied().or(last);
                (end.map_or(bytes.len(), |end| end + 1), end.is_some())
            })?;
            match step {
                None if line.length == 0 => return Ok(None),
                None => return Ok(Some(line)),
                Some(true) => break,
                Some(false) if line.length > FARTHEST_END => {
                    line.is_endless = true;
                    return Ok(Some(line));
                }
                Some(false) => {}
            }
        }
        line.end = Some("\n");
        if last == Some(b'\r') {
            line.end = Some("\r\n");
            line.length -= 1;
            line.kept.truncate(usize::try_from(line.length).unwrap_or(usize::MAX));
        }
        Ok(Some(line))
    }

    /// The lines that follow, unless there is too much of them to count.
    fn count_rest(&mut self) -> Result<Option<usize>, Stop> {
        let mut lines = 0;
        let mut seen = 0;
        let mut last = b'\n';
        while seen <= COUNTED {
            let step = self.next(|bytes| {
                lines += memchr::memchr_iter(b'\n', bytes).count();
                last = bytes.last().copied().unwrap_or(last);
                (bytes.len(), bytes.len() as u64)
            })?;
            match step {
                None => return Ok(Some(lines + usize::from(last != b'\n'))),
                Some(length) => seen += length,
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::{Excerpt, LONGEST_LINE, MOST_CHARACTERS, read_lines};

    fn lines(text: &[u8], first: usize, limit: usize, buffer: usize) -> Excerpt {
        read_lines(&mut BufReader::with_capacity(buffer, text), first, limit, || false).unwrap()
    }

    #[test]
    fn lines_are_taken_with_their_ends() {
        let check = |text: &str, first: usize, limit: usize, content: &str, total: usize, is_cut: bool| {
            for buffer in [1, 2, 3, 7, 4096] {
                let excerpt = lines(text.as_bytes(), first, limit, buffer);
                assert_eq!(excerpt.content, content, "{text:?} from {first}, {limit}");
                assert_eq!((excerpt.total_lines, excerpt.is_cut), (Some(total), is_cut), "{text:?} from {first}");
            }
        };
        check("", 1, 10, "", 0, false);
        check("a", 1, 10, "a", 1, false);
        check("a\nb\n", 1, 10, "a\nb\n", 2, false);
        check("a\r\nb", 1, 10, "a\r\nb", 2, false);
        check("a\r\n\r\nb\r\n", 2, 1, "\r\n", 3, true);
        check("a\rb\r", 1, 10, "a\rb\r", 1, false);
        check("a\nb\nc", 2, 1, "b\n", 3, true);
        check("a\nb\nc", 3, 1, "c", 3, false);
        check("a\nb\nc", 4, 1, "", 3, false);
        check("a\nb\nc", 9, 1, "", 3, false);
        check("a\nb\n", 3, 1, "", 2, false);
        check("a\nb\n", 1, 0, "", 2, true);
        check("\n\n\n", 2, 2, "\n\n", 3, false);
    }

    #[test]
    fn a_long_line_is_cut_where_it_is_a_character() {
        let text = format!("{}\r\nnext\n", "€".repeat(LONGEST_LINE + 1));
        let excerpt = lines(text.as_bytes(), 1, 10, 5);
        let expected = format!("{}… [cut; the line has 6003 bytes]\r\nnext\n", "€".repeat(LONGEST_LINE));
        assert_eq!(excerpt.content, expected);
        assert_eq!(excerpt.cut_lines, [1]);
        assert!(!excerpt.has_replacements);
        let fits = format!("{}\n", "€".repeat(LONGEST_LINE));
        assert_eq!(lines(fits.as_bytes(), 1, 10, 5).content, fits);
    }

    #[test]
    fn all_lines_together_are_bounded() {
        let text = format!("{}\n", "x".repeat(999)).repeat(500);
        let excerpt = lines(text.as_bytes(), 1, 10_000, 4096);
        assert_eq!(excerpt.lines, MOST_CHARACTERS / 999);
        assert_eq!((excerpt.total_lines, excerpt.is_cut), (Some(500), true));
    }

    #[test]
    fn a_line_without_an_end_in_reach_ends_the_reading() {
        let mut text = b"first\n".to_vec();
        text.resize(20 * 1024 * 1024, b'x');
        text.extend(b"\nlast\n");
        let excerpt = lines(&text, 1, 10, 64 * 1024);
        assert_eq!((excerpt.lines, excerpt.endless_line, excerpt.total_lines), (2, Some(2), None));
        assert!(excerpt.is_cut && excerpt.content.len() < 3000);
        assert_eq!(lines(&text, 3, 10, 64 * 1024).content, "last\n", "what follows can still be reached");
    }

    #[test]
    fn a_cancelled_reading_ends() {
        let calls = std::cell::Cell::new(0);
        let is_cancelled = || calls.replace(calls.get() + 1) > 3;
        let result = read_lines(&mut BufReader::with_capacity(2, &b"a\n".repeat(100)[..]), 1, 100, is_cancelled);
        assert!(matches!(result, Err(super::Stop::Cancelled)));
    }

    proptest! {
        #[test]
        fn any_lines_are_the_same_as_when_split_at_once(
            text in "[a\r\n€]{0,60}", first in 1usize..8, limit in 0usize..8, buffer in 1usize..9
        ) {
            let excerpt = lines(text.as_bytes(), first, limit, buffer);
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            let expected: String = all.iter().copied().skip(first - 1).take(limit).collect();
            prop_assert_eq!(excerpt.content, expected);
            prop_assert_eq!(excerpt.total_lines, Some(all.len()));
            prop_assert_eq!(excerpt.is_cut, all.len() > first - 1 + excerpt.lines && first <= all.len());
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), buffer in 1usize..9) {
            let excerpt = lines(&bytes, 1, 100, buffer);
            prop_assert_eq!(excerpt.content, String::from_utf8_lossy(&bytes));
            prop_assert_eq!(excerpt.has_replacements, std::str::from_utf8(&bytes).is_err());
        }
    }
}
