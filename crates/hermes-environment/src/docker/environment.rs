//! One session's place in a container.
//!
//! Containers die on their own: the engine restarts, somebody prunes, memory runs out. A
//! session whose container or executor died between two commands gets a new one, once,
//! and its next result says so, because files and jobs may be gone.

use std::sync::Arc;
use std::time::Duration;

use hermes_proto::executor::{
    CommandResult, FileAnswer, FileRequest, JobNotice, JobRequest, JobSnapshot, JobState, Stdin,
};
use hermes_proto::turn::TurnContext;
use tokio::sync::{Mutex, mpsc};
use tokio::task::{JoinSet, spawn_blocking};

use super::acquire::{Container, Origin};
use super::custody::Custody;
use super::error::DockerError;
use super::exec_each::ExecEach;
use super::executor_link::{ExecutorLink, NoExecutor};
use super::orphans::OrphanSweep;
use super::plan::DockerSettings;
use crate::environment::{CommandText, Environment};
use crate::error::EnvironmentError;
use crate::link::Notices;
use crate::running::RunningCommand;

/// What a result says when the session was given a new executor; the rest tells what was lost.
pub const RECREATED: &str = "environment_recreated";
/// The longest a cleanup can take: every call to the engine is bounded.
const CLEANUP: Duration = Duration::from_secs(75);
const WAITING_NOTICES: usize = 256;

/// A session's environment in a container.
#[derive(Debug)]
pub struct DockerEnvironment {
    settings: Arc<DockerSettings>,
    seat: Mutex<State>,
    notices: mpsc::Sender<JobNotice>,
    notes: Vec<String>,
}

/// Whether the session has a place.
#[derive(Debug)]
enum State {
    Seated(Box<Seat>),
    /// The container of this id died, and no other could be had yet.
    Lost(String),
    Closed,
}

/// Where the session's commands run at the moment.
#[derive(Debug)]
struct Seat {
    custody: Custody,
    id: String,
    origin: Origin,
    runner: Runner,
    /// Passes notices on, for as long as the seat is taken.
    _passing: JoinSet<()>,
}

#[derive(Debug, Clone)]
enum Runner {
    Linked(Arc<Environment>),
    Each(Arc<ExecEach>),
}

/// What a command has to know about where it runs.
struct Place {
    runner: Runner,
    /// Set if the place is not the one of the command before.
    recreated: Option<String>,
}

impl DockerEnvironment {
    /// Finds, starts or makes the container and connects to it. The first one of a process
    /// also removes what earlier processes left.
    pub async fn start(
        settings: &Arc<DockerSettings>,
        sweep: &Arc<OrphanSweep>,
    ) -> Result<(Self, Notices), DockerError> {
        let (notices, receiver) = mpsc::channel(WAITING_NOTICES);
        let (seat, notes) = take_seat(settings, &notices).await?;
        let (swept, sweep) = (Arc::clone(settings), Arc::clone(sweep));
        // Not waited for: it is somebody else's mess.
        drop(spawn_blocking(move || sweep.once(&swept)));
        let environment =
            Self { settings: Arc::clone(settings), seat: Mutex::new(State::Seated(Box::new(seat))), notices, notes };
        Ok((environment, receiver))
    }

    /// What a person should know about how it started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The container that commands run in now.
    pub async fn container_id(&self) -> Option<String> {
        self.seat.lock().await.seat().map(|seat| seat.id.clone())
    }

    /// Where that came from.
    pub async fn origin(&self) -> Option<Origin> {
        self.seat.lock().await.seat().map(|seat| seat.origin)
    }

