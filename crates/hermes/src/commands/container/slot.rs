//! `hermes container slot`: the service manager's verbs one by one, for tests and diagnosis.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use hermes_home::HomeName;
use hermes_supervise::{Registration, ServiceManager, ServiceState, StartAfter, detect};

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Slots of gateways, without a gateway
#[derive(Debug, Args)]
pub(super) struct Typed {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a slot
    Register {
        home: String,
        /// Add a variable to its environment
        #[arg(long, value_name = "NAME=VALUE")]
        env: Vec<String>,
        /// Start it at once
        #[arg(long)]
        start: bool,
    },
    /// End a slot
    Unregister { home: String },
    /// List the homes that have one
    List,
    /// Say what it does
    Status { home: String },
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let manager = detect(&context.environment, &context.root()?);
    match &typed.action {
        Action::Register { home, env, start } => {
            let start = if *start { StartAfter::Now } else { StartAfter::WhenAsked };
            let registration = Registration { environment: variables(env)?, start };
            Ok(manager.register(&home.parse()?, &registration)?)
        }
        Action::Unregister { home } => Ok(manager.unregister(&home.parse()?)?),
        Action::List => manager.list()?.iter().try_for_each(|home| context.line(home)),
        Action::Status { home } => show(manager.as_ref(), &home.parse()?, context),
    }
}

fn show(manager: &dyn ServiceManager, home: &HomeName, context: &mut Context) -> Result<(), Failure> {
    let status = manager.status(home)?;
    let state = match status.state {
        ServiceState::Absent => "absent".to_owned(),
        ServiceState::Down => "down".to_owned(),
        ServiceState::Running { process } => format!("running {process}"),
    };
    let wanted = if status.wanted { "up" } else { "down" };
    context.line(format_args!("{state} want {wanted}"))?;
    status.reason.iter().try_for_each(|reason| context.line(reason))
}

fn variables(words: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pair = |word: &String| match word.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(usage(format_args!("{word:?} is not NAME=VALUE"))),
    };
    words.iter().map(pair).collect()
}
