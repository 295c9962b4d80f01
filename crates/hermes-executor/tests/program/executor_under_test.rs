//! The executor as a program of its own, for the tests: `hermes executor` without the rest.
//!
//! Its confinement is a text: `fail: reason` cannot be put on, anything else is reported back.

use std::process::ExitCode;

use hermes_executor::{Identity, serve, take_standard_streams};
use hermes_proto::executor::{IsolationReport, Layer, LayerReport, LayerState};

fn main() -> ExitCode {
    let Ok((input, output)) = take_standard_streams() else { return ExitCode::FAILURE };
    match serve(input, output, Identity { build: "test".to_owned(), environment: environment() }, |text: &String| {
        enter(text)
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(3),
    }
}

fn enter(confinement: &str) -> Result<IsolationReport, String> {
    if let Some(reason) = confinement.strip_prefix("fail: ") {
        return Err(reason.to_owned());
    }
    let state = LayerState::Proven { proof: confinement.to_owned() };
    Ok(IsolationReport { layers: vec![LayerReport { layer: Layer::Landlock, state }] })
}

#[expect(clippy::disallowed_methods, reason = "the program captures its environment once, here")]
fn environment() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    std::env::vars_os().collect()
}
