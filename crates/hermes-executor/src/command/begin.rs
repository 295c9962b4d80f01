//! From a request to a running shell.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use hermes_proto::executor::{RequestFailure, RunCommand, Stdin};
use rustix::pipe::{PipeFlags, pipe_with};

use super::output::Output;
use crate::output::Bounded;
use crate::requests::OpenRequest;
use crate::session::Session;
use crate::shell::{self, Keeps, Script, Shell, StartError};
use crate::state::{Before, Entered, Moves, create_memory, enter_explicit, enter_session};
use crate::stream::Stream;
use crate::wardens::{Guarded, Lifetime};

/// A command whose shell is running.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) guarded: Rc<Guarded>,
    pub(super) output: Output,
    /// Where its input is written to, if it gets any.
    pub(super) input: Option<Stream>,
    /// Where its shell leaves its state.
    pub(super) memory: OwnedFd,
    pub(super) before: Before,
    pub(super) moves: Moves,
    pub(super) notes: Vec<String>,
}

/// Why no shell is running.
#[derive(Debug)]
pub(super) enum NotBegun {
    /// Nothing is wrong with the executor: the command's own directory is not there.
    NoDirectory(String),
    Failed(RequestFailure),
}

/// Starts the command's shell.
pub(super) fn begin(session: &Session, command: &RunCommand, request: &Rc<OpenRequest>) -> Result<Running, NotBegun> {
    if command.command.contains('\0') {
        return Err(NotBegun::Failed(RequestFailure::NulInCommand));
    }
    let before = session.state.borrow().before(shell::given(&session.own_environment, &command.environment));
    session.note_home(&before.environment);
    let (entered, moves) = enter(session, command, &before)?;
    let prepare = || -> io::Result<_> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let (input_reader, input) = match command.stdin {
            Stdin::Closed => (None, None),
            Stdin::Streamed => {
                let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
                (Some(reader), Some(Stream::writer(writer)?))
            }
        };
        Ok((Stream::reader(reader)?, writer, input_reader, input, create_memory()?))
    };
    // All that can fail comes before the start: a command that runs is always attended to.
    let (stream, writer, input_reader, input, memory) = prepare().map_err(|error| cannot_start(&error))?;
    let shell = Shell {
        script: script(command, &before),
        environment: &before.environment,
        directory: entered.descriptor.as_fd(),
        input: input_reader.as_ref().unwrap_or(&session.nothing).as_fd(),
        output: writer.as_fd(),
        state: Some(memory.as_fd()),
        takes_terminal: false,
        tells_start: false,
    };
    let warden = shell.start().map_err(|error: StartError| cannot_start(&error))?;
    let guarded = session.wardens.adopt(warden, Lifetime::Link).map_err(|error| cannot_start(&error))?;
    let bounded = Bounded::new(command.limits, session.spill_folder.clone());
    let streamed_to = command.streams_output.then(|| (session.outbox.clone(), Rc::clone(request)));
    let output = Output::new(stream, bounded, session.scratch.enter(), streamed_to);
    Ok(Running { guarded, output, input, memory, before, moves, notes: entered.note.into_iter().collect() })
}

fn enter(session: &Session, command: &RunCommand, before: &Before) -> Result<(Entered, Moves), NotBegun> {
    let state = session.state.borrow();
    let entered = match &command.working_directory {
        None => enter_session(state.directory()).map(|entered| (entered, Moves::Session)),
        Some(given) => {
            enter_explicit(given, state.directory(), &before.environment).map(|entered| (entered, Moves::Nothing))
        }
    };
    entered.map_err(|error| NotBegun::NoDirectory(error.to_string()))
}

fn script(command: &RunCommand, before: &Before) -> Vec<u8> {
    let script = Script {
        command: &command.command,
        definitions: &before.definitions,
        child_startup_file: before.environment.get(b"BASH_ENV".as_slice()).map(Vec::as_slice),
        keeps: Keeps::State,
    };
    script.text()
}

fn cannot_start(error: &dyn std::error::Error) -> NotBegun {
    NotBegun::Failed(RequestFailure::CannotStart { detail: error.to_string() })
}
