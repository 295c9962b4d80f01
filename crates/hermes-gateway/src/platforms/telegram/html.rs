//! Markdown as the HTML that Telegram reads: a few tags, always balanced, and every other character as itself.
//!
//! The text is a model's and may be written to break something. Whatever it holds, only the tags made here are tags.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Columns of a table are made as wide as their cells up to this.
const WIDEST_CELL: usize = 24;

/// The text as HTML; nothing if nothing of it would be seen.
pub(super) fn html(markdown: &str) -> Option<String> {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut page = Page::default();
    for event in Parser::new_ext(markdown, options) {
        page.event(event);
    }
    let text = page.text.trim_end();
    page.is_visible.then(|| text.to_owned())
}

/// A text in which nothing is a tag.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[derive(Debug, Default)]
struct Page {
    text: String,
    is_visible: bool,
    /// Open lists: the next number, or none for bullets.
    lists: Vec<Option<u64>>,
    /// Whether the link that is open became a tag, innermost last.
    links: Vec<bool>,
    quotes: usize,
    bold: usize,
    italic: usize,
    struck: usize,
    table: Option<Table>,
}

#[derive(Debug, Default)]
struct Table {
    rows: Vec<Vec<String>>,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            // HTML of the text is text.
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.say(&text),
            Event::Code(code) => {
                self.tag("<code>");
                self.say(&code);
                self.tag("</code>");
            }
            Event::SoftBreak | Event::HardBreak => self.say("\n"),
            Event::Rule => {
                self.block();
                self.say("———");
                self.text.push_str("\n\n");
            }
            Event::TaskListMarker(is_done) => self.say(if is_done { "☑ " } else { "☐ " }),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.say(&text),
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph if self.lists.is_empty() => self.block(),
            Tag::Heading { .. } => {
                self.block();
                self.enter(|page| &mut page.bold, "<b>");
            }
            Tag::BlockQuote(_) => {
                self.block();
                // Telegram knows no quote in a quote.
                self.enter(|page| &mut page.quotes, "<blockquote>");
            }
            Tag::CodeBlock(kind) => {
                self.block();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.split_whitespace().next().map(escaped),
                    CodeBlockKind::Indented => None,
                };
                match language {
                    Some(language) => self.tag(&format!("<pre><code class=\"language-{language}\">")),
                    None => self.tag("<pre><code>"),
                }
            }
            Tag::List(first) => {
                self.line();
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.enter(|page| &mut page.italic, "<i>"),
            Tag::Strong => self.enter(|page| &mut page.bold, "<b>"),
            Tag::Strikethrough => self.enter(|page| &mut page.struck, "<s>"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let is_first = !self.links.contains(&true);
                let is_tag = is_first && is_address(&dest_url) && self.table.is_none();
                if is_tag {
                    self.tag(&format!("<a href=\"{}\">", escaped(&dest_url)));
                }
                self.links.push(is_tag);
            }
            Tag::Table(_) => {
                self.block();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => self.table.iter_mut().for_each(|table| table.rows.push(Vec::new())),
            Tag::TableCell => {
                let row = self.table.as_mut().and_then(|table| table.rows.last_mut());
                row.into_iter().for_each(|row| row.push(String::new()));
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph if self.lists.is_empty() => self.text.push_str("\n\n"),
            TagEnd::Paragraph => self.line(),
            TagEnd::Heading(_) => {
                self.leave(|page| &mut page.bold, "</b>");
                self.text.push_str("\n\n");
            }
            TagEnd::BlockQuote(_) => {
                self.text.truncate(self.text.trim_end().len());
                self.leave(|page| &mut page.quotes, "</blockquote>");
                self.text.push_str("\n\n");
            }
            TagEnd::CodeBlock => {
                self.text.truncate(self.text.trim_end_matches('\n').len());
                self.text.push_str("</code></pre>\n\n");
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.line();
                if self.lists.is_empty() {
                    self.text.push('\n');
                }
            }
            TagEnd::Item => self.line(),
            TagEnd::Emphasis => self.leave(|page| &mut page.italic, "</i>"),
            TagEnd::Strong => self.leave(|page| &mut page.bold, "</b>"),
            TagEnd::Strikethrough => self.leave(|page| &mut page.struck, "</s>"),
            TagEnd::Link | TagEnd::Image => {
                let was_tag = self.links.pop() == Some(true);
                self.tag(if was_tag { "</a>" } else { "" });
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.text.push_str(&format!("<pre>{}</pre>\n\n", escaped(&table.drawn())));
                    self.is_visible = true;
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        self.is_visible |= !text.trim().is_empty();
        match self.table.as_mut().and_then(|table| table.rows.last_mut()?.last_mut()) {
            Some(cell) => cell.push_str(&text.replace('\n', " ")),
            None => self.text.push_str(&escaped(text)),
        }
    }

    /// A tag of ours. Cells of a table are plain.
    fn tag(&mut self, tag: &str) {
        if self.table.is_none() {
            self.text.push_str(tag);
        }
    }

    fn enter(&mut self, depth: fn(&mut Self) -> &mut usize, tag: &str) {
        *depth(self) += 1;
        if *depth(self) == 1 {
            self.tag(tag);
        }
    }

    fn leave(&mut self, depth: fn(&mut Self) -> &mut usize, tag: &str) {
        *depth(self) = depth(self).saturating_sub(1);
        if *depth(self) == 0 {
            self.tag(tag);
        }
    }

    fn item(&mut self) {
        self.line();
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(8));
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", number.saturating_sub(1))
            }
            _ => "• ".to_owned(),
        };
        self.text.push_str(&indent);
        self.text.push_str(&mark);
    }

    /// A block begins: on a line of its own.
    fn block(&mut self) {
        if self.lists.is_empty() || self.table.is_some() {
            return;
        }
        self.line();
    }

    fn line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

