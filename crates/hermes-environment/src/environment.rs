//! One place where the commands of one session run.
//!
//! Every call takes the turn it belongs to: the child's environment is computed from that turn
//! and nothing else, and the turn's cancellation and deadline end what the call started.
//!
//! ```compile_fail,E0061
//! # use hermes_approval::Permit;
//! # use hermes_environment::{CommandText, Environment};
//! # async fn without_a_turn(environment: &Environment, permit: Permit<CommandText>) {
//! let _ = environment.run(permit, &mut |_| ()).await;
//! # }
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use hermes_approval::{JobInput, Permit, Place, PlaceId};
use hermes_policy::environment::{Configured, child_environment};
use hermes_policy::{Context, Isolation};
use hermes_proto::HostEnvironment;
use hermes_proto::executor::{
    Answer, CommandResult, CommandText, FileAnswer, FileRequest, IsolationReport, JobRequest, JobSnapshot, Layer,
    LayerState, Open, Request, RequestFailure, StartJob, Stdin,
};
use hermes_proto::turn::TurnContext;
use serde::Serialize;

use crate::error::EnvironmentError;
use crate::executor_process::{ExecutorProcess, ExecutorProgram};
use crate::jobs::{JobQuery, JobWatch};
use crate::link::{Link, LinkError, Notices};
use crate::outcome;
use crate::redeemed::Redeemed;
use crate::running::{RunningCommand, begin};
use crate::script::{RunningScript, Script};
use crate::session_folder::SessionFolder;

/// What a command sees of the world around it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub host: Arc<HostEnvironment>,
    pub configured: Configured,
}

/// Computes what a command of a turn gets as its environment, at the moment it is started.
pub trait TurnVariables: std::fmt::Debug + Send + Sync {
    fn variables(&self, turn: &TurnContext) -> Vec<(String, String)>;
}

impl TurnVariables for Surroundings {
    fn variables(&self, turn: &TurnContext) -> Vec<(String, String)> {
        child_environment(&self.host, &self.configured, turn).variables.into_iter().collect()
    }
}

/// A running environment.
#[derive(Debug)]
pub struct Environment {
    id: PlaceId,
    link: Link,
    isolation: IsolationReport,
    working_directory: String,
    /// What policy is told about the world that commands see; the folder moves.
    context: Context,
    folder: SessionFolder,
    jobs: JobWatch,
    surroundings: Box<dyn TurnVariables>,
    process: ExecutorProcess,
    spill_folder: Option<PathBuf>,
}

impl Environment {
    /// Starts an executor and opens the link to it. The context is what policy judges commands by.
    pub async fn start<C: Serialize>(
        program: &ExecutorProgram,
        open: &Open<C>,
        surroundings: impl TurnVariables + 'static,
        context: Context,
    ) -> Result<(Self, Notices), EnvironmentError> {
        let (process, (output, input)) = ExecutorProcess::start(program).map_err(EnvironmentError::Start)?;
        match Link::open(output, input, open).await {
            Ok((link, ready, heard)) => {
                let (jobs, notices) = JobWatch::start(heard);
                let environment = Self {
                    id: PlaceId::unique(),
                    link,
                    isolation: ready.isolation,
                    folder: SessionFolder::new(&ready.working_directory),
                    working_directory: ready.working_directory,
                    context,
                    jobs,
                    surroundings: Box::new(surroundings),
                    process,
                    // Without a confinement the folder is not one of this machine.
                    spill_folder: open.confinement.as_ref().and(open.spill_folder.as_ref()).map(PathBuf::from),
                };
                Ok((environment, notices))
            }
            Err(error) => {
                let complaints = process.complaints();
                // Its own end is no news: the link has told why.
                let _ = process.finish().await;
                Err(EnvironmentError::Link { error, complaints })
            }
        }
    }

    /// What consent has to know about it. Permits for it are permits for nothing else.
    pub fn place(&self) -> Place {
        let isolation = stated(&self.isolation);
        let name = match isolation {
            Isolation::Sandbox => "local sandbox",
            _ => "local, not confined",
        };
        let context = Context { folder: Some(self.folder.now()), ..self.context.clone() };
        Place { id: self.id, name: name.to_owned(), isolation, context }
    }

