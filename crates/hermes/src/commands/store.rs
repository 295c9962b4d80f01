//! The store of this run's home, for the commands that use it.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use hermes_home::Home;
use hermes_home::config::{self, Config, Overrides};
use hermes_proto::Fault;
use hermes_store::{Settings, Store};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Failure;

/// A home and what is kept in it. Nothing is opened before it is used.
pub(super) struct Kept {
    pub(super) home: Home,
    pub(super) config: Config,
    pub(super) store: Store,
}

impl Kept {
    pub(super) fn of(context: &Context) -> Result<Self, Failure> {
        let home = context.home()?;
        let config = config::load(&home, &context.environment, &Overrides::default())?.config;
        let store = Store::of(home.path(), Settings::of(&config.database)?);
        Ok(Self { home, config, store })
    }
}

/// Prints a value as JSON for people and scripts.
pub(super) fn json(context: &mut Context, value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::output(&error.into()))?;
    context.line(text)
}

/// A file for what people said and ran: only its owner may read it.
pub(super) fn private_file(path: &Path) -> Result<BufWriter<File>, Failure> {
    let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    opened.map(BufWriter::new).map_err(|error| unwritten(path, &error))
}

/// A file that was asked for and could not be written.
pub(super) fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Fault::Failed, format_args!("cannot write {}: {error}", path.display()))
}