impl Table {
    fn drawn(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default().min(WIDEST_CELL)
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        let row = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join(" | ").trim_end().to_owned()
        };
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n")
    }
}

/// Whether a link leads somewhere that people may be led to.
fn is_address(url: &str) -> bool {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "mailto" | "tg"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::html;

    fn check(markdown: &str, expected: &str) {
        assert_eq!(html(markdown).as_deref(), Some(expected), "{markdown:?}");
    }

    #[test]
    fn markdown_becomes_telegrams_html() {
        check("plain & <b>simple</b>", "plain &amp; &lt;b&gt;simple&lt;/b&gt;");
        check("**bold** *italic* ~~gone~~ `a<b`", "<b>bold</b> <i>italic</i> <s>gone</s> <code>a&lt;b</code>");
        check("# Title\n\ntext\n\nmore", "<b>Title</b>\n\ntext\n\nmore");
        check("## A **very** big one", "<b>A very big one</b>");
        check(
            "```rust\nlet a = 1 < 2;\n```\nafter",
            "<pre><code class=\"language-rust\">let a = 1 &lt; 2;</code></pre>\n\nafter",
        );
        check("- one\n- two\n  1. inner\n- three\n\nend", "• one\n• two\n  1. inner\n• three\n\nend");
        check("> quoted\n> > twice\n\nend", "<blockquote>quoted\n\ntwice</blockquote>\n\nend");
        check("| a | b |\n|---|---|\n| 1 | `x` |", "<pre>a | b\n1 | x</pre>");
        check("- [x] done\n- [ ] open", "• ☑ done\n• ☐ open");
    }

    #[test]
    fn links_lead_only_where_people_may_be_led() {
        check("[here](https://e.org/?a=\"b\")", "<a href=\"https://e.org/?a=&quot;b&quot;\">here</a>");
        check("[here](javascript:alert(1))", "here");
        check("[out [in](https://a.org)](https://b.org)", "[out <a href=\"https://a.org\">in</a>](https://b.org)");
    }

    #[test]
    fn what_shows_nothing_is_nothing() {
        for markdown in ["", "   \n", "[](https://e.org)", "**", "[a]: https://e.org"] {
            let shown = html(markdown);
            assert!(shown.is_none() || markdown == "**", "{markdown:?}: {shown:?}");
        }
    }

    /// Every tag is closed in order, and nothing else looks like one.
    fn is_balanced(html: &str) -> bool {
        let mut open = Vec::new();
        let mut rest = html;
        while let Some(start) = rest.find('<') {
            let Some(end) = rest[start..].find('>') else { return false };
            let tag = &rest[start + 1..start + end];
            match tag.strip_prefix('/') {
                Some(name) if open.pop() == Some(name) => {}
                Some(_) => return false,
                None => open.push(tag.split(' ').next().unwrap_or_default()),
            }
            rest = &rest[start + end + 1..];
        }
        open.is_empty()
    }

    proptest! {
        #[test]
        fn no_text_makes_a_tag_of_its_own(text in "(\\*\\*|[*_`~>#|<&\"\\[\\]()!\n-]|- |1\\. |> |```|</b>|<a href=x>|https://e|[a-z ]){0,80}") {
            if let Some(html) = html(&text) {
                prop_assert!(is_balanced(&html), "{html}");
            }
        }
    }
}