    /// What keeps its commands in, as proven at its start.
    pub fn isolation(&self) -> &IsolationReport {
        &self.isolation
    }

    /// Where its first command runs.
    pub fn working_directory(&self) -> &str {
        &self.working_directory
    }

    /// The process this environment lives in; everything inside descends from it.
    pub fn process_id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Whether its executor is gone, and everything in it.
    pub fn has_ended(&self) -> bool {
        self.link.ended().is_some()
    }

    /// Runs a command to its end; `output` sees the output as it comes.
    pub async fn run(
        &self,
        turn: &TurnContext,
        permit: Permit<CommandText>,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, EnvironmentError> {
        let redeemed = Redeemed::by(permit, turn, self.id)?;
        self.run_redeemed(turn, redeemed, output).await
    }

    /// Starts a command whose input the caller sends.
    pub fn begin(
        &self,
        turn: &TurnContext,
        permit: Permit<CommandText>,
        stdin: Stdin,
    ) -> Result<RunningCommand, EnvironmentError> {
        self.begin_redeemed(turn, Redeemed::by(permit, turn, self.id)?, stdin)
    }

    /// Starts a script, whose tool calls the caller answers.
    pub fn begin_script(&self, turn: &TurnContext, permit: Permit<Script>) -> Result<RunningScript, EnvironmentError> {
        self.begin_script_redeemed(turn, Redeemed::by(permit, turn, self.id)?)
    }

    /// Starts a background job. Where nothing can be told after the turn, the notices are
    /// dropped and the result says so.
    pub async fn start_job(
        &self,
        turn: &TurnContext,
        permit: Permit<StartJob>,
    ) -> Result<JobSnapshot, EnvironmentError> {
        self.start_job_redeemed(turn, Redeemed::by(permit, turn, self.id)?).await
    }

    /// Asks about the jobs of this environment, or ends one.
    pub async fn job(&self, turn: &TurnContext, query: JobQuery) -> Result<Vec<JobSnapshot>, EnvironmentError> {
        let answer = self.answer(turn, &Request::Job(query.into())).await;
        let jobs = self.jobs_of(answer)?;
        self.jobs.see(&jobs);
        Ok(jobs)
    }

    /// Types into a job.
    pub async fn job_input(
        &self,
        turn: &TurnContext,
        permit: Permit<JobInput>,
    ) -> Result<Vec<JobSnapshot>, EnvironmentError> {
        self.job_input_redeemed(turn, Redeemed::by(permit, turn, self.id)?).await
    }

    /// Reads, writes, patches, searches or lists files beside the commands.
    pub async fn file(&self, turn: &TurnContext, permit: Permit<FileRequest>) -> Result<FileAnswer, EnvironmentError> {
        self.file_redeemed(turn, Redeemed::by(permit, turn, self.id)?).await
    }

    /// Ends the environment and everything in it; finished when this returns.
    pub async fn close(self) -> Result<(), EnvironmentError> {
        drop(self.link);
        let finished = self.process.finish().await.map_err(EnvironmentError::Finish);
        // A folder that holds output stays for as long as output is kept.
        let _ = self.spill_folder.map(std::fs::remove_dir);
        finished
    }
}

/// For a place that has redeemed the permit itself.
impl Environment {
    pub(crate) async fn run_redeemed(
        &self,
        turn: &TurnContext,
        redeemed: Redeemed<CommandText>,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, EnvironmentError> {
        let running = self.begin_redeemed(turn, redeemed, Stdin::Closed)?;
        running.finish(turn, output).await.map_err(|error| self.link_error(error))
    }

    pub(crate) fn begin_redeemed(
        &self,
        turn: &TurnContext,
        redeemed: Redeemed<CommandText>,
        stdin: Stdin,
    ) -> Result<RunningCommand, EnvironmentError> {
        let Redeemed { action, ticket, .. } = redeemed;
        match begin(&self.link, turn, action, self.surroundings.variables(turn), stdin) {
            Ok(pending) => Ok(RunningCommand::recorded(pending, ticket, self.folder.clone())),
            Err(error) => {
                ticket.ended(format!("not started: {error}"));
                Err(self.link_error(error))
            }
        }
    }

    pub(crate) fn begin_script_redeemed(
        &self,
        turn: &TurnContext,
        redeemed: Redeemed<Script>,
    ) -> Result<RunningScript, EnvironmentError> {
        let begun = RunningScript::begin(&self.link, turn, redeemed, self.surroundings.variables(turn));
        begun.map_err(|error| self.link_error(error))
    }

    pub(crate) async fn start_job_redeemed(
        &self,
        turn: &TurnContext,
        redeemed: Redeemed<StartJob>,
    ) -> Result<JobSnapshot, EnvironmentError> {
        let Redeemed { action: mut job, ticket, .. } = redeemed;
        let asked = job.notify_on_complete || !job.watch_patterns.is_empty();
        let is_undeliverable = asked && !turn.delivery().is_supported();
        if is_undeliverable {
            job.notify_on_complete = false;
            job.watch_patterns.clear();
        }
        job.environment = self.surroundings.variables(turn);
        let answer = self.answer(turn, &Request::Job(JobRequest::Start(job))).await;
        let mut snapshot = match answer {
            Ok(Answer::Job(snapshot)) => snapshot,
            other => {
                ticket.ended(outcome::of_answer(&other));
                return Err(self.link_error(other.err().unwrap_or(LinkError::WrongAnswer)));
            }
        };
        self.jobs.keep(&snapshot, ticket);
        if is_undeliverable {
            snapshot.notes.push(NOTICES_DROPPED.to_owned());
        }
        Ok(snapshot)
    }

    pub(crate) async fn job_input_redeemed(
        &self,
        turn: &TurnContext,
        redeemed: Redeemed<JobInput>,
    ) -> Result<Vec<JobSnapshot>, EnvironmentError> {
        let Redeemed { action, ticket, .. } = redeemed;
        let answer = self.answer(turn, &Request::Job(action.into_request())).await;
        ticket.ended(outcome::of_answer(&answer));
        let jobs = self.jobs_of(answer)?;
        self.jobs.see(&jobs);
        Ok(jobs)
    }

    pub(crate) async fn file_redeemed(
        &self,
        turn: &TurnContext,
        redeemed: Redeemed<FileRequest>,
    ) -> Result<FileAnswer, EnvironmentError> {
        let Redeemed { action, ticket, .. } = redeemed;
        let answer = self.answer(turn, &Request::File(action)).await;
        ticket.ended_in_turn(outcome::of_answer(&answer));
        match answer.map_err(|error| self.link_error(error))? {
            Answer::File(answer) => Ok(answer),
            _ => Err(self.link_error(LinkError::WrongAnswer)),
        }
    }

    /// The answer, or why there is none.
    async fn answer(&self, turn: &TurnContext, request: &Request) -> Result<Answer, LinkError> {
        let answer = self.link.request(turn, request)?.answer();
        let answer = tokio::select! {
            answer = answer => answer?,
            () = turn.cancellation().cancelled() => Answer::Failed(RequestFailure::Cancelled),
        };
        match answer {
            Answer::Failed(failure) => Err(failure.into()),
            answer => Ok(answer),
        }
    }

    fn jobs_of(&self, answer: Result<Answer, LinkError>) -> Result<Vec<JobSnapshot>, EnvironmentError> {
        match answer.map_err(|error| self.link_error(error))? {
            Answer::Job(job) => Ok(vec![job]),
            Answer::Jobs(jobs) => Ok(jobs),
            _ => Err(self.link_error(LinkError::WrongAnswer)),
        }
    }

    fn link_error(&self, error: LinkError) -> EnvironmentError {
        EnvironmentError::Link { error, complaints: self.process.complaints() }
    }
}

/// What the proven layers amount to. Files are what consent is about: without a layer that keeps
/// commands from them there is no sandbox to speak of.
fn stated(report: &IsolationReport) -> Isolation {
    let keeps_files = |layer| matches!(layer, Layer::MountNamespace | Layer::Landlock);
    let is_proven = |state: &LayerState| matches!(state, LayerState::Proven { .. });
    if report.layers.iter().any(|report| keeps_files(report.layer) && is_proven(&report.state)) {
        Isolation::Sandbox
    } else {
        Isolation::None
    }
}

const NOTICES_DROPPED: &str = "nothing can be told here after this turn: ask for the job's state with poll or wait";
