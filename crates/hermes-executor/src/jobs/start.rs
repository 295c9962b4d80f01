//! From a request to a running job.

use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;

use hermes_proto::executor::{JobId, RequestFailure, StartJob};

use super::job::{Begun, Job};
use super::tend::tend;
use super::terminal::{self, Ends, Theirs};
use super::watch::Watch;
use crate::random;
use crate::session::Session;
use crate::shell::{self, Command, Keeps, Script, Shell};
use crate::state::{Before, Entered, Variables, enter_explicit, enter_session};
use crate::stream::Stream;
use crate::tasks;
use crate::wardens::{Guarded, Lifetime};

/// Starts a job and returns as soon as it runs.
pub(super) fn start(session: &Rc<Session>, request: StartJob) -> Result<Rc<Job>, RequestFailure> {
    if request.command.contains('\0') {
        return Err(RequestFailure::NulInCommand);
    }
    session.jobs.make_room()?;
    let mut notes = Vec::new();
    let before = before(session, &request);
    let entered = enter(session, &request, &before.environment)?;
    let ends = ends(&request, &mut notes).map_err(|error| cannot_start(&error))?;
    // All that can fail comes before the start: a job that runs is always attended to.
    let input = Stream::writer(ends.ours.input).map_err(|error| cannot_start(&error))?;
    let output = Stream::reader(ends.ours.output).map_err(|error| cannot_start(&error))?;
    let guarded = start_shell(session, &request, &before, &entered, &ends.theirs)?;
    notes.extend(entered.note);
    let watch = watch(&request, &mut notes);
    let job = Rc::new(Job::new(Begun {
        id: JobId::from_random(random::bytes()),
        command: request.command,
        guarded,
        input,
        is_terminal: ends.theirs.is_terminal(),
        notifies: request.notify_on_complete,
        watch,
        notes,
    }));
    session.jobs.add(Rc::clone(&job));
    tasks::spawn(tend(Rc::clone(session), Rc::clone(&job), output));
    Ok(job)
}

/// A job that prints through a pipe would otherwise keep its output to itself for long.
fn before(session: &Session, request: &StartJob) -> Before {
    let mut given = shell::given(&session.own_environment, &request.environment);
    given.insert(b"PYTHONUNBUFFERED".to_vec(), b"1".to_vec());
    session.state.borrow().before(given)
}

fn enter(session: &Session, request: &StartJob, environment: &Variables) -> Result<Entered, RequestFailure> {
    let state = session.state.borrow();
    let entered = match &request.working_directory {
        None => enter_session(state.directory()),
        Some(given) => enter_explicit(given, state.directory(), environment),
    };
    entered.map_err(|error| cannot_start(&error))
}

/// Without a terminal where there can be none, which is said.
fn ends(request: &StartJob, notes: &mut Vec<String>) -> io::Result<Ends> {
    if let Some(size) = request.terminal {
        match terminal::terminal(size) {
            Ok(ends) => return Ok(ends),
            Err(error) => notes.push(format!("no pseudo-terminal ({error}); the job uses pipes")),
        }
    }
    terminal::pipes()
}

fn start_shell(
    session: &Session,
    request: &StartJob,
    before: &Before,
    entered: &Entered,
    theirs: &Theirs,
) -> Result<Rc<Guarded>, RequestFailure> {
    let environment = &before.environment;
    let script = Script {
        command: Command::Known(&request.command),
        definitions: &before.definitions,
        child_startup_file: environment.get(b"BASH_ENV".as_slice()).map(Vec::as_slice),
        keeps: Keeps::Nothing,
    };
    let shell = Shell {
        script: script.text(),
        environment,
        directory: entered.descriptor.as_fd(),
        input: theirs.input(),
        output: theirs.output(),
        state: None,
        command: None,
        takes_terminal: theirs.is_terminal(),
        tells_start: true,
    };
    let warden = shell.start().map_err(|error| cannot_start(&error))?;
    let lifetime = if request.persists { Lifetime::Own } else { Lifetime::Link };
    session.wardens.adopt(warden, lifetime).map_err(|error| cannot_start(&error))
}

/// A job whose end is told needs no patterns: both together would tell everything twice.
fn watch(request: &StartJob, notes: &mut Vec<String>) -> Option<Watch> {
    let watch = Watch::new(request.watch_patterns.clone())?;
    if request.notify_on_complete {
        notes.push("watch patterns are dropped: the job's end is told anyway".to_owned());
        return None;
    }
    Some(watch)
}

fn cannot_start(error: &dyn std::error::Error) -> RequestFailure {
    RequestFailure::CannotStart { detail: error.to_string() }
}
