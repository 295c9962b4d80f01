//! A session's seat in a container: the container itself, and the way its commands get in.

use std::sync::Arc;
use std::time::Duration;

use hermes_proto::executor::JobNotice;
use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};

use super::acquire::{Container, Origin};
use super::custody::Custody;
use super::error::DockerError;
use super::exec_each::ExecEach;
use super::executor_link::{ExecutorLink, NoExecutor};
use super::plan::DockerSettings;
use crate::environment::Environment;
use crate::error::EnvironmentError;
use crate::link::Notices;

/// The longest a cleanup can take: every call to the engine is bounded.
const CLEANUP: Duration = Duration::from_secs(75);

/// Where the session's commands run at the moment.
#[derive(Debug)]
pub(super) struct Seat {
    custody: Custody,
    pub(super) id: String,
    pub(super) origin: Origin,
    pub(super) runner: Runner,
    /// Passes notices on, for as long as the seat is taken.
    _passing: JoinSet<()>,
}

#[derive(Debug, Clone)]
pub(super) enum Runner {
    Linked(Arc<Environment>),
    Each(Arc<ExecEach>),
}

impl Runner {
    /// Whether it can run nothing more.
    pub(super) fn has_ended(&self) -> bool {
        match self {
            Self::Linked(environment) => environment.has_ended(),
            Self::Each(_) => false,
        }
    }
}

impl Seat {
    pub(super) async fn leave(self: Box<Self>) -> Result<(), DockerError> {
        if let Runner::Linked(environment) = self.runner
            && let Ok(environment) = Arc::try_unwrap(environment)
        {
            // Its commands end with the container too; only that it is over matters.
            let _ = environment.close().await;
        }
        self.custody.cleanup();
        if self.custody.wait_for_cleanup(CLEANUP).await {
            return Ok(());
        }
        Err(DockerError::CleanupTimedOut { id: self.id, seconds: CLEANUP.as_secs() })
    }

    /// Leaves a place that has died, without touching what may be left of its container.
    pub(super) fn abandon(self: Box<Self>) {
        self.custody.release();
    }

    pub(super) fn told(&self, before: &str) -> String {
        let lost = "the shell's state and background jobs are lost";
        if self.id == before && self.origin == Origin::Attached {
            return format!("the executor had ended and was started again; {lost}");
        }
        match self.origin {
            Origin::Attached | Origin::Started => format!("the container had stopped and was started again; {lost}"),
            Origin::Made => {
                format!("the container was gone and has been made anew; {lost}, and files that were not mounted")
            }
        }
    }
}

/// Gets a container and an executor in it. A container that dies at that very moment is
/// tried once more.
pub(super) async fn take_seat(
    settings: &Arc<DockerSettings>,
    notices: &mpsc::Sender<JobNotice>,
) -> Result<(Seat, Vec<String>), DockerError> {
    let first = match try_seat(settings, notices).await? {
        Ok(seat) => return Ok(seat),
        Err(reason) => reason,
    };
    tracing::warn!(reason = %first, "the container was gone before its first command; once more");
    try_seat(settings, notices).await?.map_err(DockerError::Environment)
}

/// The inner error says that the container was gone.
async fn try_seat(
    settings: &Arc<DockerSettings>,
    notices: &mpsc::Sender<JobNotice>,
) -> Result<Result<(Seat, Vec<String>), EnvironmentError>, DockerError> {
    let asked = Arc::clone(settings);
    // If nobody waits any more, what comes of it is cleaned up by being dropped.
    let acquired = spawn_blocking(move || Container::acquire(&asked));
    let mut container = acquired.await.map_err(|_| DockerError::Interrupted)??;
    let mut passing = JoinSet::new();
    let runner = match connect(&container, settings).await {
        Ok(Connected::Linked(environment, heard)) => {
            passing.spawn(pass_on(heard, notices.clone()));
            Runner::Linked(environment)
        }
        Ok(Connected::Each(each, note)) => {
            container.notes.extend(note);
            Runner::Each(each)
        }
        Err(reason) => {
            match container.origin {
                Origin::Made => container.custody.discard(),
                Origin::Attached | Origin::Started => container.custody.release(),
            }
            container.custody.wait_for_cleanup(CLEANUP).await;
            return Ok(Err(reason));
        }
    };
    let Container { custody, id, origin, notes, .. } = container;
    Ok(Ok((Seat { custody, id, origin, runner, _passing: passing }, notes)))
}

/// How commands reach a container.
enum Connected {
    Linked(Arc<Environment>, Notices),
    /// And why not through an executor, if one was wanted.
    Each(Arc<ExecEach>, Option<String>),
}

/// The error says that the container was gone.
async fn connect(container: &Container, settings: &DockerSettings) -> Result<Connected, EnvironmentError> {
    let each = || {
        Arc::new(ExecEach {
            client: container.client.clone(),
            id: container.id.clone(),
            working_directory: settings.spec.working_directory.clone(),
            variables: settings.variables.clone(),
        })
    };
    let Some(placed) = &container.executor else { return Ok(Connected::Each(each(), None)) };
    let link = ExecutorLink {
        client: &container.client,
        id: &container.id,
        working_directory: &settings.spec.working_directory,
        variables: &settings.variables,
    };
    match link.open(placed).await {
        Ok((environment, heard)) => Ok(Connected::Linked(Arc::new(environment), heard)),
        Err(NoExecutor::Gone(reason)) => Err(reason),
        Err(NoExecutor::CannotRun(reason)) => {
            let note = format!("every command is a docker exec of its own: the executor cannot run there: {reason}");
            Ok(Connected::Each(each(), Some(note)))
        }
    }
}

async fn pass_on(mut heard: Notices, notices: mpsc::Sender<JobNotice>) {
    while let Some(notice) = heard.recv().await {
        if notices.try_send(notice).is_err() {
            tracing::warn!("a notice of a background job was dropped: nobody takes them");
        }
    }
}
