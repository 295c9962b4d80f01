//! A program for tests: confines itself as told and becomes another program.
//!
//! `hermes-confined ORDERS PROGRAM ARGUMENT...`, where ORDERS is the file of a JSON object:
//! the confinement, the layers to be taken for unavailable, the one not to be applied.
//! Writes the report to descriptor 1 as one line of JSON if the orders say so. Ends with 99
//! and the error on descriptor 2 if it could not be confined.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use hermes_proto::executor::Layer;
use hermes_sandbox::confine::{Confinement, Rehearsal, enter_rehearsed};
use hermes_sandbox::process::command;
use serde::Deserialize;

#[derive(Deserialize)]
struct Orders {
    confinement: Confinement,
    #[serde(default)]
    unavailable: Vec<Layer>,
    #[serde(default)]
    unapplied: Option<Layer>,
    #[serde(default)]
    report: bool,
    working_directory: PathBuf,
    environment: Vec<(String, String)>,
}

const NOT_CONFINED: u8 = 99;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "hermes-confined: {error}");
            ExitCode::from(NOT_CONFINED)
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let orders = arguments.next().ok_or("no orders")?;
    let orders: Orders = serde_json::from_slice(&std::fs::read(orders)?)?;
    let started = Instant::now();
    let rehearsal = Rehearsal { unavailable: orders.unavailable, unapplied: orders.unapplied };
    let report = enter_rehearsed(&orders.confinement, &rehearsal)?;
    if orders.report {
        let took = started.elapsed().as_micros();
        let line = serde_json::json!({ "microseconds": took, "layers": report.layers });
        writeln!(io::stdout(), "{line}")?;
    }
    let Some(program) = arguments.next() else { return Ok(ExitCode::SUCCESS) };
    std::env::set_current_dir(&orders.working_directory)?;
    let arguments: Vec<OsString> = arguments.collect();
    // Waits for it instead of becoming it: the first process of a namespace is ours, as in an executor.
    let status = command(program).args(arguments).envs(orders.environment).status()?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(NOT_CONFINED)))
}
