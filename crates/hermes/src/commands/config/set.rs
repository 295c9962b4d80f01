//! `hermes config set`: one setting into config.yaml, one secret into `.env`.

use std::io::Read;

use clap::Args;
use hermes_home::config::{self, KeyPath, Value};
use hermes_home::{Home, dotenv};
use hermes_proto::credential::is_secret_name;
use hermes_proto::{Fault, Secret};

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Bytes a secret on standard input may have.
const LONGEST_SECRET: u64 = 64 * 1024;

/// Set one setting; comments and all other lines stay
///
/// Numbers, true, false and null are taken as such, everything else is text. The name
/// of a secret, such as OPENROUTER_API_KEY, goes to .env; give - as its value to type
/// or pipe it in, so that it does not show in the list of processes.
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// The setting, such as terminal.timeout
    key: String,
    /// Its value
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// Take the value as JSON: any text, list or map
    #[arg(long)]
    json: bool,
}

/// What was meant.
enum Set {
    Setting { key: KeyPath, value: Value },
    Secret { name: String, value: Secret },
}

impl Set {
    fn of(typed: Typed) -> Result<Self, Failure> {
        let key: KeyPath = typed.key.parse()?;
        let secret = config::secret_variable(&key);
        match (secret, typed.json) {
            (None, false) => Ok(Self::Setting { key, value: Value::natural(&typed.value) }),
            (None, true) => Ok(Self::Setting { key, value: Value::from_json(&json(&typed.value)?) }),
            (Some(name), false) if typed.value == "-" => Ok(Self::Secret { name, value: from_standard_input()? }),
            (Some(name), false) => Ok(Self::Secret { name, value: Secret::new(typed.value) }),
            (Some(name), true) => match json(&typed.value)? {
                serde_json::Value::String(text) => Ok(Self::Secret { name, value: Secret::new(text) }),
                _ => Err(usage(format_args!("{name} is a secret, so its value is text"))),
            },
        }
    }
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let set = Set::of(typed)?;
    let home = context.home()?;
    match set {
        Set::Setting { key, value } => set_setting(&home, &key, &value, context),
        Set::Secret { name, value } => {
            dotenv::set(&home, &name, value.expose())?;
            context.note(format_args!("{name} is a secret and was written to {}", home.env_path().display()));
            Ok(())
        }
    }
}

fn set_setting(home: &Home, key: &KeyPath, value: &Value, context: &Context) -> Result<(), Failure> {
    let warnings = config::set(home, &context.environment, key, value)?;
    for warning in warnings {
        context.note(format_args!("warning: {warning}"));
    }
    if holds_secret(key, value) {
        let path = home.config_path();
        context.note(format_args!(
            "warning: {key} is a secret, and {} may be readable by others; keep it in .env and set ${{NAME}} here",
            path.display()
        ));
    }
    Ok(())
}

fn holds_secret(key: &KeyPath, value: &Value) -> bool {
    let named = key.segments().last().is_some_and(|name| is_secret_name(name));
    named && value.as_scalar().is_some_and(|text| !text.is_empty() && !text.starts_with("${"))
}

fn json(text: &str) -> Result<serde_json::Value, Failure> {
    serde_json::from_str(text).map_err(|error| usage(format_args!("the value is not JSON: {error}")))
}

/// A secret from a pipe, or typed unseen.
fn from_standard_input() -> Result<Secret, Failure> {
    let unreadable = |error| Failure::new(Fault::Failed, format_args!("cannot read the secret: {error}"));
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return rpassword::prompt_password("value: ").map(Secret::new).map_err(unreadable);
    }
    let mut text = String::new();
    std::io::stdin().take(LONGEST_SECRET).read_to_string(&mut text).map_err(unreadable)?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(usage("standard input holds no secret")),
        secret => Ok(Secret::new(secret)),
    }
}
