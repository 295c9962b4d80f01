//! Why a model gave no answer, in words a person can act on.
//!
//! Providers tell the same misfortune in a dozen ways; [`classify`] makes one of these of it. What a server said is part of
//! the message, shortened and without secrets: some servers repeat the key they were sent.

pub(crate) mod classify;
mod said;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use hermes_proto::{Explain, Fault};

use crate::ModelId;

pub use said::Said;

/// Keys that rest longer are not waited for.
const LONGEST_REST_WAITED_FOR: Duration = Duration::from_secs(60);

/// Why a model gave no answer. No variant holds a key.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("there is no key for {provider}")]
    NoKey { provider: String, variable: Option<String> },
    #[error("the command for the key of {provider} (key_cmd) gives none: {what}")]
    KeyCommand { provider: String, what: String },
    #[error("{provider} does not accept the key{said}")]
    WrongKey { provider: String, said: Said },
    #[error("the quota at {provider} is used up{said}")]
    Quota { provider: String, said: Said },
    #[error("{provider} is asked too often{said}")]
    RateLimited { provider: String, retry_after: Option<Duration>, said: Said },
    #[error("every key for {provider} was refused lately; the first may be tried again in {} s", .wait.as_secs())]
    KeysResting { provider: String, wait: Duration },
    #[error("the conversation is too long for {model}{said}")]
    ContextTooLong { model: ModelId, said: Said },
    #[error("{} does not have the model {:?}{said}", .model.provider, .model.model)]
    ModelUnknown { model: ModelId, said: Said },
    #[error("{provider} is not reachable at {address}: {source}")]
    NotReachable { provider: String, address: String, source: Transport },
    #[error("{provider} {phase} within {} s", .limit.as_secs_f32())]
    TimedOut { provider: String, phase: Phase, limit: Duration },
    #[error("the content policy of {provider} refuses this{said}")]
    ContentPolicy { provider: String, said: Said },
    #[error("{provider} failed ({status}){said}")]
    ServerBroken { provider: String, status: Status, retry_after: Option<Duration>, said: Said },
    #[error("{provider} refuses the request ({status}){said}")]
    RequestRefused { provider: String, status: Status, said: Said },
    #[error("the connection to {provider} broke off: {source}")]
    Disconnected { provider: String, source: Transport },
    #[error("the answer ended in the middle")]
    CutOff,
    #[error("the answer of {provider} is not understood: {what}")]
    Malformed { provider: String, what: String },
    #[error("{what} of {provider} has more than {limit} bytes")]
    TooLarge { provider: String, what: &'static str, limit: usize },
    #[error("the image {} cannot be sent: {source}", .path.display())]
    Image { path: PathBuf, source: io::Error },
    #[error("no secure connection can be made: {0}")]
    Tls(#[source] rustls::Error),
    #[error("the trusted certificates in {} (SSL_CERT_FILE) cannot be used: {what}", .path.display())]
    Certificates { path: PathBuf, what: String },
    #[error("no HTTP client can be made: {0}")]
    Client(#[source] Transport),
    #[error("{provider}: {what}")]
    Setting { provider: String, what: String },
    #[error("cancelled")]
    Cancelled,
}

/// What a server was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Connect,
    FirstByte,
    Silence,
    Whole,
}

impl fmt::Display for Phase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "did not accept a connection",
            Self::FirstByte => "did not begin to answer",
            Self::Silence => "fell silent: nothing came",
            Self::Whole => "did not finish its answer",
        })
    }
}

/// An HTTP status, or what a server told in the middle of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Http(u16),
    InStream,
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(status) => write!(formatter, "HTTP {status}"),
            Self::InStream => formatter.write_str("in the middle of its answer"),
        }
    }
}

/// An error of the connection, with all its causes and without the address, which may carry a secret.
#[derive(Debug)]
pub struct Transport(reqwest::Error);

impl From<reqwest::Error> for Transport {
    fn from(error: reqwest::Error) -> Self {
        Self(error.without_url())
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The outer texts only repeat that there was an error; the innermost says which.
        let mut cause: &dyn std::error::Error = &self.0;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        write!(formatter, "{cause}")
    }
}

impl std::error::Error for Transport {}

