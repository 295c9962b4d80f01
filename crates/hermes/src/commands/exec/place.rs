//! Where one command runs: in a session that another process holds, or in an environment of its own.

use std::path::Path;

use hermes_approval::{Guard, Permit};
use hermes_environment::docker::{Begun, DockerEnvironment};
use hermes_environment::held::Attachment;
use hermes_environment::link::LinkError;
use hermes_environment::{CommandText, Environment, EnvironmentError};
use hermes_home::config::Terminal;
use hermes_proto::Explain;
use hermes_proto::executor::{Attach, IsolationReport, Stdin};
use hermes_proto::session::SessionKey;
use hermes_proto::turn::TurnContext;

use super::{Backend, Exec};
use crate::commands::executor::BUILD;
use crate::commands::local::Local;
use crate::exit::Failure;

pub(super) enum Place {
    Own { environment: Box<Environment>, notes: Vec<String> },
    Held(Attachment),
    Docker(Box<DockerEnvironment>),
}

/// A command, and what it reads.
pub(super) struct Typed {
    pub(super) command: CommandText,
    pub(super) stdin: Stdin,
}

impl Place {
    pub(super) async fn find(
        backend: Backend,
        exec: &Exec,
        local: &Local,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        if backend == Backend::Docker {
            let (environment, _nobody_listens) = local.start_docker(terminal, std::env::current_dir().ok()).await?;
            return Ok(Self::Docker(Box::new(environment)));
        }
        if let Some(session) = &exec.session
            && let Some(attachment) = Attachment::open(local.home.path(), &attach(session, terminal)?).await?
        {
            return Ok(Self::Held(attachment));
        }
        let (environment, _nobody_listens) = local.start(terminal, terminal.cwd.clone().into()).await?;
        Ok(Self::Own { environment: Box::new(environment), notes: Local::refusals(terminal) })
    }

    /// What keeps a local command in; a container is a confinement of its own.
    pub(super) fn isolation(&self) -> Option<&IsolationReport> {
        match self {
            Self::Own { environment, .. } => Some(environment.isolation()),
            Self::Held(attachment) => Some(attachment.isolation()),
            Self::Docker(_) => None,
        }
    }

    /// What the person should know about it.
    pub(super) fn notes(&self) -> &[String] {
        match self {
            Self::Own { notes, .. } => notes,
            Self::Held(attachment) => attachment.notes(),
            Self::Docker(environment) => environment.notes(),
        }
    }

    /// Starts the command if it is permitted. In a held session the holder says whether it is.
    pub(super) async fn begin(&self, turn: &TurnContext, guard: &Guard, typed: Typed) -> Result<Begun, Failure> {
        let Typed { command, stdin } = typed;
        Ok(match self {
            Self::Own { environment, .. } => {
                let permit = permit(guard, turn, &environment.place(), command)?;
                Begun::Running(Box::new(environment.begin(turn, permit, stdin)?))
            }
            Self::Held(attachment) => Begun::Running(Box::new(attachment.begin(turn, command, stdin)?)),
            Self::Docker(environment) => {
                let permit = permit(guard, turn, &environment.place(), command)?;
                environment.begin(turn, permit, stdin).await?.0
            }
        })
    }

    /// An error of a command that ran here.
    pub(super) fn failure(&self, error: LinkError) -> Failure {
        match self {
            Self::Own { .. } | Self::Docker(_) => error.into(),
            Self::Held(_) => Attachment::error(error).into(),
        }
    }

    /// Ends what is this command's own.
    pub(super) async fn close(self) -> Result<(), Failure> {
        match self {
            Self::Own { environment, .. } => Ok(environment.close().await?),
            Self::Held(_) => Ok(()),
            Self::Docker(environment) => Ok(environment.close().await?),
        }
    }
}

/// What the operator typed needs nobody's consent, but floor and deny list stand.
fn permit(
    guard: &Guard,
    turn: &TurnContext,
    place: &hermes_approval::Place,
    command: CommandText,
) -> Result<Permit<CommandText>, Failure> {
    guard.permit_typed(turn, place, command).map_err(|refusal| {
        let hint = refusal.hint().unwrap_or_else(|| "nothing was started; rules: hermes approvals rules".to_owned());
        Failure::new(refusal.fault(), refusal.for_person()).hint(hint)
    })
}

/// A new session lives where its first command is given.
fn attach(session: &SessionKey, terminal: &Terminal) -> Result<Attach, Failure> {
    let configured = Path::new(&terminal.cwd);
    let workspace = std::path::absolute(configured)
        .map_err(|source| EnvironmentError::Workspace { path: configured.to_owned(), source })?;
    let working_directory = workspace.to_str().map(str::to_owned);
    let working_directory = working_directory.ok_or(EnvironmentError::PathNotText { path: workspace })?;
    Ok(Attach { build: BUILD.to_owned(), session: session.clone(), working_directory })
}
