//! Why it cannot be said which model answers.

use hermes_home::credentials::ListError;
use hermes_proto::{Explain, Fault};

/// What is wrong with the configuration of models.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    Credentials(#[from] ListError),
    #[error("the model {model:?} is configured, and no provider has a key for it")]
    NoProvider { model: String },
    #[error("there is no provider {asked:?}")]
    UnknownProvider { asked: String, nearest: Option<String> },
    #[error("no model of {provider} is configured")]
    NoModel { provider: String },
    #[error("there is no key for {provider}")]
    NoKey { provider: String, variable: Option<String> },
    #[error("no address of {provider} is configured")]
    NoAddress { provider: String },
    #[error("{base_url:?} of {provider} is not an http or https address")]
    Address { provider: String, base_url: String },
    #[error("{provider} is spoken to in {mode:?}, which is not known here")]
    ApiMode { provider: String, mode: String },
    #[error("{provider} takes no requests of the kinds that are known here")]
    Unsupported { provider: String },
    #[error("an entry of the fallback models names neither provider nor model: {entry}")]
    Entry { entry: String },
}

impl Explain for ResolveError {
    fn fault(&self) -> Fault {
        match self {
            Self::Credentials(error) => error.fault(),
            _ => Fault::Configuration,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Credentials(error) => return error.hint(),
            Self::NoProvider { .. } => {
                "store a key with: hermes auth add PROVIDER, or use the built-in model: hermes model use offline"
                    .to_owned()
            }
            Self::UnknownProvider { nearest: Some(id), .. } => format!("did you mean {id}?"),
            Self::UnknownProvider { nearest: None, .. } => {
                "see hermes model list; any other is described under providers: in config.yaml".to_owned()
            }
            Self::NoModel { provider } => format!("choose one with: hermes model use {provider}/MODEL"),
            Self::NoKey { provider, variable: None } => format!("store one with: hermes auth add {provider}"),
            Self::NoKey { provider, variable: Some(variable) } => {
                format!("store one with: hermes auth add {provider}, or set {variable}")
            }
            Self::NoAddress { provider } if provider == "custom" => {
                "set it with: hermes config set model.base_url http://HOST/v1".to_owned()
            }
            Self::NoAddress { provider } => {
                format!("set it with: hermes config set providers.{provider}.base_url http://HOST/v1")
            }
            Self::Address { .. } => "write it like http://127.0.0.1:11434/v1".to_owned(),
            Self::ApiMode { .. } => "known are chat_completions and anthropic_messages".to_owned(),
            Self::Unsupported { .. } => "use another provider: hermes model list".to_owned(),
            Self::Entry { .. } => "write it like {provider: openrouter, model: NAME} or openrouter/NAME".to_owned(),
        })
    }
}
