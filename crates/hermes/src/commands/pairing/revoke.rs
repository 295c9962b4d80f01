//! `hermes pairing revoke`: throws somebody out.

use clap::Args;
use hermes_gateway::Platform;
use hermes_gateway::pairing::Pairing;
use hermes_proto::Fault;
use serde_json::json;

use crate::commands::visible::one_line;
use crate::context::Context;
use crate::exit::Failure;

/// Throw out somebody who was let in
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// For example telegram
    platform: Platform,
    /// Their id, as hermes pairing list shows it
    user: String,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, pairing: &Pairing, context: &mut Context) -> Result<(), Failure> {
    let user = one_line(&typed.user);
    if !pairing.revoke(&typed.platform, &typed.user)? {
        let message = format!("{user} was not let in on {} by pairing", typed.platform);
        return Err(Failure::new(Fault::Usage, message).hint("hermes pairing list shows who was"));
    }
    tracing::info!(platform = %typed.platform, person = typed.user, "no longer paired");
    if typed.json {
        return context.line(json!({ "platform": typed.platform.as_str(), "user": typed.user }));
    }
    context.note(format_args!("{user} may no longer talk on {}, unless a list names them", typed.platform));
    Ok(())
}
