//! A place to work in, of whatever kind: what a tool needs, and nothing that only one kind has.

use hermes_approval::{JobInput, Permit, Place};
use hermes_proto::executor::{CommandResult, CommandText, FileAnswer, FileRequest, JobSnapshot, JobState, StartJob};
use hermes_proto::turn::TurnContext;
use hermes_proto::{Explain, Fault};

use crate::docker::{DockerEnvironment, DockerError};
use crate::environment::Environment;
use crate::error::EnvironmentError;
use crate::jobs::JobQuery;
use crate::script::{RunningScript, Script};

/// One session's place.
#[derive(Debug)]
pub enum Workplace {
    Local(Box<Environment>),
    Docker(Box<DockerEnvironment>),
}

/// Why something could not be done there.
#[derive(Debug, thiserror::Error)]
pub enum WorkplaceError {
    #[error(transparent)]
    Local(#[from] EnvironmentError),
    #[error(transparent)]
    Docker(#[from] DockerError),
}

impl Explain for WorkplaceError {
    fn fault(&self) -> Fault {
        match self {
            Self::Local(error) => error.fault(),
            Self::Docker(error) => error.fault(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Local(error) => error.hint(),
            Self::Docker(error) => error.hint(),
        }
    }
}

impl Workplace {
    /// What consent has to know about it.
    pub fn place(&self) -> Place {
        match self {
            Self::Local(environment) => environment.place(),
            Self::Docker(environment) => environment.place(),
        }
    }

    /// Whether it is gone for good. A container finds itself another one.
    pub fn has_ended(&self) -> bool {
        match self {
            Self::Local(environment) => environment.has_ended(),
            Self::Docker(_) => false,
        }
    }

    /// Runs a command to its end; `output` sees the output as it comes.
    pub async fn run(
        &self,
        turn: &TurnContext,
        permit: Permit<CommandText>,
        output: &mut impl FnMut(&[u8]),
    ) -> Result<CommandResult, WorkplaceError> {
        Ok(match self {
            Self::Local(environment) => environment.run(turn, permit, output).await?,
            Self::Docker(environment) => environment.run(turn, permit, output).await?,
        })
    }

    /// Starts a script, whose tool calls the caller answers; also what the person should know first.
    pub async fn begin_script(
        &self,
        turn: &TurnContext,
        permit: Permit<Script>,
    ) -> Result<(RunningScript, Vec<String>), WorkplaceError> {
        Ok(match self {
            Self::Local(environment) => (environment.begin_script(turn, permit)?, Vec::new()),
            Self::Docker(environment) => environment.begin_script(turn, permit).await?,
        })
    }

    /// Starts a background job.
    pub async fn start_job(&self, turn: &TurnContext, permit: Permit<StartJob>) -> Result<JobSnapshot, WorkplaceError> {
        Ok(match self {
            Self::Local(environment) => environment.start_job(turn, permit).await?,
            Self::Docker(environment) => environment.start_job(turn, permit).await?,
        })
    }

    /// Asks about the jobs of this session, or ends one.
    pub async fn job(&self, turn: &TurnContext, query: JobQuery) -> Result<Vec<JobSnapshot>, WorkplaceError> {
        Ok(match self {
            Self::Local(environment) => environment.job(turn, query).await?,
            Self::Docker(environment) => environment.job(turn, query).await?,
        })
    }

    /// Whether jobs are running, which nobody should end because the session is quiet. Starts nothing.
    pub async fn has_running_jobs(&self, turn: &TurnContext) -> bool {
        match self {
            Self::Local(environment) => {
                let jobs = environment.job(turn, JobQuery::List).await.unwrap_or_default();
                jobs.iter().any(|job| job.state == JobState::Running)
            }
            Self::Docker(environment) => environment.has_running_jobs(turn).await,
        }
    }

    /// Types into a job.
    pub async fn job_input(
        &self,
        turn: &TurnContext,
        permit: Permit<JobInput>,
    ) -> Result<Vec<JobSnapshot>, WorkplaceError> {
        Ok(match self {
            Self::Local(environment) => environment.job_input(turn, permit).await?,
            Self::Docker(environment) => environment.job_input(turn, permit).await?,
        })
    }

    /// Reads, writes, patches, searches or lists files there.
    pub async fn file(&self, turn: &TurnContext, permit: Permit<FileRequest>) -> Result<FileAnswer, WorkplaceError> {
        Ok(match self {
            Self::Local(environment) => environment.file(turn, permit).await?,
            Self::Docker(environment) => environment.file(turn, permit).await?,
        })
    }

    /// Ends it and everything in it; finished when this returns.
    pub async fn close(self) -> Result<(), WorkplaceError> {
        match self {
            Self::Local(environment) => environment.close().await?,
            Self::Docker(environment) => environment.close().await?,
        }
        Ok(())
    }
}
