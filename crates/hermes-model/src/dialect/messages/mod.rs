//! Anthropic's messages.

mod decode;
mod encode;
mod thinking;

pub(crate) use decode::Decoder;
pub(crate) use encode::{encode, encode_tools};
