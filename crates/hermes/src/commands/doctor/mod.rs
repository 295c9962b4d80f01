//! `hermes doctor`: looks at this machine and this home, and says what to mend.
//!
//! It is run when something is wrong already, so nothing that is wrong may stop it:
//! a check that cannot look says so in its own line, a program that hangs is ended,
//! and nothing is written or changed apart from the home being created on first use.

mod checks;
mod configuration;
mod credentials;
mod disk;
mod docker;
mod finding;
mod home;
mod kernel;
mod paths;
mod programs;
mod report;
mod subject;
mod version;

use std::io::{self, IsTerminal};

use clap::Args;
use hermes_proto::Fault;

use crate::context::Context;
use crate::exit::Failure;
use finding::Status;
use report::Form;
use subject::Subject;

/// Check this machine and this home, and say what to mend
///
/// Each line is ok, a warning (something optional is missing or weaker than it
/// could be) or a failure (Hermes cannot work, or a secret is exposed), and says
/// what to do. The values of secrets are never shown. Ends with 1 if anything
/// failed, else with 0.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Typed {
    /// Print one JSON object: status, and checks with area, name, status, seen and advice
    #[arg(long)]
    json: bool,
}

impl From<Typed> for Form {
    fn from(typed: Typed) -> Self {
        if typed.json { Self::Json } else { Self::Human }
    }
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let subject = Subject::of(context)?;
    let checked = checks::run(&subject, |waiting| {
        if io::stderr().is_terminal() {
            context.note(format_args!("still waiting for {}", waiting.join(", ")));
        }
    });
    report::print(Form::from(typed), &checked, context)?;
    match Status::worst(&checked) {
        Status::Failure => Err(Failure::Silent(Fault::Failed)),
        Status::Ok | Status::Warning => Ok(()),
    }
}
