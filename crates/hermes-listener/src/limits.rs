//! What a client may take of everybody's.

use std::time::Duration;

/// The bounds of one listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; more wait to be accepted.
    pub connections: usize,
    /// For a request's head, and for the next request on a connection.
    pub head: Duration,
    /// Bytes of a request's head.
    pub head_bytes: usize,
    /// How long a client may take nothing of what is written to it.
    pub stuck: Duration,
    /// What a connection is good for.
    pub connection: Connection,
    /// For those under way at the end.
    pub last_call: Duration,
}

/// What a connection is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// Any number of requests, one after the other.
    Kept,
    /// One request, which is over after this time whatever becomes of it.
    Single(Duration),
}
