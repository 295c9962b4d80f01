//! What can be asked about jobs without a permit: none of it starts or feeds anything.

use std::time::Duration;

use hermes_proto::executor::{JobAction, JobId, JobRequest};

/// A question about jobs, or the end of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobQuery {
    List,
    /// State and the newest output.
    Poll(JobId),
    /// Lines of its output; `offset` counts from the start, `None` means the last ones.
    Log {
        id: JobId,
        offset: Option<usize>,
        lines: usize,
    },
    /// Until it ends or this time has passed.
    Wait {
        id: JobId,
        time: Duration,
    },
    Kill(JobId),
    /// End of its input.
    CloseInput(JobId),
}

impl From<JobQuery> for JobRequest {
    fn from(query: JobQuery) -> Self {
        let (id, action) = match query {
            JobQuery::List => return Self::List,
            JobQuery::Poll(id) => (id, JobAction::Poll),
            JobQuery::Log { id, offset, lines } => (id, JobAction::Log { offset, lines }),
            JobQuery::Wait { id, time } => {
                (id, JobAction::Wait { timeout_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX) })
            }
            JobQuery::Kill(id) => (id, JobAction::Kill),
            JobQuery::CloseInput(id) => (id, JobAction::Close),
        };
        Self::One { id, action }
    }
}
