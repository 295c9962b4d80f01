//! `hermes config get`: one setting, or one secret of `.env`.

use clap::Args;
use hermes_home::config::{self, KeyPath, Value};
use hermes_home::dotenv;
use hermes_proto::Fault;

use crate::context::Context;
use crate::exit::Failure;

/// Print one setting: as it was set, else its default
///
/// The name of a secret, such as OPENROUTER_API_KEY, prints what .env holds.
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// The setting, such as terminal.timeout
    key: String,
    /// Print JSON instead of plain text or YAML
    #[arg(long)]
    json: bool,
}

/// What was asked for.
struct Get {
    key: KeyPath,
    form: Form,
}

enum Form {
    Plain,
    Json,
}

impl TryFrom<&Typed> for Get {
    type Error = Failure;

    fn try_from(typed: &Typed) -> Result<Self, Failure> {
        let form = if typed.json { Form::Json } else { Form::Plain };
        Ok(Self { key: typed.key.parse()?, form })
    }
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let Get { key, form } = Get::try_from(typed)?;
    let Some(value) = find(&key, context)? else {
        return Err(missing(&key));
    };
    match form {
        Form::Plain => context.line(value),
        Form::Json => context.line(value.to_json()),
    }
}

fn find(key: &KeyPath, context: &Context) -> Result<Option<Value>, Failure> {
    let home = context.home()?;
    if let Some(name) = config::secret_variable(key)
        && let Some(secret) = dotenv::load(&home)?.get(&name)
    {
        return Ok(Some(Value::text(secret)));
    }
    Ok(config::get(&home, &context.environment, key)?)
}

/// The end of a command about a key that has no value.
pub(super) fn missing(key: &KeyPath) -> Failure {
    let failure = Failure::new(Fault::Failed, format_args!("{key} is not set"));
    match config::nearest(key) {
        Some(nearest) if nearest != key.to_string() => failure.hint(format_args!("did you mean {nearest}?")),
        _ => failure,
    }
}
