//! `hermes profile delete`.

use std::io;

use clap::Args;
use hermes_home::profiles::{self, ActiveProfile, Removed};
use hermes_home::{HomeName, HomeRoot};
use hermes_proto::{Fault, ProfileName};
use hermes_supervise::{detect, ports};

use super::size::human_in_files;
use crate::context::{Context, usage};
use crate::exit::Failure;

/// Delete a profile with everything in it
///
/// Asks on a terminal; elsewhere --yes is needed. Its gateway must not be running (exit code 75 if
/// it is). If it was the active profile, the default home becomes active. A profile that is a link
/// loses only the link.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The profile to delete
    name: String,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

struct Delete {
    name: ProfileName,
    consent: Consent,
}

enum Consent {
    Given,
    ToBeAsked,
}

impl Typed {
    fn check(&self, context: &Context) -> Result<Delete, Failure> {
        let HomeName::Profile(name) = self.name.parse()? else {
            return Err(usage("the default home cannot be deleted"));
        };
        let consent = match self.yes {
            true => Consent::Given,
            false if context.can_ask() => Consent::ToBeAsked,
            false => {
                let refusal =
                    usage(format_args!("deleting profile {name} needs --yes: there is no terminal to ask on"));
                return Err(refusal);
            }
        };
        Ok(Delete { name, consent })
    }
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let Delete { name, consent } = typed.check(context)?;
    let root = context.root()?;
    if let Consent::ToBeAsked = consent {
        profiles::refuse_while_running(&root, &name)?;
        ask(&root, &name, context)?;
    }
    unregister(&root, &name, context)?;
    let deleted = profiles::delete(&root, &name)?;
    if let Err(error) = ports::release(&root, &name) {
        context.note(format_args!("warning: the port of its API is not free yet: {error}"));
    }
    match deleted.removed {
        Removed::Folder => context.note(format_args!("deleted profile {name}")),
        Removed::Link { target } => {
            let target = target.display();
            context.note(format_args!("profile {name} was a link: only the link is deleted, {target} is untouched"));
        }
    }
    if deleted.active == ActiveProfile::Changed {
        context.note("it was the active profile; the default home is active now");
    }
    Ok(())
}

/// In the container the profile's gateway is ended and its slot goes first: a gateway that is still
/// supervised would come back while its home is taken away.
fn unregister(root: &HomeRoot, name: &ProfileName, context: &Context) -> Result<(), Failure> {
    let manager = detect(&context.environment, root);
    if manager.supports_registration() {
        manager.unregister(&name.clone().into())?;
    }
    Ok(())
}

fn ask(root: &HomeRoot, name: &ProfileName, context: &Context) -> Result<(), Failure> {
    let path = root.path_of(&HomeName::from(name.clone()));
    if path.is_symlink() {
        context.note(format_args!("profile {name} is a link; only the link {} goes", path.display()));
    } else {
        let lost = profiles::describe(root, &HomeName::from(name.clone()))?;
        context.note(format_args!("this deletes {} for good:", path.display()));
        context.note(format_args!("  {}: {}", human_in_files(lost.size, lost.files), lost.entries.join(" ")));
    }
    context.prompt(format_args!("delete profile {name}? [y/N] "));
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    read.map_err(|error| Failure::new(Fault::Failed, format_args!("cannot read the answer: {error}")))?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(Fault::Failed, "nothing was deleted")),
    }
}
