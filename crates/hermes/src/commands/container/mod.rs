//! `hermes container`: what the image's entry point, services and signal handlers are made of.
//! Started by the image itself, hence hidden.

mod serve;
mod slot;

use std::ffi::OsString;

use clap::{Args, Subcommand};
use hermes_proto::Fault;
use hermes_supervise::boot;
use hermes_supervise::places::Places;
use rustix::process::Signal;

use crate::context::{Context, usage};
use crate::exit::Failure;

/// The duties of the container image (started by the image itself)
#[derive(Debug, Args)]
pub(crate) struct Typed {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Action {
    /// The entry point: boot, then become the supervisor
    Enter {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Run the main program and end the container with its exit code
    Keep {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Pass a signal of the container on
    Signal {
        name: String,
    },
    /// End as the main program did
    Finish,
    /// Give slots to profiles that come, and take them from those that go
    Watch,
    /// Run the service of the slot in the current folder
    RunSlot,
    /// Write the log of the slot above the current folder
    LogSlot,
    /// Say what comes after the end of the service in the current folder
    Ended {
        code: i32,
        signal: i32,
    },
    /// Wait if the service in the current folder crashes too often, then run a program
    Paced {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        words: Vec<OsString>,
    },
    Slot(slot::Typed),
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    match typed.action {
        Action::Enter { words } => {
            let warn = |text: &dyn std::fmt::Display| context.note(format_args!("hermes: {text}"));
            let Err(error) = boot::enter(&context.environment, &words, &warn);
            Err(error.into())
        }
        Action::Keep { words } => keep(&words, context),
        Action::Signal { name } => pass_on(&name),
        Action::Finish => Err(Failure::Code(boot::finish(&Places::of_image()))),
        Action::Watch => serve::watch(context),
        Action::RunSlot => serve::run_slot(context),
        Action::LogSlot => serve::log_slot(context),
        Action::Ended { code, signal } => serve::ended(code, signal),
        Action::Paced { words } => serve::paced(&words, context),
        Action::Slot(typed) => slot::run(&typed, context),
    }
}

/// A keeper that fails takes the container with it: nobody else would ever end it.
fn keep(words: &[OsString], context: &Context) -> Result<(), Failure> {
    let warn = |text: &dyn std::fmt::Display| context.note(format_args!("hermes: {text}"));
    let kept = boot::keep(&context.environment, words, &warn);
    if kept.is_err() {
        let places = Places::of_image();
        if !places.exit_code().exists() {
            let _ = std::fs::write(places.exit_code(), "1");
        }
        let _ = boot::terminate(&places);
    }
    Ok(kept?)
}

fn pass_on(name: &str) -> Result<(), Failure> {
    let signal = match name {
        "SIGTERM" => Signal::TERM,
        "SIGINT" => Signal::INT,
        "SIGQUIT" => Signal::QUIT,
        "SIGHUP" => Signal::HUP,
        "SIGUSR1" => Signal::USR1,
        "SIGUSR2" => Signal::USR2,
        other => return Err(usage(format_args!("{other} is not passed on"))),
    };
    let passed = boot::pass_on(&Places::of_image(), signal);
    passed.map(drop).map_err(|error| Failure::new(Fault::Failed, format_args!("cannot pass {name} on: {error}")))
}
