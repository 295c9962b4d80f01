//! Where one block of markdown ends while the next has not come yet.
//!
//! Rendering too early shows a list as code or a table as words; rendering too late leaves the person waiting. A paragraph is
//! complete at an empty line, a list item at the next item, a line of fenced code at its end.

/// A part of an answer that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// An empty line.
    Gap,
    /// Whole blocks.
    Blocks(String),
    /// Fenced code begins; what the fence says about it.
    CodeBegins(String),
    CodeLine(String),
    CodeEnds,
}

/// Splits text into chunks as it comes.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The line that is not complete.
    line: String,
    /// Complete lines of a block that is not.
    block: String,
    /// A fence of the top level that is open.
    fence: Option<Fence>,
    /// A fence inside the block (in a list, a quote).
    inner_fence: Option<Fence>,
    /// An empty line has come: whether it ends a list depends on the next line.
    gap: bool,
    /// Something was given out, so that an empty line means something.
    has_begun: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    sign: char,
    length: usize,
}

impl Stream {
    /// Takes a fragment; gives what has become complete.
    pub(crate) fn push(&mut self, fragment: &str) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for part in fragment.split_inclusive('\n') {
            self.line.push_str(part);
            if part.ends_with('\n') {
                let line = std::mem::take(&mut self.line);
                self.take(line.trim_end_matches(['\n', '\r']), &mut chunks);
            }
        }
        chunks
    }

    /// Gives what is left, complete or not.
    pub(crate) fn finish(&mut self) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take(&line, &mut chunks);
        }
        self.complete(&mut chunks);
        if self.fence.take().is_some() {
            chunks.push(Chunk::CodeEnds);
        }
        *self = Self::default();
        chunks
    }

    /// What has come and is not complete.
    pub(crate) fn pending(&self) -> (&str, &str) {
        (&self.block, &self.line)
    }

    fn take(&mut self, line: &str, chunks: &mut Vec<Chunk>) {
        if let Some(fence) = self.fence {
            if closes(line, fence) {
                self.fence = None;
                chunks.push(Chunk::CodeEnds);
            } else {
                chunks.push(Chunk::CodeLine(line.to_owned()));
            }
        } else if let Some(fence) = self.inner_fence {
            self.keep(line);
            if closes(line, fence) {
                self.inner_fence = None;
            }
        } else if line.trim().is_empty() {
            self.take_empty(chunks);
        } else {
            self.take_text(line, chunks);
        }
    }

    fn take_empty(&mut self, chunks: &mut Vec<Chunk>) {
        if !starts_list(&self.block) {
            self.complete(chunks);
        }
        self.gap = self.has_begun || !self.block.is_empty();
    }

    fn take_text(&mut self, line: &str, chunks: &mut Vec<Chunk>) {
        let is_inside_list = starts_list(&self.block) && line.starts_with([' ', '\t']);
        if std::mem::take(&mut self.gap) {
            if is_inside_list {
                self.block.push('\n');
            } else {
                self.complete(chunks);
                chunks.push(Chunk::Gap);
            }
        }
        if is_inside_list {
            self.inner_fence = opens(line.trim_start());
            return self.keep(line);
        }
        if let Some(fence) = opens(line) {
            self.complete(chunks);
            self.fence = Some(fence);
            self.has_begun = true;
            let label = line.trim_start().trim_start_matches(fence.sign).trim();
            return chunks.push(Chunk::CodeBegins(label.to_owned()));
        }
        if is_heading(line) {
            self.complete(chunks);
            self.keep(line);
            return self.complete(chunks);
        }
        if starts_list(line) {
            self.complete(chunks);
        }
        self.keep(line);
        if starts_list(line) {
            self.inner_fence = opens(after_marker(line));
        }
    }

    fn keep(&mut self, line: &str) {
        self.block.push_str(line);
        self.block.push('\n');
    }

    fn complete(&mut self, chunks: &mut Vec<Chunk>) {
        self.gap = false;
        self.inner_fence = None;
        if !self.block.is_empty() {
            self.has_begun = true;
            chunks.push(Chunk::Blocks(std::mem::take(&mut self.block)));
        }
    }
}