    /// Runs a command to its end; `output` sees the output as it comes.
    pub async fn run(
        &self,
        turn: &TurnContext,
        command: CommandText,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, DockerError> {
        let mut place = self.place().await?;
        let mut outcome = place.runner.run(turn, command.clone(), output).await;
        if let Err(DockerError::Gone { id }) = &outcome {
            // It was told before the command began, so nothing is done twice.
            self.lose(id).await;
            place = self.place().await?;
            outcome = place.runner.run(turn, command, output).await;
        }
        let mut result = outcome?;
        result.notes.extend(place.recreated);
        Ok(result)
    }

    /// Leaves a container that turned out to be gone.
    async fn lose(&self, id: &str) {
        let mut state = self.seat.lock().await;
        if state.seat().is_some_and(|seat| seat.id == id)
            && let State::Seated(seat) = std::mem::replace(&mut *state, State::Lost(id.to_owned()))
        {
            seat.abandon();
        }
    }

    /// Starts a command whose input the caller sends; also what the person should know first.
    pub async fn begin(
        &self,
        turn: &TurnContext,
        command: CommandText,
        stdin: Stdin,
    ) -> Result<(RunningCommand, Vec<String>), DockerError> {
        let place = self.place().await?;
        let Runner::Linked(environment) = place.runner else {
            return Err(DockerError::NeedsExecutor { what: "input for a command" });
        };
        Ok((environment.begin(turn, command, stdin)?, place.recreated.into_iter().collect()))
    }

    /// Starts, or asks about, the jobs of this session.
    pub async fn job(&self, turn: &TurnContext, request: JobRequest) -> Result<Vec<JobSnapshot>, DockerError> {
        match self.place().await?.runner {
            Runner::Linked(environment) => Ok(environment.job(turn, request).await?),
            Runner::Each(_) => Err(DockerError::NeedsExecutor { what: "a background job" }),
        }
    }

    /// Whether jobs are running, which nobody should end because the session is quiet.
    pub async fn has_running_jobs(&self, turn: &TurnContext) -> bool {
        let runner = self.seat.lock().await.seat().map(|seat| seat.runner.clone());
        let Some(Runner::Linked(environment)) = runner else { return false };
        let jobs = environment.job(turn, JobRequest::List).await.unwrap_or_default();
        jobs.iter().any(|job| job.state == JobState::Running)
    }

    /// Reads, writes, patches, searches or lists files in the container.
    pub async fn file(&self, turn: &TurnContext, request: FileRequest) -> Result<FileAnswer, DockerError> {
        match self.place().await?.runner {
            Runner::Linked(environment) => Ok(environment.file(turn, request).await?),
            Runner::Each(_) => Err(DockerError::NeedsExecutor { what: "a file operation" }),
        }
    }

    /// Ends the session's commands and jobs, then the container as configured. Finished when
    /// this returns; if it is dropped, the cleanup still runs to its end.
    pub async fn close(&self) -> Result<(), DockerError> {
        match std::mem::replace(&mut *self.seat.lock().await, State::Closed) {
            State::Seated(seat) => seat.leave().await,
            State::Lost(_) | State::Closed => Ok(()),
        }
    }

    /// The place for the next command: the same as before, or a new one if that has died.
    async fn place(&self) -> Result<Place, DockerError> {
        let mut state = self.seat.lock().await;
        let before = match &*state {
            State::Closed => return Err(DockerError::Closed),
            State::Lost(before) => before.clone(),
            State::Seated(seat) if !seat.runner.has_ended() => {
                return Ok(Place { runner: seat.runner.clone(), recreated: None });
            }
            State::Seated(seat) => {
                tracing::warn!(id = seat.id, "the executor has ended; the environment is made anew");
                seat.id.clone()
            }
        };
        // What is left of the old place must not keep the new one from being made.
        if let State::Seated(old) = std::mem::replace(&mut *state, State::Lost(before.clone())) {
            old.abandon();
        }
        let (fresh, _) = take_seat(&self.settings, &self.notices).await?;
        let recreated = format!("{RECREATED}: {}", fresh.told(&before));
        let runner = fresh.runner.clone();
        *state = State::Seated(Box::new(fresh));
        Ok(Place { runner, recreated: Some(recreated) })
    }
}

impl State {
    fn seat(&self) -> Option<&Seat> {
        match self {
            Self::Seated(seat) => Some(seat),
            Self::Lost(_) | Self::Closed => None,
        }
    }
}

impl Runner {
    async fn run(
        &self,
        turn: &TurnContext,
        command: CommandText,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, DockerError> {
        match self {
            Self::Linked(environment) => Ok(environment.run(turn, command, output).await?),
            Self::Each(each) => each.run(turn, command, output).await,
        }
    }

    /// Whether it can run nothing more.
    fn has_ended(&self) -> bool {
        match self {
            Self::Linked(environment) => environment.has_ended(),
            Self::Each(_) => false,
        }
    }
}

impl Seat {
    async fn leave(self: Box<Self>) -> Result<(), DockerError> {
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
    fn abandon(self: Box<Self>) {
        self.custody.release();
    }

    fn told(&self, before: &str) -> String {
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
async fn take_seat(
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
            Runner::Linked(Arc::new(environment))
        }
        Ok(Connected::Each(each, note)) => {
            container.notes.extend(note);
            Runner::Each(Arc::new(each))
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
    Linked(Environment, Notices),
    /// And why not through an executor, if one was wanted.
    Each(ExecEach, Option<String>),
}

/// The error says that the container was gone.
async fn connect(container: &Container, settings: &DockerSettings) -> Result<Connected, EnvironmentError> {
    let each = || ExecEach {
        client: container.client.clone(),
        id: container.id.clone(),
        working_directory: settings.spec.working_directory.clone(),
        variables: settings.variables.clone(),
    };
    let Some(placed) = &container.executor else { return Ok(Connected::Each(each(), None)) };
    let link = ExecutorLink {
        client: &container.client,
        id: &container.id,
        working_directory: &settings.spec.working_directory,
        variables: &settings.variables,
    };
    match link.open(placed).await {
        Ok((environment, heard)) => Ok(Connected::Linked(environment, heard)),
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
