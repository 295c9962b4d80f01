//! A model's answer, rendered while it is still being written.
//!
//! Text comes in fragments that end anywhere. [`Stream`] finds the parts that nothing that follows can change any more; [`render()`]
//! turns one such part into lines of a width. A part keeps its source, so that a full screen can fold it again when it is resized.

mod render;
mod stream;
mod table;

pub(crate) use render::{Marks, Page, render};
pub(crate) use stream::{Chunk, Stream};
