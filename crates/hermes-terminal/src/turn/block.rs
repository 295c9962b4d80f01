//! What is added to a transcript and never changed again. It is folded when it is shown, since a terminal can be resized.

use std::time::Duration;

use crate::markdown::{Chunk, Page, render};
use crate::text::{Line, Tone, wrap};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    Markdown(Chunk),
    /// A line to be folded, with continuation lines indented by this much.
    Line {
        line: Line,
        indent: usize,
    },
    /// Code: never folded, so that it can be copied as it is.
    Rigid(Line),
}

impl Block {
    pub(crate) fn line(line: Line) -> Self {
        Self::Line { line, indent: 2 }
    }

    /// The lines of this block on a page.
    pub(crate) fn lines(&self, page: Page) -> Vec<Line> {
        match self {
            Self::Markdown(Chunk::Gap) => vec![Line::default()],
            Self::Markdown(Chunk::Blocks(source)) => render(source, page),
            Self::Markdown(Chunk::CodeBegins(label)) if label.is_empty() => Vec::new(),
            Self::Markdown(Chunk::CodeBegins(label)) => vec![Line::of(label, Tone::Faint)],
            Self::Markdown(Chunk::CodeLine(line)) => vec![Line::plain("  ").and(line, Tone::Code)],
            Self::Markdown(Chunk::CodeEnds) => Vec::new(),
            Self::Line { line, indent } => {
                wrap(&line.0, page.width, &Line::default(), &Line::plain(&" ".repeat(*indent)))
            }
            Self::Rigid(line) => vec![line.clone()],
        }
    }

    /// How much memory it takes, about.
    pub(crate) fn weight(&self) -> usize {
        const BASE: usize = 64;
        BASE + match self {
            Self::Markdown(Chunk::Blocks(text) | Chunk::CodeLine(text) | Chunk::CodeBegins(text)) => text.len(),
            Self::Markdown(Chunk::Gap | Chunk::CodeEnds) => 0,
            Self::Line { line, .. } | Self::Rigid(line) => line.0.iter().map(|piece| piece.text().len() + BASE).sum(),
        }
    }
}

/// A duration as a person reads it: `0.3s`, `12s`, `3m04s`, `1h02m`.
pub(crate) fn elapsed(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1}s", duration.as_secs_f64()),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::elapsed;
    use std::time::Duration;

    #[test]
    fn durations_are_short() {
        for (milliseconds, expected) in
            [(0, "0.0s"), (340, "0.3s"), (12_900, "12s"), (60_000, "1m00s"), (184_000, "3m04s"), (3_720_000, "1h02m")]
        {
            assert_eq!(elapsed(Duration::from_millis(milliseconds)), expected);
        }
    }
}
