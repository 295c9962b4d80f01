//! Background jobs as this side knows them: what may be asked, and whose end is still to be recorded.

mod query;
mod watch;

pub use query::JobQuery;
pub(crate) use watch::JobWatch;
