//! `hermes profile list`.

use clap::Args;
use hermes_home::{Asked, HomeName, HomeRoot, profiles};
use serde::Serialize;

use crate::context::Context;
use crate::exit::Failure;

/// List all homes; the active one is marked with *
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Print a JSON array of objects with name, path and active
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    path: String,
    active: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let root = context.root()?;
    let listing = profiles::list(&root)?;
    for ignored in &listing.ignored {
        context.note(format_args!("warning: {ignored}"));
    }
    let active = active(&root, context);
    let names = std::iter::once(HomeName::Default).chain(listing.profiles.into_iter().map(HomeName::from));
    let homes: Vec<Listed> = names.map(|name| listed(&root, &name, active.as_ref())).collect();
    if typed.json {
        let text = serde_json::to_string_pretty(&homes).map_err(|error| Failure::output(&error.into()))?;
        return context.line(text);
    }
    let width = homes.iter().map(|home| home.name.len()).max().unwrap_or_default();
    for home in homes {
        let mark = if home.active { '*' } else { ' ' };
        context.line(format_args!("{mark} {:width$}  {}", home.name, home.path))?;
    }
    Ok(())
}

fn listed(root: &HomeRoot, name: &HomeName, active: Option<&HomeName>) -> Listed {
    Listed { name: name.to_string(), path: root.path_of(name).display().to_string(), active: Some(name) == active }
}

/// The home that is used when nothing is said. If that is broken, the list is what
/// a person needs to mend it, so it is only warned about.
fn active(root: &HomeRoot, context: &Context) -> Option<HomeName> {
    match root.choice(&Asked::Nothing) {
        Ok(name) => {
            if !root.path_of(&name).is_dir() && name != HomeName::Default {
                context.note(format_args!("warning: the active profile {:?} does not exist", name.as_str()));
            }
            Some(name)
        }
        Err(error) => {
            context.note(format_args!("warning: {error}"));
            None
        }
    }
}
