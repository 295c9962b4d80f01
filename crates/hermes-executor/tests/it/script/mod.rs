//! Scripts by a real Python, and the tool calls that they make.

mod calls;
mod endings;
mod environment;
mod hostile;
mod output;
mod support;
