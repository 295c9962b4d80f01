//! The platform `api_server`: an HTTP API that OpenAI's clients can talk to.
//!
//! One file per resource, each with a `routes()`; `serve` puts them together. Whoever calls has shown the key before anything else is
//! looked at, a request is bounded in size and time, and nothing that leaves names a path or a secret of this machine.

mod adapter;
mod asking;
mod attached;
mod auth;
mod body;
mod catalogue;
mod chat;
mod error;
mod events;
mod feed;
mod health;
mod health_detailed;
mod incoming;
mod metrics;
mod models;
mod openapi;
mod responses;
mod runs;
mod said;
mod serve;
mod sessions;
mod settings;
mod state;
mod taken;
mod usage;

pub use adapter::{ApiServer, build};
pub use settings::is_wanted;
