//! Blocks of markdown as lines. The parser's events are walked once with a stack of containers; nothing recurses, since a
//! model can nest as deep as it likes.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::table::Table;
use crate::text::{Ink, Line, Piece, Tone, wrap};

/// Whether signs that a style could replace are shown: without bold letters, `**` is how one sees what is bold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marks {
    Kept,
    Styled,
}

/// What is rendered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) width: usize,
    pub(crate) marks: Marks,
}

/// The lines of some blocks.
pub(crate) fn render(source: &str, page: Page) -> Vec<Line> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut renderer = Renderer::new(page);
    for event in Parser::new_ext(source, options) {
        renderer.event(event);
    }
    renderer.flush();
    renderer.lines
}

/// What the blocks stand in.
#[derive(Debug)]
enum Container {
    Quote,
    /// The number of the next item, if items have numbers.
    List(Option<u64>),
    /// Columns of the marker, and the marker until it was shown.
    Item {
        indent: usize,
        marker: Option<String>,
    },
}

struct Renderer {
    page: Page,
    lines: Vec<Line>,
    pieces: Vec<Piece>,
    containers: Vec<Container>,
    ink: Vec<Ink>,
    /// Where the link leads, and how many pieces there were before it.
    link: Option<(String, usize)>,
    code: Option<String>,
    table: Option<Table>,
    /// Text of an image is in its place already.
    needs_gap: bool,
}

