//! The command line: the only place where everything meets.

mod commands;
mod context;
mod exit;
mod logging;
mod typed;

use std::process::ExitCode;

use clap::Parser;
use hermes_proto::HostEnvironment;

use crate::context::Context;
use crate::typed::Typed;

fn main() -> ExitCode {
    let typed = match Typed::try_parse() {
        Ok(typed) => typed,
        Err(answer) => return exit::of_clap(&answer),
    };
    let mut context = Context::new(HostEnvironment::capture(), typed.global);
    let outcome = match typed.command {
        Some(_) if typed.chat.is_given() => Err(commands::chat::misplaced()),
        Some(command) => command.run(&mut context),
        None => commands::chat::run_flags(typed.chat, &mut context),
    };
    exit::of(context.finish(outcome))
}
