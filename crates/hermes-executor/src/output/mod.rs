//! What commands print, held to bounds.

mod bounded;
mod decoder;
mod rolling;
mod spill;

pub(crate) use bounded::{Bounded, Collected};
pub(crate) use decoder::Decoder;
pub(crate) use rolling::{Rolling, tail};
