//! The right user, always: inside the image, `hermes` started as root becomes the user hermes before
//! it touches anything.
//!
//! `docker exec` makes everybody root. A login done as root leaves a file that the gateway cannot
//! read, and the gateway then says that nobody is logged in. Outside the image nothing happens here.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

use hermes_proto::HostEnvironment;
use hermes_sandbox::{privilege, process};
use hermes_supervise::boot::account::Account;
use hermes_supervise::is_yes;
use hermes_supervise::places::{DATA, USER, is_image};
use rustix::process::geteuid;

/// For diagnosis by somebody who means it.
const STAY_ROOT: &str = "HERMES_DOCKER_EXEC_AS_ROOT";
/// The drop could not be done.
const CANNOT_DROP: u8 = 126;

/// Who goes on after this.
pub(crate) enum User {
    /// This process, as it is.
    Right,
    /// Nobody: root could not be left, and nothing was touched.
    Wrong(ExitCode),
}

/// Becomes the right user; then this function does not return, because the program starts anew
/// with that user's HOME and nothing of root's.
pub(crate) fn become_right(environment: &HostEnvironment) -> User {
    if !geteuid().is_root() || is_entry_point() || !is_image() {
        return User::Right;
    }
    if environment.text(STAY_ROOT).is_some_and(is_yes) {
        // Root means root: what it makes is not handed over to the owner of the home either.
        let _ = privilege::keep_what_root_makes();
        return User::Right;
    }
    let error = drop_and_start_anew(environment);
    let lines = format!(
        "hermes: root cannot become the user {USER}: {error}\n\
         hint: use docker exec --user {USER}, or keep root on purpose with -e {STAY_ROOT}=1\n"
    );
    let _ = io::stderr().write_all(lines.as_bytes());
    User::Wrong(ExitCode::from(CANNOT_DROP))
}

fn drop_and_start_anew(environment: &HostEnvironment) -> String {
    let identity = match Account::current().and_then(Account::identity) {
        Ok(identity) => identity,
        Err(error) => return error.to_string(),
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    if let Err(error) = privilege::become_user(&identity) {
        return error.to_string();
    }
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_else(|| OsString::from("hermes"));
    let mut command = process::command(program);
    command.arg0(name).args(words).envs(environment.iter()).env("HOME", DATA);
    command.exec().to_string()
}

/// The entry point is root on purpose and drops by itself.
fn is_entry_point() -> bool {
    std::env::args_os().skip(1).take(2).eq(["container", "enter"])
}
