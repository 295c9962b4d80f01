//! `hermes auth status`.

use clap::Args;
use hermes_home::credentials::{Credential, ProviderId};
use hermes_proto::Fault;
use hermes_proto::credential::providers::{self, Access};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Failure;

/// Tell which providers have a credential
///
/// With PROVIDER: exit code 0 if it has one or needs none, 1 if it has none.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Only this provider
    provider: Option<String>,
    /// Print JSON: an object with provider, credentials, sources and usable, or an array of them
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Status {
    provider: String,
    credentials: usize,
    sources: Vec<&'static str>,
    /// It has a credential, or it is a server that needs none.
    usable: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let all = super::load(&home, context)?;
    match &typed.provider {
        Some(asked) => one(&Status::of(&super::provider(asked, &all)?, &all), typed.json, context),
        None => every(&all, typed.json, context),
    }
}

fn one(status: &Status, json: bool, context: &mut Context) -> Result<(), Failure> {
    match json {
        true => print_json(status, context)?,
        false => context.line(status.line())?,
    }
    if status.usable { Ok(()) } else { Err(Failure::Silent(Fault::Failed)) }
}

fn every(all: &[Credential], json: bool, context: &mut Context) -> Result<(), Failure> {
    let groups = all.chunk_by(|one, next| one.provider == next.provider).filter_map(<[Credential]>::first);
    let statuses: Vec<_> = groups.map(|first| Status::of(&first.provider, all)).collect();
    if json {
        return print_json(&statuses, context);
    }
    if statuses.is_empty() {
        context.note("no provider has a credential; store one with: hermes auth add PROVIDER");
    }
    statuses.iter().try_for_each(|status| context.line(status.line()))
}

fn print_json(value: &impl Serialize, context: &mut Context) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::output(&error.into()))?;
    context.line(text)
}

impl Status {
    fn of(provider: &ProviderId, all: &[Credential]) -> Self {
        let own: Vec<_> = all.iter().filter(|one| one.provider == *provider && one.secret.is_some()).collect();
        let mut sources: Vec<_> = own.iter().map(|one| one.source.as_str()).collect();
        sources.dedup();
        let needs_none = providers::find(provider.as_str()).is_some_and(|known| known.access == Access::OptionalKey);
        let usable = needs_none || !own.is_empty();
        Self { provider: provider.to_string(), credentials: own.len(), sources, usable }
    }

    fn line(&self) -> String {
        let provider = super::shown::printable(&self.provider);
        match (self.credentials, self.usable) {
            (0, true) => format!("{provider}: no credential, and none is needed"),
            (0, false) => format!("{provider}: no credential"),
            (1, _) => format!("{provider}: 1 credential ({})", self.sources.join(", ")),
            (count, _) => format!("{provider}: {count} credentials ({})", self.sources.join(", ")),
        }
    }
}
