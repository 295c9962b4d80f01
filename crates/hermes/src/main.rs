//! The command line: the only place where everything meets.

mod commands;
mod context;
mod exit;
mod logging;
mod right_user;
mod typed;

use std::process::ExitCode;

use hermes_proto::HostEnvironment;

use crate::context::Context;
use crate::right_user::User;
use crate::typed::Typed;

fn main() -> ExitCode {
    let environment = HostEnvironment::capture();
    // Before anything else: whatever the wrong user touches would be wrong afterwards.
    if let User::Wrong(code) = right_user::become_right(&environment) {
        return code;
    }
    let typed = match Typed::read() {
        Ok(typed) => typed,
        Err(answer) => return exit::of_clap(&answer),
    };
    let mut context = Context::new(environment, typed.global);
    let outcome = match typed.command {
        Some(_) if typed.chat.is_given() => Err(commands::chat::misplaced()),
        Some(command) => command.run(&mut context),
        None => commands::chat::run_flags(typed.chat, &mut context),
    };
    exit::of(context.finish(outcome))
}
