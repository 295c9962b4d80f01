//! Schemathesis asks the served API everything that its document says, and a lot that it forbids.
//!
//! It comes from the Python package registry; `scripts/test` puts it where it is looked for here.

use std::path::PathBuf;

use super::openai::python;
use super::served::{KEY, address, ground};
use crate::support::{finish, quiet};

/// Operations for which a request that fits its schema may still be refused: what a schema cannot say is which message is the last.
const SETTINGS: &str = include_str!("schemathesis.toml");

#[test]
fn the_api_is_what_its_document_says() {
    let ground = ground("");
    let gateway = ground.start();
    let address = address(&gateway);
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("schemathesis.toml");
    std::fs::write(&settings, SETTINGS).unwrap();
    let mut command = quiet(program());
    command.args(["--config-file", settings.to_str().unwrap(), "run", "--no-color"]);
    command.args(["-H", &format!("Authorization: Bearer {KEY}"), &format!("http://{address}/openapi.json")]);
    command.env("HOME", folder.path()).current_dir(folder.path());
    let run = finish(command.spawn().unwrap());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    gateway.signal(rustix::process::Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}

fn program() -> PathBuf {
    let program = python().with_file_name("schemathesis");
    assert!(program.exists(), "{} is missing: scripts/test installs it", program.display());
    program
}
