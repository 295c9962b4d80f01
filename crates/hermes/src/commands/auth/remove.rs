//! `hermes auth remove`.

use std::io;

use clap::Args;
use hermes_home::Home;
use hermes_home::credentials::auth_file::{self, Place};
use hermes_home::credentials::{Credential, ProviderId, Source};
use hermes_proto::Fault;

use super::shown::printable;
use crate::context::{Context, usage};
use crate::exit::Failure;

/// Remove a stored credential
///
/// Asks on a terminal. One that comes from .env or from the environment is not removed here; you
/// are told where it is.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The provider it is for
    provider: String,
    /// Which one, if there are several: its number, label or id in hermes auth list
    #[arg(value_name = "NUMBER|LABEL|ID")]
    which: Option<String>,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let all = super::load(&home, context)?;
    let provider = super::provider(&typed.provider, &all)?;
    let own: Vec<&Credential> = all.iter().filter(|one| one.provider == provider).collect();
    let meant = match &typed.which {
        Some(which) => pick(&provider, &own, which)?,
        None => only(&provider, &own)?,
    };
    let place = stored_place(meant, &home)?;
    if !typed.yes && context.can_ask() {
        ask(meant, context)?;
    }
    auth_file::remove(&home, place)?;
    let label = printable(&meant.label);
    tracing::info!(%provider, label, "removed a credential");
    context.note(format_args!("removed {label:?} of {provider}"));
    for variable in own.iter().filter_map(|one| one.source.variable()) {
        context.note(format_args!("{provider} still has a credential in {variable}"));
    }
    Ok(())
}

/// The one with this id, else with this label, else with this number.
fn pick<'a>(provider: &ProviderId, own: &[&'a Credential], which: &str) -> Result<&'a Credential, Failure> {
    let id = |one: &Credential| match &one.source {
        Source::AuthFile(Place::Pool { entry, .. }) => entry.id.as_deref() == Some(which),
        _ => false,
    };
    let by_id = own.iter().filter(|one| id(one)).copied().collect::<Vec<_>>();
    let by_label = own.iter().filter(|one| one.label == which).copied().collect::<Vec<_>>();
    let by_number = own.iter().filter(|one| one.number.to_string() == which).copied().collect::<Vec<_>>();
    match [by_id, by_label, by_number].into_iter().find(|found| !found.is_empty()).as_deref() {
        Some([one]) => Ok(one),
        Some(several) => Err(usage(format_args!("{provider} has {} credentials called {which:?}", several.len()))
            .hint("name it by its number or id in hermes auth list")),
        None => Err(Failure::new(Fault::Failed, format_args!("{provider} has no credential {which:?}"))
            .hint("hermes auth list shows what there is")),
    }
}

/// The only stored one; without any, one from elsewhere to tell where that is.
fn only<'a>(provider: &ProviderId, own: &[&'a Credential]) -> Result<&'a Credential, Failure> {
    let stored: Vec<_> = own.iter().copied().filter(|one| matches!(one.source, Source::AuthFile(_))).collect();
    match (stored.as_slice(), own.first()) {
        ([one], _) => Ok(one),
        ([], Some(elsewhere)) => Ok(elsewhere),
        ([], None) => Err(Failure::new(Fault::Failed, format_args!("there is no credential for {provider}"))),
        (several, _) => Err(usage(format_args!("{provider} has {} stored credentials", several.len()))
            .hint(format_args!("name one by its number, label or id: hermes auth remove {provider} 1"))),
    }
}

fn stored_place<'a>(meant: &'a Credential, home: &Home) -> Result<&'a Place, Failure> {
    let provider = &meant.provider;
    match &meant.source {
        Source::AuthFile(place) => Ok(place),
        Source::Dotenv { variable } => {
            let path = home.env_path();
            let found = format!("the credential for {provider} is {variable} in {}", path.display());
            Err(Failure::new(Fault::Failed, found).hint(format_args!("hermes config unset {variable}")))
        }
        Source::Environment { variable } => {
            let found = format!("the credential for {provider} is {variable} in the environment of this program");
            Err(Failure::new(Fault::Failed, found).hint(format_args!("unset {variable} where hermes is started")))
        }
    }
}

fn ask(meant: &Credential, context: &Context) -> Result<(), Failure> {
    context.prompt(format_args!("remove {:?} of {}? [y/N] ", printable(&meant.label), meant.provider));
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    read.map_err(|error| Failure::new(Fault::Failed, format_args!("cannot read the answer: {error}")))?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(Fault::Failed, "nothing was removed")),
    }
}
