//! How meanings look: as escape sequences for a terminal, as a style for a full screen, or not at all.

use std::io::IsTerminal;

use hermes_proto::HostEnvironment;
use ratatui::style::{Color, Modifier, Style};

use super::{Ink, Line, Tone};

/// What the terminal is able to show and the person wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Colours and styles.
    Colour,
    /// Styles only (`NO_COLOR`).
    Monochrome,
    /// No escape sequences whatsoever (`TERM=dumb`, or not a terminal).
    Nothing,
}

impl Paint {
    pub(crate) fn of(host: &HostEnvironment, stream: &impl IsTerminal) -> Self {
        let is_dumb = host.text("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        if is_dumb || !stream.is_terminal() {
            return Self::Nothing;
        }
        match host.get("NO_COLOR") {
            Some(value) if !value.is_empty() => Self::Monochrome,
            _ => Self::Colour,
        }
    }
}

/// A line for a terminal, without its end.
pub(crate) fn ansi(line: &Line, paint: Paint) -> String {
    let mut text = String::new();
    for piece in &line.0 {
        let codes = if paint == Paint::Nothing { Vec::new() } else { codes(piece.ink(), paint) };
        if codes.is_empty() {
            text.push_str(piece.text());
        } else {
            text.push_str(&format!("\u{1b}[{}m{}\u{1b}[0m", codes.join(";"), piece.text()));
        }
    }
    text
}

/// A line for a full screen.
pub(crate) fn display(line: &Line, paint: Paint) -> ratatui::text::Line<'static> {
    let spans =
        line.0.iter().map(|piece| ratatui::text::Span::styled(piece.text().to_owned(), style(piece.ink(), paint)));
    ratatui::text::Line::from(spans.collect::<Vec<_>>())
}

fn codes(ink: Ink, paint: Paint) -> Vec<&'static str> {
    let mut codes = Vec::new();
    if ink.strong || matches!(ink.tone, Tone::Heading | Tone::Alert) {
        codes.push("1");
    }
    if ink.slanted {
        codes.push("3");
    }
    if ink.struck {
        codes.push("9");
    }
    match ink.tone {
        Tone::Faint | Tone::Quote => codes.push("2"),
        Tone::Link => codes.push("4"),
        _ => {}
    }
    if paint == Paint::Colour {
        match ink.tone {
            Tone::Code | Tone::Hunk | Tone::Heading => codes.push("36"),
            Tone::Added | Tone::Good => codes.push("32"),
            Tone::Removed | Tone::Bad => codes.push("31"),
            Tone::Alert => codes.push("33"),
            Tone::Link | Tone::Own => codes.push("34"),
            Tone::Plain | Tone::Quote | Tone::Faint => {}
        }
    }
    codes
}

fn style(ink: Ink, paint: Paint) -> Style {
    let mut style = Style::default();
    for code in codes(ink, paint) {
        style = match code {
            "1" => style.add_modifier(Modifier::BOLD),
            "2" => style.add_modifier(Modifier::DIM),
            "3" => style.add_modifier(Modifier::ITALIC),
            "4" => style.add_modifier(Modifier::UNDERLINED),
            "9" => style.add_modifier(Modifier::CROSSED_OUT),
            "31" => style.fg(Color::Red),
            "32" => style.fg(Color::Green),
            "33" => style.fg(Color::Yellow),
            "34" => style.fg(Color::Blue),
            _ => style.fg(Color::Cyan),
        };
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_paint_shows_the_same_words() {
        let line =
            Line::of("done", Tone::Good).and(" and ", Tone::Plain).and("more", Ink { strong: true, ..Ink::default() });
        for (paint, expected) in [
            (Paint::Colour, "\u{1b}[32mdone\u{1b}[0m and \u{1b}[1mmore\u{1b}[0m"),
            (Paint::Monochrome, "done and \u{1b}[1mmore\u{1b}[0m"),
            (Paint::Nothing, "done and more"),
        ] {
            assert_eq!(ansi(&line, paint), expected);
        }
    }
}
