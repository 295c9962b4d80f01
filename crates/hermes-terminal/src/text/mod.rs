//! Text that is safe to show: pieces with a meaning, folded into lines, painted for a terminal.

mod line;
mod paint;
mod visible;
mod wrap;

pub(crate) use line::{Ink, Line, Piece, Tone};
pub(crate) use paint::{Paint, ansi, display};
pub(crate) use visible::visible;
pub(crate) use wrap::{cut, width_of, wrap};
