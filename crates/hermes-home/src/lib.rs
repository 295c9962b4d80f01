//! HERMES_HOME: where it is, what is in it, and how it is changed without loss.

pub mod config;
pub mod credentials;
pub mod dotenv;
pub mod files;
mod home;
pub mod intent;
pub mod log;
pub mod profiles;
pub mod redact;
pub mod skills;
mod yaml;

pub use home::{Asked, Home, HomeError, HomeName, HomeRoot, NamedBy};
