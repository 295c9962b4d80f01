//! `hermes profile show`.

use clap::Args;
use hermes_home::profiles::{self, Description};
use hermes_home::{Asked, Home, config};
use serde::Serialize;

use super::size::human_in_files;
use crate::context::Context;
use crate::exit::Failure;

const MODEL: &str = "model.default";

/// Show what a profile holds; secrets are not read
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Name of the profile, or "default"; the current home if not given
    name: Option<String>,
    /// Print a JSON object with name, path, active, model, size, files and entries
    #[arg(long)]
    json: bool,
}

/// One home, as a script sees it.
#[derive(Debug, Serialize)]
struct Shown {
    name: String,
    path: String,
    active: bool,
    /// What `model.default` says, if anything.
    model: Option<String>,
    size: u64,
    files: u64,
    entries: Vec<String>,
}

impl Typed {
    /// The home that is meant: the named one, else the current one.
    fn check(&self, context: &Context) -> Result<Asked, Failure> {
        match &self.name {
            Some(name) => Ok(Asked::For(name.parse()?)),
            None => context.asked(),
        }
    }
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let root = context.root()?;
    let home = root.select(&typed.check(context)?)?;
    let is_active = root.choice(&Asked::Nothing).is_ok_and(|active| active == *home.name());
    let Description { path, size, files, entries } = profiles::describe(&root, home.name())?;
    let shown = Shown {
        name: home.name().to_string(),
        path: path.display().to_string(),
        active: is_active,
        model: model(&home, context)?,
        size,
        files,
        entries,
    };
    if typed.json {
        let text = serde_json::to_string_pretty(&shown).map_err(|error| Failure::output(&error.into()))?;
        return context.line(text);
    }
    context.line(format_args!("name:    {}", shown.name))?;
    context.line(format_args!("path:    {}", shown.path))?;
    context.line(format_args!("active:  {}", if shown.active { "yes" } else { "no" }))?;
    context.line(format_args!("model:   {}", shown.model.as_deref().unwrap_or("not set")))?;
    context.line(format_args!("size:    {}", human_in_files(shown.size, shown.files)))?;
    context.line(format_args!("holds:   {}", shown.entries.join(" ")))
}

/// The model that is configured. A configuration that cannot be read is only warned
/// about: the rest of the answer is still true.
fn model(home: &Home, context: &Context) -> Result<Option<String>, Failure> {
    Ok(match config::get(home, &context.environment, &MODEL.parse()?) {
        Ok(value) => value.map(|value| value.to_string()).filter(|name| !name.is_empty()),
        Err(error) => {
            context.note(format_args!("warning: the model cannot be told: {error}"));
            None
        }
    })
}
