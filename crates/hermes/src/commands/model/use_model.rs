//! `hermes model use`.

use clap::{Args, ValueHint};
use hermes_home::Home;
use hermes_home::config::{self, Overrides, Value};
use hermes_model::ModelId;
use hermes_model::resolve::{Asked, Resolution, Sources};
use serde_json::json;

use super::printable;
use crate::context::Context;
use crate::exit::Failure;

/// Make a model the one that answers: PROVIDER/MODEL, a model of the present provider, an alias, or offline
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Such as openrouter/anthropic/claude-sonnet-4.5
    #[arg(value_name = "PROVIDER/MODEL", value_hint = ValueHint::Other)]
    model: String,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let loaded = config::load(&home, &context.environment, &Overrides::none())?;
    let before = loaded.config.model.clone();
    let sources = Sources::read(&home, &context.environment, loaded.config)?;
    let meant = meant(&typed.model, &sources)?;
    let id = meant.id();
    match shape(&home, context)? {
        Shape::Name => write_whole(&home, context, &id)?,
        Shape::Map => {
            if before.provider != id.provider {
                forget_other_provider(&home, context)?;
            }
            set(&home, context, "model.provider", &Value::text(&id.provider))?;
            set(&home, context, "model.default", &Value::text(&id.model))?;
        }
    }
    // Told as it is in force now, from the file that was written.
    let chosen = super::sources(context)?.resolve(&Asked::default())?.id();
    context.line(format_args!("{}", printable(&chosen.to_string())))
}

/// A name whose first part is a provider is that provider's, even where the present one would take it whole.
fn meant(typed: &str, sources: &Sources) -> Result<Resolution, Failure> {
    if let Some((provider, model)) = typed.split_once('/') {
        let asked = Asked { provider: Some(provider.to_owned()), model: Some(model.to_owned()) };
        match sources.resolve(&asked) {
            Err(hermes_model::resolve::ResolveError::UnknownProvider { .. }) => {}
            outcome => return Ok(outcome?),
        }
    }
    Ok(sources.resolve(&Asked { provider: None, model: Some(typed.to_owned()) })?)
}

/// What stands under `model`.
enum Shape {
    /// Nothing, or a map.
    Map,
    /// A bare name.
    Name,
}

fn shape(home: &Home, context: &Context) -> Result<Shape, Failure> {
    let value = config::get(home, &context.environment, &"model".parse()?)?;
    let name = value.as_ref().and_then(Value::as_scalar).filter(|text| *text != "null");
    Ok(if name.is_some() { Shape::Name } else { Shape::Map })
}

fn write_whole(home: &Home, context: &Context, id: &ModelId) -> Result<(), Failure> {
    set(home, context, "model", &Value::from_json(&json!({"default": id.model, "provider": id.provider})))
}

/// Address, dialect, key and limits were those of another provider.
fn forget_other_provider(home: &Home, context: &Context) -> Result<(), Failure> {
    for name in ["base_url", "api_mode", "api_key", "context_length", "max_tokens"] {
        config::unset(home, &context.environment, &format!("model.{name}").parse()?)?;
    }
    Ok(())
}

fn set(home: &Home, context: &Context, name: &str, value: &Value) -> Result<(), Failure> {
    let warnings = config::set(home, &context.environment, &name.parse()?, value)?;
    warnings.iter().for_each(|warning| context.note(format_args!("warning: {warning}")));
    Ok(())
}
