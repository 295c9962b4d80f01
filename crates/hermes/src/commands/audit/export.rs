//! `hermes audit export`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use hermes_store::StoreError;
use hermes_store::audit::Audit;

use crate::commands::store::{private_file, unwritten};
use crate::context::Context;
use crate::exit::Failure;

/// Print the whole chain as JSON lines, one entry each
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Write to this file instead, readable by its owner only
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

pub(super) fn run(typed: &Typed, audit: &Audit, context: &mut Context) -> Result<(), Failure> {
    let Some(path) = &typed.output else {
        return match audit.export(context.output()) {
            Err(StoreError::Output(error)) => Err(Failure::output(&error)),
            outcome => Ok(outcome.map(drop)?),
        };
    };
    let mut file = private_file(path)?;
    let count = match audit.export(&mut file) {
        Err(StoreError::Output(error)) => return Err(unwritten(path, &error)),
        outcome => outcome?,
    };
    file.flush().map_err(|error| unwritten(path, &error))?;
    context.note(format_args!("wrote {count} entries to {}", path.display()));
    Ok(())
}
