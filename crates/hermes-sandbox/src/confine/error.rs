//! Why a process could not be confined. It must end then, and run nothing.

use std::io;
use std::path::PathBuf;

use hermes_proto::executor::Layer;
use hermes_proto::{Explain, Fault};

/// Why a process is not confined as it was asked. None of these may be ignored: the
/// process may be confined in part.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    #[error("{}: not a path that can be confined: {reason}", .path.display())]
    Path { path: PathBuf, reason: &'static str },
    #[error("{}: cannot be made writable: {source}", .path.display())]
    Writable { path: PathBuf, source: io::Error },
    #[error("{}: leads out of {}, which is writable for the confined", .path.display(), .writable.display())]
    Redirected { path: PathBuf, writable: PathBuf },
    #[error("{}: asked to be {first} and {second} at once", .path.display())]
    Contradiction { path: PathBuf, first: &'static str, second: &'static str },
    #[error("isolation is incomplete: {}", list(.missing))]
    Missing { missing: Vec<(Layer, String)> },
    #[error("network {network}: cannot be enforced here: {reason}")]
    Network { network: &'static str, reason: String },
    #[error("{layer}: {step} failed: {source}")]
    Apply { layer: Layer, step: &'static str, source: io::Error },
    #[error("{layer}: claimed, but not in force: {what}")]
    NotInForce { layer: Layer, what: String },
    #[error("{step} failed before the confinement: {source}")]
    Prepare { step: &'static str, source: io::Error },
    #[error("the proof ended before it was complete: {0}")]
    ProofLost(String),
}

impl Explain for ConfineError {
    fn fault(&self) -> Fault {
        match self {
            Self::Path { .. } | Self::Writable { .. } | Self::Redirected { .. } | Self::Contradiction { .. } => {
                Fault::Configuration
            }
            Self::Prepare { .. } | Self::ProofLost(_) => Fault::TryAgain,
            Self::Missing { .. } | Self::Network { .. } | Self::Apply { .. } | Self::NotInForce { .. } => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Writable { .. } => "create it, or take it out of the writable paths",
            Self::Redirected { .. } => {
                "a link inside the workspace was changed; look at it before you trust what is in there"
            }
            Self::Contradiction { .. } | Self::Path { .. } => "choose another workspace, or a folder inside it",
            Self::Missing { .. } => "enable what is missing, or set terminal.sandbox to auto",
            Self::Network { .. } => "enable user namespaces, or set terminal.sandbox_network to on or off",
            Self::NotInForce { .. } => "this kernel does not keep what it promises; please report it",
            Self::Apply { .. } | Self::Prepare { .. } | Self::ProofLost(_) => return None,
        };
        Some(text.to_owned())
    }
}

fn list(missing: &[(Layer, String)]) -> String {
    missing.iter().map(|(layer, reason)| format!("{layer} ({reason})")).collect::<Vec<_>>().join(", ")
}
