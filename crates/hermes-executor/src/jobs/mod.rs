//! Background jobs: started in a turn, alive beyond it, asked about later.

mod act;
mod breaker;
mod job;
mod log;
mod registry;
mod start;
mod tend;
mod terminal;
mod watch;

pub(crate) use act::handle;
pub(crate) use registry::Jobs;
