//! Credentials of model providers, and where each came from.

mod api_key;
pub mod auth_file;
mod exposure;
mod list;
mod provider_id;
mod redactor;

pub use api_key::{ApiKey, InvalidApiKey};
pub use exposure::Exposure;
pub use list::{Credential, Kind, ListError, Source, exposures, list};
pub use provider_id::{InvalidProvider, ProviderId};
pub use redactor::redactor;
