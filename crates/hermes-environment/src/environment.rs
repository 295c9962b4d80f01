//! One place where the commands of one session run.
//!
//! Every call takes the turn it belongs to: the child's environment is computed from that turn
//! and nothing else, and the turn's cancellation and deadline end what the call started.
//!
//! ```compile_fail,E0061
//! # use hermes_environment::{CommandText, Environment};
//! # async fn without_a_turn(environment: &Environment, command: CommandText) {
//! let _ = environment.run(command, &mut |_| ()).await;
//! # }
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_policy::environment::{Configured, child_environment};
use hermes_proto::HostEnvironment;
use hermes_proto::executor::{
    Answer, CommandResult, FileAnswer, FileRequest, IsolationReport, JobRequest, JobSnapshot, Open, OutputLimits,
    Request, RequestFailure, RunCommand, StartJob, Stdin,
};
use hermes_proto::turn::TurnContext;
use serde::Serialize;

use crate::error::EnvironmentError;
use crate::executor_process::{ExecutorProcess, ExecutorProgram};
use crate::link::{Link, LinkError, Notices, Pending};
use crate::running::RunningCommand;

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
    link: Link,
    isolation: IsolationReport,
    working_directory: String,
    surroundings: Box<dyn TurnVariables>,
    process: ExecutorProcess,
    spill_folder: Option<PathBuf>,
}

/// A command as a tool or a person gives it.
#[derive(Debug, Clone)]
pub struct CommandText {
    pub text: String,
    /// Runs there instead, and does not move the session.
    pub working_directory: Option<String>,
    pub timeout: Option<Duration>,
    pub limits: OutputLimits,
}

impl CommandText {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), working_directory: None, timeout: None, limits: OutputLimits::default() }
    }

    /// The request for it in this turn, whose deadline it keeps.
    pub(crate) fn request(self, turn: &TurnContext, environment: Vec<(String, String)>, stdin: Stdin) -> Request {
        let until_deadline = turn.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = self.timeout.into_iter().chain(until_deadline).min();
        Request::Run(RunCommand {
            command: self.text,
            environment,
            working_directory: self.working_directory,
            timeout_ms: timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)),
            stdin,
            streams_output: true,
            limits: self.limits,
        })
    }
}

impl Environment {
    /// Starts an executor and opens the link to it.
    pub async fn start<C: Serialize>(
        program: &ExecutorProgram,
        open: &Open<C>,
        surroundings: impl TurnVariables + 'static,
    ) -> Result<(Self, Notices), EnvironmentError> {
        let (process, (output, input)) = ExecutorProcess::start(program).map_err(EnvironmentError::Start)?;
        match Link::open(output, input, open).await {
            Ok((link, ready, notices)) => {
                let (isolation, working_directory) = (ready.isolation, ready.working_directory);
                // Without a confinement the folder is not one of this machine.
                let spill_folder = open.confinement.as_ref().and(open.spill_folder.as_ref()).map(PathBuf::from);
                let surroundings = Box::new(surroundings);
                Ok((Self { link, isolation, working_directory, surroundings, process, spill_folder }, notices))
            }
            Err(error) => {
                let complaints = process.complaints();
                // Its own end is no news: the link has told why.
                let _ = process.finish().await;
                Err(EnvironmentError::Link { error, complaints })
            }
        }
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
        command: CommandText,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, EnvironmentError> {
        let running = self.begin(turn, command, Stdin::Closed)?;
        running.finish(turn, output).await.map_err(|error| self.link_error(error))
    }

    /// Starts a command whose input the caller sends.
    pub fn begin(
        &self,
        turn: &TurnContext,
        command: CommandText,
        stdin: Stdin,
    ) -> Result<RunningCommand, EnvironmentError> {
        let request = command.request(turn, self.surroundings.variables(turn), stdin);
        Ok(RunningCommand::new(self.request(turn, &request)?))
    }

    /// Starts a background job. Where nothing can be told after the turn, the notices are
    /// dropped and the result says so.
    pub async fn start_job(&self, turn: &TurnContext, mut job: StartJob) -> Result<JobSnapshot, EnvironmentError> {
        let asked = job.notify_on_complete || !job.watch_patterns.is_empty();
        let is_undeliverable = asked && !turn.delivery().is_supported();
        if is_undeliverable {
            job.notify_on_complete = false;
            job.watch_patterns.clear();
        }
        job.environment = self.surroundings.variables(turn);
        let Answer::Job(mut snapshot) = self.answer(turn, &Request::Job(JobRequest::Start(job))).await? else {
            return Err(self.link_error(LinkError::WrongAnswer));
        };
        if is_undeliverable {
            snapshot.notes.push(NOTICES_DROPPED.to_owned());
        }
        Ok(snapshot)
    }

    /// Asks about the jobs of this environment.
    pub async fn job(&self, turn: &TurnContext, request: JobRequest) -> Result<Vec<JobSnapshot>, EnvironmentError> {
        match request {
            JobRequest::Start(job) => self.start_job(turn, job).await.map(|job| vec![job]),
            request => match self.answer(turn, &Request::Job(request)).await? {
                Answer::Job(job) => Ok(vec![job]),
                Answer::Jobs(jobs) => Ok(jobs),
                _ => Err(self.link_error(LinkError::WrongAnswer)),
            },
        }
    }

    /// Reads, writes, patches, searches or lists files beside the commands.
    pub async fn file(&self, turn: &TurnContext, request: FileRequest) -> Result<FileAnswer, EnvironmentError> {
        match self.answer(turn, &Request::File(request)).await? {
            Answer::File(answer) => Ok(answer),
            _ => Err(self.link_error(LinkError::WrongAnswer)),
        }
    }

    /// Ends the environment and everything in it; finished when this returns.
    pub async fn close(self) -> Result<(), EnvironmentError> {
        drop(self.link);
        let finished = self.process.finish().await.map_err(EnvironmentError::Finish);
        // A folder that holds output stays for as long as output is kept.
        let _ = self.spill_folder.map(std::fs::remove_dir);
        finished
    }

    async fn answer(&self, turn: &TurnContext, request: &Request) -> Result<Answer, EnvironmentError> {
        let answer = self.request(turn, request)?.answer();
        let answer = tokio::select! {
            answer = answer => answer,
            () = turn.cancellation().cancelled() => Ok(Answer::Failed(RequestFailure::Cancelled)),
        };
        match answer.map_err(|error| self.link_error(error))? {
            Answer::Failed(failure) => Err(self.link_error(failure.into())),
            answer => Ok(answer),
        }
    }

    fn request(&self, turn: &TurnContext, request: &Request) -> Result<Pending, EnvironmentError> {
        self.link.request(turn, request).map_err(|error| self.link_error(error))
    }

    fn link_error(&self, error: LinkError) -> EnvironmentError {
        EnvironmentError::Link { error, complaints: self.process.complaints() }
    }
}

const NOTICES_DROPPED: &str = "nothing can be told here after this turn: ask for the job's state with poll or wait";
