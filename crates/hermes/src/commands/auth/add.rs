//! `hermes auth add`.
//!
//! The key must not pass through an argument: every user of the machine sees those
//! in `ps`, and shells write them to their history.

use std::io::{self, IsTerminal, Read};

use clap::Args;
use hermes_home::credentials::auth_file::{self, NewKey};
use hermes_home::credentials::{ApiKey, InvalidApiKey, ProviderId};
use hermes_proto::Fault;
use hermes_proto::credential::providers::{self, Access};

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Labels are shown in a table and typed again.
const LONGEST_LABEL: usize = 64;

/// Store a provider's API key
///
/// Asks for the key on a terminal without showing it. In a script, give it on standard input:
/// printf %s "$KEY" | hermes auth add openrouter --api-key -
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The provider, such as openrouter, anthropic, openai or custom:NAME
    provider: String,
    /// Read the key from standard input; only - is accepted, because ps shows arguments to everybody
    #[arg(long, value_name = "-", allow_hyphen_values = true)]
    api_key: Option<String>,
    /// A name for the key [default: api-key-1, api-key-2 …]
    #[arg(long)]
    label: Option<String>,
    /// Keys with a lower number are used first [default: after those that are there]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i64>,
    /// Only there to be refused without being repeated: a key that was typed here.
    #[arg(hide = true)]
    stray: Vec<String>,
}

struct Add {
    provider: ProviderId,
    new: NewKey,
    key_from: KeyFrom,
}

enum KeyFrom {
    StandardInput,
    Prompt,
}

impl Typed {
    fn check(&self, context: &Context) -> Result<Add, Failure> {
        let typed_key = self.api_key.as_deref().is_some_and(|key| key != "-") || !self.stray.is_empty();
        if typed_key {
            return Err(usage("a key is not accepted as an argument: ps shows it to every user of this machine")
                .hint(format_args!("printf %s \"$KEY\" | hermes auth add {} --api-key -", self.provider)));
        }
        let provider: ProviderId = self.provider.parse()?;
        if providers::find(provider.as_str()).is_some_and(|known| known.access == Access::Login) {
            return Err(usage(format_args!("{provider} takes a login, which cannot be made here, and no API key")));
        }
        let label = self.label.as_deref().map(checked_label).transpose()?;
        Ok(Add { provider, new: NewKey { label, priority: self.priority }, key_from: self.key_from(context)? })
    }

    /// A key typed on a terminal is never echoed, not even where `-` asks for it.
    fn key_from(&self, context: &Context) -> Result<KeyFrom, Failure> {
        match self.api_key {
            Some(_) if !io::stdin().is_terminal() => Ok(KeyFrom::StandardInput),
            _ if context.can_ask() => Ok(KeyFrom::Prompt),
            _ => Err(usage("there is no terminal to ask for the key on")
                .hint(format_args!("printf %s \"$KEY\" | hermes auth add {} --api-key -", self.provider))),
        }
    }
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let Add { provider, new, key_from } = typed.check(context)?;
    let home = context.home()?;
    let key = match key_from {
        KeyFrom::StandardInput => read_key()?,
        KeyFrom::Prompt => ask_key(&provider)?,
    };
    let label = auth_file::add(&home, &provider, &key, &new)?;
    tracing::info!(%provider, label, "stored an API key");
    context.note(format_args!("stored the key for {provider} as {label:?}"));
    Ok(())
}

fn checked_label(text: &str) -> Result<String, Failure> {
    let label = text.trim();
    if label.is_empty() || label.chars().count() > LONGEST_LABEL || label.contains(char::is_control) {
        return Err(usage(format_args!("a label has 1 to {LONGEST_LABEL} characters and no control character")));
    }
    Ok(label.to_owned())
}

fn read_key() -> Result<ApiKey, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().take(ApiKey::READ_LIMIT).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| InvalidApiKey::Character)?;
    Ok(ApiKey::parse(&text)?)
}

fn ask_key(provider: &ProviderId) -> Result<ApiKey, Failure> {
    let prompt = format!("API key for {provider} (not shown): ");
    let text = rpassword::prompt_password(prompt).map_err(|error| unreadable(&error))?;
    Ok(ApiKey::parse(&text)?)
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::new(Fault::Failed, format_args!("cannot read the key: {error}"))
}
