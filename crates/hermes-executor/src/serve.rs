//! The life of the executor process: handshake, confinement, link, end.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use hermes_proto::executor::{IsolationReport, Open, Ready, Started};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use serde::de::DeserializeOwned;
use tokio::task::LocalSet;

use crate::link::{HandshakeError, LinkError, accept, answer, refuse};
use crate::server::serve_link;
use crate::session::Beginning;
use crate::state::enter_session;
use crate::stream::Stream;

/// Threads for file operations, which may block.
const BLOCKING_THREADS: usize = 2;
/// How long they wait for more work.
const THREAD_WAITS: Duration = Duration::from_millis(500);

/// What the program that is the executor knows about itself.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Its build, for the handshake.
    pub build: String,
    /// Its own environment, which commands get underneath if the runtime says so.
    pub environment: Vec<(OsString, OsString)>,
}

/// Why the executor ended other than by the link's closing.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    #[error("confinement cannot be put on: {0}")]
    Confinement(String),
    #[error("{directory}: working directory cannot be entered, nor any above it")]
    Directory { directory: String },
    #[error("memory and link cannot be hidden from commands: {0}")]
    Exposed(io::Error),
    #[error("no runtime: {0}")]
    Runtime(io::Error),
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl hermes_proto::Explain for ServeError {}

/// Serves one link until it closes. Call it on the main thread while there is no other:
/// `enter` puts the confinement on before anything else is started.
pub fn serve<C: DeserializeOwned>(
    input: impl Into<OwnedFd>,
    output: impl Into<OwnedFd>,
    identity: Identity,
    enter: impl FnOnce(&C) -> Result<IsolationReport, String>,
) -> Result<(), ServeError> {
    let (mut input, mut output) = (File::from(input.into()), File::from(output.into()));
    let begun = begin(&mut input, identity, enter);
    let (beginning, ready) = begun.inspect_err(|error| refuse(&mut output, error.to_string(), None))?;
    // Commands run as the same user, in a container beside those of other sessions: none may open this
    // process's memory or its end of the link.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|error| ServeError::Exposed(error.into()))?;
    answer(&mut output, &Started::Ready(ready))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(THREAD_WAITS)
        .build()
        .map_err(ServeError::Runtime)?;
    let served = LocalSet::new().block_on(&runtime, async {
        let (input, output) = (Stream::reader(input.into()), Stream::writer(output.into()));
        let (input, output) = (input.map_err(LinkError::Read)?, output.map_err(LinkError::Write)?);
        serve_link(input, output, beginning).await
    });
    // A file operation that hangs must not keep the process.
    runtime.shutdown_background();
    Ok(served?)
}

/// Takes standard input and output for a link. What stays in their places is nothing: a stray print
/// cannot reach the link, and the link closes when its two ends do.
pub fn take_standard_streams() -> io::Result<(OwnedFd, OwnedFd)> {
    let streams = (io::stdin().as_fd().try_clone_to_owned()?, io::stdout().as_fd().try_clone_to_owned()?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    Ok(streams)
}

/// Everything up to the answer to the handshake.
fn begin<C: DeserializeOwned>(
    input: &mut File,
    identity: Identity,
    enter: impl FnOnce(&C) -> Result<IsolationReport, String>,
) -> Result<(Beginning, Ready), ServeError> {
    let open: Open<C> = accept(input)?;
    let isolation = match &open.confinement {
        Some(confinement) => enter(confinement).map_err(ServeError::Confinement)?,
        None => IsolationReport { layers: Vec::new() },
    };
    let working_directory = PathBuf::from(&open.working_directory);
    let entered = enter_session(&working_directory)
        .map_err(|_| ServeError::Directory { directory: open.working_directory.clone() })?;
    let ready =
        Ready { build: identity.build, isolation, working_directory: entered.path.to_string_lossy().into_owned() };
    let home = identity.environment.iter().find(|(name, _)| name == "HOME").map(|(_, value)| PathBuf::from(value));
    let own_environment = if open.keeps_own_environment { identity.environment } else { Vec::new() };
    let spill_folder = open.spill_folder.map(PathBuf::from);
    Ok((Beginning { working_directory, own_environment, home, spill_folder }, ready))
}
