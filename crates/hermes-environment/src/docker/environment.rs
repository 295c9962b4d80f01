//! One session's place in a container.
//!
//! As everywhere, nothing runs without a permit for this very place:
//!
//! ```
//! # use hermes_approval::Permit;
//! # use hermes_environment::CommandText;
//! # use hermes_environment::docker::DockerEnvironment;
//! # use hermes_proto::turn::TurnContext;
//! # async fn permitted(environment: &DockerEnvironment, turn: &TurnContext, permit: Permit<CommandText>) {
//! let _ = environment.run(turn, permit, &mut |_| ()).await;
//! # }
//! ```
//!
//! ```compile_fail,E0308
//! # use hermes_environment::CommandText;
//! # use hermes_environment::docker::DockerEnvironment;
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &DockerEnvironment, turn: &TurnContext) {
//! let _ = environment.run(turn, CommandText::new("true"), &mut |_| ()).await;
//! # }
//! ```
//!
//! ```compile_fail,E0308
//! # use hermes_environment::CommandText;
//! # use hermes_environment::docker::DockerEnvironment;
//! # use hermes_proto::executor::Stdin;
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &DockerEnvironment, turn: &TurnContext) {
//! let _ = environment.begin(turn, CommandText::new("true"), Stdin::Closed).await;
//! # }
//! ```
//!
//! ```compile_fail,E0308
//! # use hermes_environment::docker::DockerEnvironment;
//! # use hermes_proto::executor::StartJob;
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &DockerEnvironment, turn: &TurnContext, job: StartJob) {
//! let _ = environment.start_job(turn, job).await;
//! # }
//! ```
//!
//! ```compile_fail,E0308
//! # use hermes_environment::docker::DockerEnvironment;
//! # use hermes_proto::executor::FileRequest;
//! # use hermes_proto::turn::TurnContext;
//! # async fn bare(environment: &DockerEnvironment, turn: &TurnContext, file: FileRequest) {
//! let _ = environment.file(turn, file).await;
//! # }
//! ```
//!
//! Containers die on their own: the engine restarts, somebody prunes, memory runs out. A
//! session whose container or executor died between two commands gets a new one, once,
//! and its next result says so, because files and jobs may be gone.

use std::sync::Arc;

use hermes_approval::{Action, JobInput, Permit, Place, PlaceId, Ticket};
use hermes_policy::Context;
use hermes_proto::executor::{
    CommandResult, FileAnswer, FileRequest, JobNotice, JobSnapshot, JobState, StartJob, Stdin,
};
use hermes_proto::turn::TurnContext;
use tokio::sync::{Mutex, mpsc};
use tokio::task::spawn_blocking;

use super::acquire::Origin;
use super::error::DockerError;
use super::orphans::OrphanSweep;
use super::plan::DockerSettings;
use super::seat::{Runner, Seat, take_seat};
use super::shown::PLACE as SHOWN_HOME;
use super::volumes::ROOT_HOME;
use crate::CommandText;
use crate::environment::Environment;
use crate::jobs::JobQuery;
use crate::link::Notices;
use crate::outcome;
use crate::redeemed::Redeemed;
use crate::running::RunningCommand;
use crate::script::{RunningScript, Script};
use crate::session_folder::SessionFolder;

/// What a result says when the session was given a new executor; the rest tells what was lost.
pub const RECREATED: &str = "environment_recreated";
const WAITING_NOTICES: usize = 256;
const JOB: &str = "a background job";

/// A session's environment in a container.
#[derive(Debug)]
pub struct DockerEnvironment {
    id: PlaceId,
    folder: SessionFolder,
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

/// A command that was given to its container.
#[derive(Debug)]
pub enum Begun {
    Running(Box<RunningCommand>),
    /// Where no executor can run, a command is told of when it is over.
    Finished(Box<CommandResult>),
}

/// What a command has to know about where it runs.
struct Found {
    runner: Runner,
    /// Set if the seat is not the one of the command before.
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
        let environment = Self {
            id: PlaceId::unique(),
            folder: SessionFolder::new(&settings.spec.working_directory),
            settings: Arc::clone(settings),
            seat: Mutex::new(State::Seated(Box::new(seat))),
            notices,
            notes,
        };
        Ok((environment, receiver))
    }

    /// What a person should know about how it started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What consent has to know about it. It stays the same place when its container is made anew.
    pub fn place(&self) -> Place {
        let DockerSettings { spec, isolation, .. } = &*self.settings;
        let context = Context {
            home: Some(ROOT_HOME.to_owned()),
            hermes_home: Some(SHOWN_HOME.to_owned()),
            folder: Some(self.folder.now()),
            ..Context::default()
        };
        let name = format!("container {} ({})", spec.labels.task(), spec.image);
        Place { id: self.id, name, isolation: *isolation, context }
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
        permit: Permit<CommandText>,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, DockerError> {
        let redeemed = Redeemed::by(permit, turn, self.id)?;
        self.run_redeemed(turn, redeemed, output).await
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
        permit: Permit<CommandText>,
        stdin: Stdin,
    ) -> Result<(Begun, Vec<String>), DockerError> {
        let redeemed = Redeemed::by(permit, turn, self.id)?;
        let Found { runner, recreated } = match self.find().await {
            Ok(found) => found,
            Err(error) => return Err(failed(redeemed.ticket, error)),
        };
        let begun = match (runner, stdin) {
            (Runner::Linked(environment), stdin) => {
                let running = environment.begin_redeemed(turn, redeemed, stdin)?;
                Begun::Running(Box::new(running.moving(self.folder.clone())))
            }
            (Runner::Each(_), Stdin::Closed) => {
                Begun::Finished(Box::new(self.run_redeemed(turn, redeemed, &mut |_| ()).await?))
            }
            (Runner::Each(_), Stdin::Streamed) => {
                let error = DockerError::NeedsExecutor { what: "input for a command" };
                return Err(failed(redeemed.ticket, error));
            }
        };
        Ok((begun, recreated.into_iter().collect()))
    }

    /// Starts a script, whose tool calls the caller answers; also what the person should know first.
    pub async fn begin_script(
        &self,
        turn: &TurnContext,
        permit: Permit<Script>,
    ) -> Result<(RunningScript, Vec<String>), DockerError> {
        let redeemed = Redeemed::by(permit, turn, self.id)?;
        let Found { runner, recreated } = match self.find().await {
            Ok(found) => found,
            Err(error) => return Err(failed(redeemed.ticket, error)),
        };
        let Runner::Linked(environment) = runner else {
            return Err(failed(redeemed.ticket, DockerError::NeedsExecutor { what: "a script" }));
        };
        Ok((environment.begin_script_redeemed(turn, redeemed)?, recreated.into_iter().collect()))
    }

    /// Starts a background job.
    pub async fn start_job(&self, turn: &TurnContext, permit: Permit<StartJob>) -> Result<JobSnapshot, DockerError> {
        let (environment, redeemed) = self.linked(turn, permit, JOB).await?;
        Ok(environment.start_job_redeemed(turn, redeemed).await?)
    }

    /// Asks about the jobs of this session, or ends one.
    pub async fn job(&self, turn: &TurnContext, query: JobQuery) -> Result<Vec<JobSnapshot>, DockerError> {
        Ok(self.executor(JOB).await?.job(turn, query).await?)
    }

    /// Types into a job.
    pub async fn job_input(
        &self,
        turn: &TurnContext,
        permit: Permit<JobInput>,
    ) -> Result<Vec<JobSnapshot>, DockerError> {
        let (environment, redeemed) = self.linked(turn, permit, JOB).await?;
        Ok(environment.job_input_redeemed(turn, redeemed).await?)
    }

    /// Whether jobs are running, which nobody should end because the session is quiet.
    pub async fn has_running_jobs(&self, turn: &TurnContext) -> bool {
        let runner = self.seat.lock().await.seat().map(|seat| seat.runner.clone());
        let Some(Runner::Linked(environment)) = runner else { return false };
        let jobs = environment.job(turn, JobQuery::List).await.unwrap_or_default();
        jobs.iter().any(|job| job.state == JobState::Running)
    }

    /// Reads, writes, patches, searches or lists files in the container.
    pub async fn file(&self, turn: &TurnContext, permit: Permit<FileRequest>) -> Result<FileAnswer, DockerError> {
        let (environment, redeemed) = self.linked(turn, permit, "a file operation").await?;
        Ok(environment.file_redeemed(turn, redeemed).await?)
    }

    /// Ends the session's commands and jobs, then the container as configured. Finished when
    /// this returns; if it is dropped, the cleanup still runs to its end.
    pub async fn close(&self) -> Result<(), DockerError> {
        match std::mem::replace(&mut *self.seat.lock().await, State::Closed) {
            State::Seated(seat) => seat.leave().await,
            State::Lost(_) | State::Closed => Ok(()),
        }
    }

    async fn run_redeemed(
        &self,
        turn: &TurnContext,
        redeemed: Redeemed<CommandText>,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, DockerError> {
        let mut is_second = false;
        loop {
            let Found { runner, recreated } = match self.find().await {
                Ok(found) => found,
                Err(error) => return Err(failed(redeemed.ticket, error)),
            };
            let each = match runner {
                Runner::Each(each) => each,
                Runner::Linked(environment) => {
                    let result = environment.run_redeemed(turn, redeemed, output).await?;
                    self.folder.moved(&result.working_directory);
                    return Ok(told(result, recreated));
                }
            };
            match each.run(turn, &redeemed, output).await {
                // It was told before the command began, so nothing is done twice.
                Err(DockerError::Gone { id }) if !is_second => self.lose(&id).await,
                Err(error) => return Err(failed(redeemed.ticket, error)),
                Ok(result) => {
                    redeemed.ticket.ended(outcome::of_command(&result));
                    return Ok(told(result, recreated));
                }
            }
            is_second = true;
        }
    }

    /// Redeems the permit for something that only an executor can do.
    async fn linked<A: Action>(
        &self,
        turn: &TurnContext,
        permit: Permit<A>,
        what: &'static str,
    ) -> Result<(Arc<Environment>, Redeemed<A>), DockerError> {
        let redeemed = Redeemed::by(permit, turn, self.id)?;
        match self.executor(what).await {
            Ok(environment) => Ok((environment, redeemed)),
            Err(error) => Err(failed(redeemed.ticket, error)),
        }
    }

    async fn executor(&self, what: &'static str) -> Result<Arc<Environment>, DockerError> {
        match self.find().await?.runner {
            Runner::Linked(environment) => Ok(environment),
            Runner::Each(_) => Err(DockerError::NeedsExecutor { what }),
        }
    }

    /// The seat for the next command: the same as before, or a new one if that has died.
    async fn find(&self) -> Result<Found, DockerError> {
        let mut state = self.seat.lock().await;
        let before = match &*state {
            State::Closed => return Err(DockerError::Closed),
            State::Lost(before) => before.clone(),
            State::Seated(seat) if !seat.runner.has_ended() => {
                return Ok(Found { runner: seat.runner.clone(), recreated: None });
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
        // A new shell stands where the first one stood.
        self.folder.moved(&self.settings.spec.working_directory);
        Ok(Found { runner, recreated: Some(recreated) })
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

/// Records that nothing came of it.
fn failed(ticket: Ticket, error: DockerError) -> DockerError {
    ticket.ended(format!("failed: {error}"));
    error
}

fn told(mut result: CommandResult, recreated: Option<String>) -> CommandResult {
    result.notes.extend(recreated);
    result
}