impl ModelError {
    /// Whether the same request may succeed a little later, with the same key.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::NotReachable { .. }
            | Self::TimedOut { phase: Phase::Connect | Phase::FirstByte | Phase::Silence, .. }
            | Self::ServerBroken { .. }
            | Self::Disconnected { .. }
            | Self::CutOff
            | Self::Malformed { .. } => true,
            Self::KeysResting { wait, .. } => *wait <= LONGEST_REST_WAITED_FOR,
            _ => false,
        }
    }

    /// Whether the answer itself was broken. A server that does that once more does it always.
    pub(crate) fn is_breakage(&self) -> bool {
        match self {
            Self::Malformed { .. } | Self::CutOff | Self::TimedOut { phase: Phase::Silence, .. } => true,
            Self::ServerBroken { status, .. } => *status == Status::InStream,
            _ => false,
        }
    }

    /// Whether another key of the same provider may do better.
    pub(crate) fn is_about_the_key(&self) -> bool {
        matches!(self, Self::WrongKey { .. } | Self::Quota { .. } | Self::RateLimited { .. })
    }

    /// Whether another model is worth asking. A request that is wrong in itself is wrong everywhere, and a conversation that
    /// grew too long is made shorter by its owner rather than moved.
    pub(crate) fn is_worth_a_fallback(&self) -> bool {
        !matches!(
            self,
            Self::Cancelled
                | Self::ContextTooLong { .. }
                | Self::Image { .. }
                | Self::Tls(_)
                | Self::Client(_)
                | Self::TooLarge { .. }
        )
    }

    /// How long the server asked to be left alone.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::ServerBroken { retry_after, .. } => *retry_after,
            Self::KeysResting { wait, .. } => Some(*wait),
            _ => None,
        }
    }
}

impl Explain for ModelError {
    fn fault(&self) -> Fault {
        match self {
            Self::NoKey { .. }
            | Self::KeyCommand { .. }
            | Self::WrongKey { .. }
            | Self::ModelUnknown { .. }
            | Self::Setting { .. }
            | Self::Certificates { .. } => Fault::Configuration,
            Self::RateLimited { .. }
            | Self::KeysResting { .. }
            | Self::NotReachable { .. }
            | Self::TimedOut { .. }
            | Self::ServerBroken { .. }
            | Self::Disconnected { .. }
            | Self::CutOff => Fault::TryAgain,
            Self::Image { .. } => Fault::Usage,
            Self::Quota { .. }
            | Self::ContextTooLong { .. }
            | Self::ContentPolicy { .. }
            | Self::RequestRefused { .. }
            | Self::Malformed { .. }
            | Self::TooLarge { .. }
            | Self::Tls(_)
            | Self::Client(_)
            | Self::Cancelled => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoKey { provider, variable: None } => format!("store one with: hermes auth add {provider}"),
            Self::NoKey { provider, variable: Some(variable) } => {
                format!("store one with: hermes auth add {provider}, or set {variable}")
            }
            Self::KeyCommand { provider, .. } => {
                format!("run what providers.{provider}.key_cmd says, and see what it prints")
            }
            Self::WrongKey { provider, .. } => {
                format!("look at hermes auth list, and store a valid key with: hermes auth add {provider}")
            }
            Self::Quota { provider, .. } => {
                format!("look at your plan at {provider}, add another key, or choose another model: hermes model use")
            }
            Self::RateLimited { .. } | Self::KeysResting { .. } => {
                "wait a little, add another key, or name other models under fallback_providers".to_owned()
            }
            Self::ContextTooLong { .. } => {
                "compress the conversation, start a new one, or use a larger model".to_owned()
            }
            Self::ModelUnknown { model, .. } => format!("see what it has: hermes model list {}", model.provider),
            Self::NotReachable { .. } => {
                "check the address (base_url), the network, and that the server runs".to_owned()
            }
            Self::TimedOut { provider, phase, .. } => phase.hint(provider),
            Self::ContentPolicy { .. } => "say it differently, or use another model".to_owned(),
            Self::ServerBroken { .. } | Self::Disconnected { .. } | Self::CutOff => {
                "try again; other models can stand in under fallback_providers".to_owned()
            }
            Self::Malformed { .. } => "check base_url and api_mode: another API may answer there".to_owned(),
            _ => return None,
        })
    }
}

impl Phase {
    fn hint(self, provider: &str) -> String {
        let setting = match self {
            Self::Connect => return "check the address (base_url) and the network".to_owned(),
            Self::FirstByte => "first_byte_timeout_seconds",
            Self::Silence => "stale_timeout_seconds",
            Self::Whole => "request_timeout_seconds",
        };
        format!("try again, or raise providers.{provider}.{setting}")
    }
}