impl Renderer {
    fn new(page: Page) -> Self {
        Self {
            page,
            lines: Vec::new(),
            pieces: Vec::new(),
            containers: Vec::new(),
            ink: vec![Ink::default()],
            link: None,
            code: None,
            table: None,
            needs_gap: false,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.inline_code(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]")),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.block();
                self.lines.push(Line::of(&"─".repeat(self.page.width.min(40)), Tone::Faint));
                self.needs_gap = true;
            }
            Event::TaskListMarker(is_done) => self.text(if is_done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.block(),
            Tag::Heading { level, .. } => {
                self.block();
                self.push_ink(|ink| ink.tone = Tone::Heading);
                let level = heading_level(level);
                self.text(&format!("{} ", "#".repeat(level)));
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.containers.push(Container::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.block();
                if let CodeBlockKind::Fenced(label) = kind {
                    self.put(&[Piece::new(label.trim(), Tone::Faint)]);
                }
                self.code = Some(String::new());
            }
            Tag::List(number) => {
                self.flush();
                if !self.containers.iter().any(|container| matches!(container, Container::List(_))) {
                    self.block();
                }
                self.containers.push(Container::List(number));
            }
            Tag::Item => self.start_item(),
            Tag::Emphasis => self.styled("*", |ink| ink.slanted = true),
            Tag::Strong => self.styled("**", |ink| ink.strong = true),
            Tag::Strikethrough => self.styled("~~", |ink| ink.struck = true),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some((dest_url.to_string(), self.pieces.len()));
                self.push_ink(|ink| ink.tone = Tone::Link);
            }
            Tag::Table(_) => {
                self.block();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => self.each_table(Table::start_row),
            Tag::HtmlBlock => self.block(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.end_block();
                self.pop_ink();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.containers.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.containers.pop();
                self.needs_gap = true;
            }
            TagEnd::Item => {
                self.flush();
                self.show_empty_item();
                self.containers.pop();
                self.needs_gap = false;
            }
            TagEnd::Emphasis => self.end_styled("*"),
            TagEnd::Strong => self.end_styled("**"),
            TagEnd::Strikethrough => self.end_styled("~~"),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableCell => {
                let pieces = std::mem::take(&mut self.pieces);
                self.each_table(|table| table.add_cell(pieces));
            }
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    /// Begins a block: what was there is put out, with an empty line after it where the source had one.
    fn block(&mut self) {
        self.flush();
        if std::mem::take(&mut self.needs_gap) && !self.lines.is_empty() {
            let (_, rest) = self.prefixes();
            self.lines.push(rest);
        }
    }

    fn end_block(&mut self) {
        self.flush();
        self.needs_gap = true;
    }

    fn start_item(&mut self) {
        self.flush();
        let marker = match self.containers.last_mut() {
            Some(Container::List(Some(number))) => {
                *number = number.saturating_add(1);
                format!("{}. ", *number - 1)
            }
            _ => "• ".to_owned(),
        };
        self.containers.push(Container::Item { indent: marker.chars().count(), marker: Some(marker) });
        self.needs_gap = false;
    }

    fn show_empty_item(&mut self) {
        if matches!(self.containers.last(), Some(Container::Item { marker: Some(_), .. })) {
            self.put(&[]);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            return code.push_str(text);
        }
        let ink = self.current_ink();
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.flush();
            }
            if !line.is_empty() {
                self.pieces.push(Piece::new(line, ink));
            }
        }
    }

    fn inline_code(&mut self, text: &str) {
        let ink = Ink { tone: Tone::Code, ..self.current_ink() };
        match self.page.marks {
            Marks::Kept => self.pieces.push(Piece::new(&format!("`{text}`"), ink)),
            Marks::Styled => self.pieces.push(Piece::new(text, ink)),
        }
    }

    fn styled(&mut self, mark: &str, change: impl FnOnce(&mut Ink)) {
        self.push_ink(change);
        self.mark(mark);
    }

    fn end_styled(&mut self, mark: &str) {
        self.mark(mark);
        self.pop_ink();
    }

    fn mark(&mut self, mark: &str) {
        if self.page.marks == Marks::Kept {
            self.text(mark);
        }
    }

    /// Where a link leads is always shown: its text may say something else.
    fn end_link(&mut self) {
        self.pop_ink();
        let Some((target, before)) = self.link.take() else { return };
        let shown: String = self.pieces.iter().skip(before).map(Piece::text).collect();
        if shown != target && !target.is_empty() {
            self.text(&format!(" ({target})"));
        }
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in code.trim_end_matches('\n').split('\n') {
            self.put(&[Piece::new("  ", Tone::Plain), Piece::new(line, Tone::Code)]);
        }
        self.needs_gap = true;
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let (first, rest) = self.prefixes();
        let room = self.page.width.saturating_sub(first.text().chars().count());
        for (number, mut line) in table.lines(room).into_iter().enumerate() {
            let prefix = if number == 0 { &first } else { &rest };
            line.0.splice(0..0, prefix.0.iter().cloned());
            self.lines.push(line);
        }
        self.needs_gap = true;
    }

    fn each_table(&mut self, change: impl FnOnce(&mut Table)) {
        if let Some(table) = &mut self.table {
            change(table);
        }
    }

    fn flush(&mut self) {
        if !self.pieces.is_empty() {
            let pieces = std::mem::take(&mut self.pieces);
            if let Some((_, before)) = &mut self.link {
                *before = 0;
            }
            self.put(&pieces);
        }
    }

    fn put(&mut self, pieces: &[Piece]) {
        let (first, rest) = self.prefixes();
        self.lines.extend(wrap(pieces, self.page.width, &first, &rest));
    }

    /// What stands before the first line of a block and before the others. Never more than half of the page.
    fn prefixes(&mut self) -> (Line, Line) {
        let (mut first, mut rest) = (Line::default(), Line::default());
        let mut room = self.page.width / 2;
        for container in &mut self.containers {
            let (now, later, columns) = match container {
                Container::Quote => ("│ ".to_owned(), "│ ".to_owned(), 2),
                Container::List(_) => continue,
                Container::Item { indent, marker } => {
                    let spaces = " ".repeat(*indent);
                    (marker.take().unwrap_or_else(|| spaces.clone()), spaces, *indent)
                }
            };
            let Some(left) = room.checked_sub(columns) else { break };
            room = left;
            first = first.and(&now, Tone::Quote);
            rest = rest.and(&later, Tone::Quote);
        }
        (first, rest)
    }

    fn current_ink(&self) -> Ink {
        let ink = self.ink.last().copied().unwrap_or_default();
        let is_quoted = self.containers.iter().any(|container| matches!(container, Container::Quote));
        if is_quoted && ink.tone == Tone::Plain { Ink { tone: Tone::Quote, ..ink } } else { ink }
    }

    fn push_ink(&mut self, change: impl FnOnce(&mut Ink)) {
        let mut ink = self.ink.last().copied().unwrap_or_default();
        change(&mut ink);
        self.ink.push(ink);
    }

    fn pop_ink(&mut self) {
        if self.ink.len() > 1 {
            self.ink.pop();
        }
    }
}

fn heading_level(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Marks, Page, Tone, render};

