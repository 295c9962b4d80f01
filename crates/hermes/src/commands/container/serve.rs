//! What runs inside the folders of services. s6 starts each in its own folder.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use hermes_home::HomeRoot;
use hermes_proto::Fault;
use hermes_sandbox::process;
use hermes_supervise::boot::lease::{Lease, container_name};
use hermes_supervise::boot::log::BootLog;
use hermes_supervise::slot::{self, Ledger, SlotData};
use hermes_supervise::watch::Over;
use hermes_supervise::{Places, S6, boot};

use crate::context::Context;
use crate::exit::Failure;

pub(super) fn watch(context: &Context) -> Result<(), Failure> {
    let root = HomeRoot::find(&context.environment)?;
    let places = Places::of_image();
    let lease = Lease::look(root.path(), &container_name());
    let log = BootLog::of(root.path());
    let s6 = S6::new(places.clone(), root.clone());
    match hermes_supervise::watch::watch(&s6, &root, &lease, &log).map_err(failed("watch the profiles"))? {
        Over::KeeperGone => boot::terminate(&places).map_err(failed("end the container")),
    }
}

pub(super) fn run_slot(context: &Context) -> Result<(), Failure> {
    let folder = current_folder()?;
    let data = SlotData::read(&folder)?;
    wait_out(&folder, data.home.as_str(), context);
    execute(slot::gateway_command(&data, &context.environment))
}

pub(super) fn log_slot(context: &Context) -> Result<(), Failure> {
    let folder = current_folder()?;
    let data = SlotData::read(folder.parent().unwrap_or(Path::new("/")))?;
    let (command, problem) = slot::log_command(&data, &Places::of_image(), &context.environment);
    if let Some(problem) = problem {
        context.note(format_args!("hermes: the log of {} is not kept: {problem}", data.home));
    }
    execute(command)
}

pub(super) fn ended(code: i32, signal: i32) -> Result<(), Failure> {
    let how = slot::Ended::from_numbers(code, signal);
    let next = slot::ended(&current_folder()?, how, now()).map_err(failed("note the end"))?;
    Err(Failure::Code(next.exit_code()))
}

pub(super) fn paced(words: &[OsString], context: &Context) -> Result<(), Failure> {
    let folder = current_folder()?;
    wait_out(&folder, &folder.file_name().unwrap_or_default().to_string_lossy(), context);
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let mut command = process::command(program);
    command.args(arguments).envs(context.environment.iter());
    execute(command)
}

/// A storm of crashes waits here, where an order to stop ends the waiting at once.
fn wait_out(folder: &Path, service: &str, context: &Context) {
    if let Some(pause) = Ledger::of(folder).pause(now()) {
        context.note(format_args!("hermes: {service} {}", pause.reason));
        std::thread::sleep(pause.time);
    }
}

/// Becomes this program. Output of the service goes where its log is, errors included.
fn execute(mut command: Command) -> Result<(), Failure> {
    let error = command.exec();
    Err(failed("start the service")(error))
}

fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(failed("find the service"))
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> Failure {
    move |error| Failure::new(Fault::Failed, format_args!("cannot {what}: {error}"))
}
