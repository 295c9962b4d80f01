//! The keeper: starts the main program when everything it may ask for is there, and makes its end
//! the container's.
//!
//! PID 1 reaps the main program's orphans but tells nobody how a child ended; only a parent learns
//! that. So the main program has a parent of its own, which has nothing else to do.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use hermes_home::HomeRoot;
use hermes_proto::HostEnvironment;
use hermes_sandbox::process;
use rustix::fs::inotify::WatchFlags;
use rustix::process::{Pid, Signal, ioctl_tiocsctty, kill_process, setsid};
use rustix::stdio::stdin;
use rustix::termios::isatty;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep_until};

use super::enter::BootError;
use super::lease::{Lease, container_name};
use super::log::BootLog;
use super::route::route;
use super::services::WATCH;
use super::{seed, signals};
use crate::places::{Places, data_folder};
use crate::reconcile::{self, Action};
use crate::s6::{self, S6};
use crate::wait::Watch;

/// From the first SIGTERM to the end of the main program by force. Docker waits ten seconds.
const BUDGET: Duration = Duration::from_secs(7);
/// From the end of the main program to that of the container, whatever a service does.
const FAREWELL: Duration = Duration::from_secs(9);
/// The scanner needs milliseconds; a machine that needs longer than this is in trouble.
const SCANNER: Duration = Duration::from_secs(60);
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;
const SIGNALLED: u8 = 128;
const KILLED: u8 = 137;

/// Boots, runs the main program that `words` ask for, and ends the container with its exit code.
pub fn keep(
    environment: &HostEnvironment,
    words: &[OsString],
    warn: &dyn Fn(&dyn std::fmt::Display),
) -> Result<(), BootError> {
    let places = Places::of_image();
    take_terminal();
    let data = data_folder(environment);
    for problem in seed::seed(&data) {
        warn(&problem);
    }
    wait_for_scanner(&places).map_err(BootError::Keep)?;
    // Held to the end of the container.
    let _lease = start_services(environment, &places, &data, warn);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(BootError::Keep)?;
    let code = runtime.block_on(run(environment, words, &places, warn)).map_err(BootError::Keep)?;
    let file = places.exit_code();
    write_whole(&file, &code.to_string()).map_err(|source| BootError::Folder {
        action: "write",
        path: file,
        source,
    })?;
    // The scanner's end is this process's, too. One that does not listen has already begun to end.
    if signals::terminate(&places).is_ok() {
        std::thread::sleep(FAREWELL);
        // After that time something holds it up.
        let _ = signals::abort(&places);
    }
    Ok(())
}

/// A session of its own with the container's terminal, so that ^C reaches the main program and
/// not the scanner.
fn take_terminal() {
    // Both fail only where there is nothing to take.
    let _ = setsid();
    if isatty(stdin()) {
        let _ = ioctl_tiocsctty(stdin());
    }
}

fn wait_for_scanner(places: &Places) -> io::Result<()> {
    let ready = places.ready();
    let watch = Watch::new()?;
    watch.add(&ready, WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE)?;
    let told = || ready.metadata().is_ok_and(|file| file.len() > 0);
    if watch.until(SCANNER, told)? { Ok(()) } else { Err(io::Error::from(io::ErrorKind::TimedOut)) }
}

/// Slots for all homes, and the boot log that tells about them.
fn start_services(
    environment: &HostEnvironment,
    places: &Places,
    data: &Path,
    warn: &dyn Fn(&dyn std::fmt::Display),
) -> Lease {
    let lease = Lease::take(data, &container_name()).unwrap_or_else(|error| {
        warn(&format_args!("cannot tell whether another container uses {}: {error}", data.display()));
        Lease::Ours(None)
    });
    let log = BootLog::of(data);
    let mut outcomes = Vec::new();
    match HomeRoot::find(environment) {
        Ok(root) => {
            let s6 = S6::new(places.clone(), root.clone());
            outcomes = reconcile::at_boot(&s6, &root, &lease);
        }
        Err(error) => warn(&error),
    }
    for outcome in &outcomes {
        match &outcome.action {
            Action::OwnedBy(owner) => {
                warn(&format_args!(
                    "the gateway of {} is not started: container {owner} uses this volume",
                    outcome.profile
                ));
            }
            Action::Failed(_) | Action::Ignored(_) => warn(&outcome),
            Action::Started | Action::Registered | Action::Unregistered => {}
        }
    }
    let lines: Vec<String> = outcomes.iter().map(ToString::to_string).collect();
    if let Err(error) = log.rotate().and_then(|()| log.append(&lines)) {
        warn(&format_args!("the boot log cannot be written: {error}"));
    }
    if let Err(error) = s6::start_static(places, WATCH) {
        warn(&error);
    }
    lease
}

/// Runs the main program to its end; its exit code.
async fn run(
    environment: &HostEnvironment,
    words: &[OsString],
    places: &Places,
    warn: &dyn Fn(&dyn std::fmt::Display),
) -> io::Result<u8> {
    // Before the program exists, so that no signal is missed. Those of the terminal reach the
    // program by themselves; here they only must not end the keeper.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let _interrupt = (signal(SignalKind::interrupt())?, signal(SignalKind::quit())?);
    let main = route(words, environment.get("PATH").unwrap_or_default());
    let mut command = process::command(&main.program);
    command.arg0(&main.name).args(&main.arguments).envs(environment.iter());
    let mut child = match Command::from(command).spawn() {
        Ok(child) => child,
        Err(error) => {
            warn(&format_args!("{}: {error}", main.program.display()));
            return Ok(if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE });
        }
    };
    if let Some(number) = child.id() {
        write_whole(&signals::program_file(places), &number.to_string())?;
    }
    let mut deadline = None;
    loop {
        let time_is_over = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = child.wait() => return ended.map(code),
            _ = terminate.recv() => {
                send(&child, Signal::TERM);
                deadline.get_or_insert_with(|| Instant::now() + BUDGET);
                // The services end beside it, not after it.
                let _ = signals::terminate(places);
            }
            _ = hang_up.recv() => send(&child, Signal::HUP),
            () = time_is_over => {
                child.kill().await?;
                return Ok(KILLED);
            }
        }
    }
}

/// Until it has been waited for, its number is its own.
fn send(child: &Child, signal: Signal) {
    let process = child.id().and_then(|number| i32::try_from(number).ok()).and_then(Pid::from_raw);
    if let Some(process) = process {
        let _ = kill_process(process, signal);
    }
}

/// As a shell would say it.
fn code(status: ExitStatus) -> u8 {
    match status.signal() {
        Some(signal) => SIGNALLED.saturating_add(u8::try_from(signal).unwrap_or_default()),
        None => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
    }
}

/// Whoever reads it sees all of it or nothing.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, text)?;
    std::fs::rename(new, path)
}
