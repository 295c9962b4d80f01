//! `hermes pairing approve`: lets somebody in.

use std::time::SystemTime;

use clap::Args;
use hermes_gateway::Platform;
use hermes_gateway::pairing::Pairing;
use serde_json::json;

use crate::commands::visible::one_line;
use crate::context::Context;
use crate::exit::Failure;

/// Let in whoever got this code
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Where they got it, for example telegram
    platform: Platform,
    /// The code, in letters of any size
    code: String,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, pairing: &Pairing, context: &mut Context) -> Result<(), Failure> {
    let paired = pairing.approve(&typed.platform, &typed.code, SystemTime::now())?;
    tracing::info!(platform = %paired.platform, person = paired.person, "paired");
    if typed.json {
        return context
            .line(json!({ "platform": paired.platform.as_str(), "user": paired.person, "name": paired.name }));
    }
    let (person, name) = (one_line(&paired.person), one_line(&paired.name));
    context.note(format_args!("{person} ({name}) may talk on {} from now on", paired.platform));
    Ok(())
}
