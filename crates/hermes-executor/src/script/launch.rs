//! Starts a Python under a warden, with its two outputs apart.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use hermes_sandbox::warden::{Launch, LaunchError, Passed, Report, StartStep};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::session::Session;
use crate::state::Variables;
use crate::stream::Stream;
use crate::wardens::{Guarded, Lifetime};

/// From the polite signal to the one that cannot be ignored, when the time is over.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// Why there is no process.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("no pipe for its output: {0}")]
    Pipe(std::io::Error),
    #[error("{what} contains a NUL byte")]
    Nul { what: &'static str },
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("it cannot be watched: {0}")]
    Watch(std::io::Error),
}

/// A Python to be started.
#[derive(Debug)]
pub(super) struct Python<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [&'a [u8]],
    pub(super) environment: &'a Variables,
    pub(super) directory: BorrowedFd<'a>,
}

/// One that runs.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) guarded: Rc<Guarded>,
    /// The process below which everything is the script's.
    pub(super) warden: i32,
    pub(super) output: Stream,
    pub(super) errors: Stream,
}

/// How a Python came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProcessEnd {
    Exited(i32),
    Signalled(i32),
    /// Its warden was killed, and everything with it.
    Lost,
    NotStarted(String),
}

impl Python<'_> {
    pub(super) fn start(self, session: &Session) -> Result<Started, StartError> {
        // All that can fail comes before the start: what runs is always attended to.
        let (output, their_output) = pipe()?;
        let (errors, their_errors) = pipe()?;
        let program = text(self.program.as_os_str().as_bytes().to_vec(), "the path of python3")?;
        let mut arguments = vec![program.clone()];
        for argument in self.arguments {
            arguments.push(text(argument.to_vec(), "an argument")?);
        }
        let variables = self.environment.iter().filter(|(name, _)| !name.is_empty());
        let environment = variables.map(|(name, value)| text([name, b"=".as_slice(), value].concat(), "a variable"));
        let launch = Launch {
            program,
            arguments,
            environment: environment.collect::<Result<_, _>>()?,
            passed: vec![
                Passed { source: session.nothing.as_fd(), target: 0 },
                Passed { source: their_output.as_fd(), target: 1 },
                Passed { source: their_errors.as_fd(), target: 2 },
            ],
            directory: self.directory,
            takes_terminal: false,
            tells_start: false,
            grace: GRACE,
        };
        let warden = launch.start()?;
        let number = warden.process.as_raw_nonzero().get();
        let guarded = session.wardens.adopt(warden, Lifetime::Link).map_err(StartError::Watch)?;
        Ok(Started { guarded, warden: number, output, errors })
    }
}

fn pipe() -> Result<(Stream, OwnedFd), StartError> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| StartError::Pipe(error.into()))?;
    Ok((Stream::reader(reader).map_err(StartError::Pipe)?, writer))
}

fn text(bytes: Vec<u8>, what: &'static str) -> Result<CString, StartError> {
    CString::new(bytes).map_err(|_| StartError::Nul { what })
}

/// Waits for the end of the process itself; others of its tree may live on.
pub(super) async fn process_end(guarded: &Guarded) -> ProcessEnd {
    let mut failure = None;
    loop {
        match guarded.report().await {
            Some(Report::Started { .. }) => {}
            Some(Report::Failed { step, error }) => failure = Some(describe(step, error)),
            Some(Report::Exited { code }) => return failure.map_or(ProcessEnd::Exited(code), ProcessEnd::NotStarted),
            Some(Report::Signalled { signal }) => return ProcessEnd::Signalled(signal),
            None => return failure.map_or(ProcessEnd::Lost, ProcessEnd::NotStarted),
        }
    }
}

fn describe(step: StartStep, error: i32) -> String {
    let doing = match step {
        StartStep::Fork => "no process for it",
        StartStep::Descriptors => "its descriptors cannot be placed",
        StartStep::Directory => "its directory cannot be entered",
        StartStep::Terminal => "its terminal cannot be taken",
        StartStep::Execute => "python3 cannot be executed",
    };
    format!("{doing}: {}", std::io::Error::from_raw_os_error(error))
}