    #[track_caller]
    fn check(source: &str, marks: Marks, expected: &str) {
        let lines = render(source, Page { width: 30, marks });
        let text = lines.iter().map(Line::text).collect::<Vec<_>>().join("\n");
        assert_eq!(text, expected, "{source:?}");
    }

    #[test]
    fn markdown_reads_well_without_colour() {
        for (source, expected) in [
            ("# Title", "# Title"),
            ("some **bold**, *slanted*, `code` and ~~gone~~", "some **bold**, *slanted*,\n`code` and ~~gone~~"),
            ("- one\n- two\n  - three\n", "• one\n• two\n  • three"),
            ("3. three\n4. four", "3. three\n4. four"),
            ("- [x] done\n- [ ] open", "• [x] done\n• [ ] open"),
            ("- first\n\n  more\n", "• first\n  \n  more"),
            ("> said\n> more\n>\n> end", "│ said more\n│ \n│ end"),
            ("[here](https://a.example/x)", "here (https://a.example/x)"),
            ("<https://a.example>", "https://a.example"),
            ("![a cat](cat.png)", "a cat (cat.png)"),
            ("one\n\ntwo", "one\n\ntwo"),
            ("a  \nb", "a\nb"),
            ("- a very long item that has to be folded", "• a very long item that has to\n  be folded"),
            ("1. x\n\n   ```sh\n   ls\n   ```", "1. x\n   \n   sh\n     ls"),
            ("<b>raw</b>", "<b>raw</b>"),
            ("-", "• "),
        ] {
            check(source, Marks::Kept, expected);
        }
        check("some **bold** `code`", Marks::Styled, "some bold code");
    }

    #[test]
    fn styles_say_what_signs_would() {
        let lines = render("a **b** `c`", Page { width: 30, marks: Marks::Styled });
        let inks: Vec<_> =
            lines[0].0.iter().filter(|piece| piece.text() != " ").map(|piece| (piece.text(), piece.ink())).collect();
        assert!(inks.iter().any(|(text, ink)| *text == "b" && ink.strong), "{inks:?}");
        assert!(inks.iter().any(|(text, ink)| *text == "c" && ink.tone == Tone::Code), "{inks:?}");
    }

    #[test]
    fn a_link_cannot_hide_where_it_leads() {
        check(
            "[https://bank.example](https://evil.example)",
            Marks::Styled,
            "https://bank.example\n(https://evil.example)",
        );
    }

    #[test]
    fn hostile_markdown_neither_acts_nor_hangs() {
        let lines = render(
            "a \u{1b}[31m `\u{1b}[2J` [\u{202e}x](\u{9b}y)\n\n    \u{1b}c",
            Page { width: 80, marks: Marks::Styled },
        );
        assert!(!lines.iter().any(|line| line.text().chars().any(char::is_control)), "{lines:?}");
        for source in
            [">".repeat(50_000), "- ".repeat(20_000), "[".repeat(50_000), "*".repeat(50_000), "|".repeat(9_000)]
        {
            render(&source, Page { width: 20, marks: Marks::Kept });
        }
    }
}
