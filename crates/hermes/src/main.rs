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
    let outcome = typed.command.run(&mut context);
    exit::of(context.finish(outcome))
}
