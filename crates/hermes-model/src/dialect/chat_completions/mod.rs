//! OpenAI's chat completions, as OpenAI documents them and as other servers speak them.

mod calls;
mod decode;
mod encode;

pub(crate) use decode::Decoder;
pub(crate) use encode::{encode, encode_tools};
