//! From a request to a running script.

use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::rc::Rc;

use hermes_policy::environment::{Staged, script_environment};
use hermes_proto::executor::{RequestFailure, RunScript, ScriptMode};
use tokio::net::UnixListener;
use tokio::task::spawn_blocking;

use super::calls::Calls;
use super::captured::{Captured, Kept};
use super::gate::{Gate, Token};
use super::interpreter::Search;
use super::launch::{Python, Started};
use super::module;
use super::staging::Staging;
use crate::requests::OpenRequest;
use crate::session::Session;
use crate::shell;
use crate::state::{Entered, enter_session};
use crate::wardens::Guarded;

const NO_PYTHON: &str = "there is no python3 in this environment's PATH; scripts need Python 3.8 or later";

/// A script that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) staging: Staging,
    pub(super) listener: UnixListener,
    pub(super) calls: Rc<Calls>,
    pub(super) guarded: Rc<Guarded>,
    pub(super) output: Captured,
    pub(super) errors: Captured,
    pub(super) notes: Vec<String>,
}

/// Starts the script.
pub(super) async fn begin(
    session: &Session,
    script: RunScript,
    request: &Rc<OpenRequest>,
) -> Result<Running, RequestFailure> {
    let (code, source) = (script.code, module::source(&script.tools));
    let staging = spawn_blocking(move || Staging::make(&code, &source)).await;
    let staging = staging.map_err(|error| RequestFailure::Internal { detail: error.to_string() })?;
    let staging = staging.map_err(|error| no_script(&error))?;
    let listener = staging.listen().map_err(|error| no_script(&error))?;
    let token = Token::fresh().map_err(|error| no_script(&error))?;

    let given = shell::given(&session.own_environment, &script.environment);
    let current = session.state.borrow().before(given.clone()).environment;
    session.note_home(&current);
    let entered = enter(session, script.mode, &staging)?;
    let directory = entered.descriptor.as_fd();
    let search = Search { session, mode: script.mode, given: &given, current: &current, directory };
    let program = search.find().await.ok_or_else(|| RequestFailure::NoScript { detail: NO_PYTHON.to_owned() })?;

    let (folder, socket) = (staging.folder().to_string_lossy(), staging.socket());
    let staged = Staged {
        folder: &folder,
        socket: &socket.to_string_lossy(),
        token: token.text(),
        time_zone: script.time_zone.as_deref(),
    };
    let environment = script_environment(&current, &script.passthrough, &staged);
    let path = staging.script();
    let python =
        Python { program: &program, arguments: &[path.as_os_str().as_bytes()], environment: &environment, directory };
    let Started { guarded, warden, output, errors } = python.start(session).map_err(|error| no_script(&error))?;
    let gate = Gate::new(token, script.tools, script.limits.tool_calls);
    let calls = Rc::new(Calls { gate, request: Rc::clone(request), outbox: session.outbox.clone(), warden });
    let (of_output, of_errors) = (Kept::ends(script.limits.output_bytes), Kept::beginning(script.limits.error_bytes));
    Ok(Running {
        staging,
        listener,
        calls,
        guarded,
        output: Captured::new(output, session.scratch.enter(), of_output),
        errors: Captured::new(errors, session.scratch.enter(), of_errors),
        notes: entered.note.into_iter().collect(),
    })
}

fn enter(session: &Session, mode: ScriptMode, staging: &Staging) -> Result<Entered, RequestFailure> {
    let entered = match mode {
        ScriptMode::Project => enter_session(session.state.borrow().directory()),
        ScriptMode::Strict => enter_session(staging.folder()),
    };
    entered.map_err(|error| no_script(&error))
}

fn no_script(error: &dyn std::error::Error) -> RequestFailure {
    RequestFailure::NoScript { detail: error.to_string() }
}
