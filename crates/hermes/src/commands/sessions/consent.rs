//! Asking before something is gone for good.

use std::io;

use hermes_proto::Fault;

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Whether the person has said yes already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Given,
    ToBeAsked,
}

impl Consent {
    /// `--yes`, or a terminal to ask on.
    pub(super) fn of(yes: bool, what: &str, context: &Context) -> Result<Self, Failure> {
        match yes {
            true => Ok(Self::Given),
            false if context.can_ask() => Ok(Self::ToBeAsked),
            false => Err(usage(format_args!("{what} needs --yes: there is no terminal to ask on"))),
        }
    }

    /// Asks if it has to; anything but a clear yes ends the command.
    pub(super) fn obtain(self, question: &str, context: &Context) -> Result<(), Failure> {
        if self == Self::Given {
            return Ok(());
        }
        context.prompt(format_args!("{question} [y/N] "));
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        read.map_err(|error| Failure::new(Fault::Failed, format_args!("cannot read the answer: {error}")))?;
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(Failure::new(Fault::Failed, "nothing was deleted")),
        }
    }
}
