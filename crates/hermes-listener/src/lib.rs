//! Accept, limit, answer, drain: HTTP on a port that anybody may reach.
//!
//! Whoever can open a connection can be slow on it. So their number is bounded before they are accepted, a request's head has to arrive
//! in time and size, whoever does not take what is written is let go, and at the end those under way have a moment and no more.
//! What is answered, and to whom, is the caller's affair.

mod limits;
mod serve;

pub use limits::{Connection, Limits};
pub use serve::serve;
