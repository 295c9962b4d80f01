//! The web page of an installation. So far it says that it is alive: a health page, so that what
//! supervises it and what asks for it can be relied on before there is more to see.
//!
//! It writes nothing. An address that others can reach needs credentials, or it does not start.

mod answer;
mod serve;
mod settings;

pub use serve::serve;
pub use settings::{Credentials, DEFAULT_PORT, Settings, SettingsError};