/// The fence that a line opens.
fn opens(line: &str) -> Option<Fence> {
    let text = line.trim_start_matches(' ');
    let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = text.chars().take_while(|character| *character == sign).count();
    let label = &text[length..];
    let is_fence = length >= 3 && line.len() - text.len() <= 3 && !(sign == '`' && label.contains('`'));
    is_fence.then_some(Fence { sign, length })
}

fn closes(line: &str, fence: Fence) -> bool {
    let text = line.trim();
    text.len() >= fence.length && text.chars().all(|character| character == fence.sign)
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    let level = text.chars().take_while(|character| *character == '#').count();
    (1..=6).contains(&level) && line.len() - text.len() <= 3 && text[level..].starts_with([' ', '\t'])
}

/// Whether the text begins with an item of a list.
fn starts_list(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '*' | '+'))
        && after_marker(text).len() < text.len()
}

/// What follows the marker of a list item; all of it if there is none.
fn after_marker(text: &str) -> &str {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = match digits {
        0 => text.strip_prefix(['-', '*', '+']),
        1..=9 => text[digits..].strip_prefix(['.', ')']),
        _ => None,
    };
    rest.and_then(|rest| rest.strip_prefix([' ', '\t'])).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{Chunk, Stream};

    fn written(chunk: &Chunk) -> String {
        match chunk {
            Chunk::Gap => "-".to_owned(),
            Chunk::Blocks(text) => text.trim_end().to_owned(),
            Chunk::CodeBegins(label) => format!("<{label}"),
            Chunk::CodeLine(line) => format!("|{line}"),
            Chunk::CodeEnds => ">".to_owned(),
        }
    }

    /// However the text is cut into fragments, the same chunks come out.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut whole = Stream::default();
        let mut chunks = whole.push(text);
        chunks.extend(whole.finish());
        assert_eq!(chunks.iter().map(written).collect::<Vec<_>>(), expected, "{text:?}");
        let mut cut = Stream::default();
        let mut fragments = Vec::new();
        for character in text.chars() {
            fragments.extend(cut.push(&character.to_string()));
        }
        fragments.extend(cut.finish());
        assert_eq!(fragments, chunks, "{text:?} in fragments");
    }

    #[test]
    fn blocks_end_where_nothing_can_change_them_any_more() {
        check("", &[]);
        check("one\ntwo\n\nthree", &["one\ntwo", "-", "three"]);
        check("\n\none\n\n\n\ntwo\n", &["one", "-", "two"]);
        check("# Title\ntext\n## More\n", &["# Title", "text", "## More"]);
        check("#no heading\nat all\n", &["#no heading\nat all"]);
        check("a:\n- one\n- two\n  more\n- three\n\nend", &["a:", "- one", "- two\n  more", "- three", "-", "end"]);
        check("- one\n\n  still one\n\n- two\n", &["- one\n\n  still one", "-", "- two"]);
        check("1. a\n   - b\n\n     c\n2. d\n", &["1. a\n   - b\n\n     c", "2. d"]);
        check("| a | b |\n|---|---|\n| 1 | 2 |\n\nx", &["| a | b |\n|---|---|\n| 1 | 2 |", "-", "x"]);
        check("**bold** start\n", &["**bold** start"]);
    }

    #[test]
    fn fenced_code_is_given_out_line_by_line() {
        check("see\n```rust\nfn a() {\n\n}\n```\nend", &["see", "<rust", "|fn a() {", "|", "|}", ">", "end"]);
        check("~~~\n```\n~~~\n", &["<", "|```", ">"]);
        check("````md\n```\n````", &["<md", "|```", ">"]);
        check("```\nnot closed", &["<", "|not closed", ">"]);
        check("``` `no` ```\n", &["``` `no` ```"]);
        check("- item\n  ```sh\n  a\n\n- b\n  ```\n- next", &["- item\n  ```sh\n  a\n\n- b\n  ```", "- next"]);
    }

    #[test]
    fn a_line_of_code_is_out_before_the_fence_is_closed() {
        let mut stream = Stream::default();
        assert_eq!(stream.push("```\na\nb"), [Chunk::CodeBegins(String::new()), Chunk::CodeLine("a".to_owned())]);
        assert_eq!(stream.pending(), ("", "b"));
    }
}
