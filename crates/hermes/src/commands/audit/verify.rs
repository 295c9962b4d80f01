//! `hermes audit verify`.

use clap::Args;
use hermes_proto::Fault;
use hermes_store::audit::{Audit, Broken, Hash, VerifyError};
use serde_json::json;

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Check the whole chain and name the first entry that is wrong
///
/// Ends with 1 if an entry was changed, dropped, moved, added or cut off.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// A hash that an earlier verify printed: an entry with it must still be there
    #[arg(long, value_name = "HASH")]
    noted: Option<String>,
    /// Print a JSON object with verified, count and last, or with entry and problem
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, audit: &Audit, context: &mut Context) -> Result<(), Failure> {
    let noted = typed
        .noted
        .as_deref()
        .map(|text| Hash::parse(text).ok_or_else(|| usage(format_args!("{text:?} is no hash: 64 hexadecimal digits"))));
    let verified = match noted.transpose()? {
        Some(noted) => audit.verify_containing(&noted),
        None => audit.verify(),
    };
    match verified {
        Ok(verified) if typed.json => {
            context.line(json!({ "verified": true, "count": verified.count, "last": verified.last }))
        }
        Ok(verified) => {
            let noun = if verified.count == 1 { "entry" } else { "entries" };
            context.line(format_args!("{} {noun}, all in order\nlast hash {}", verified.count, verified.last))
        }
        Err(VerifyError::Broken(Broken { sequence, how })) if typed.json => {
            context.line(json!({ "verified": false, "entry": sequence, "problem": how.to_string() }))?;
            Err(Failure::Silent(Fault::Failed))
        }
        Err(error) => Err(error.into()),
    }
}
