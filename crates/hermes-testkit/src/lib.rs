//! Things that tests need and the product must never see.

mod again;
pub mod bot_api;
mod fake_docker;
pub mod model_server;
mod permits;
mod tmux;

pub use again::{Actions, Again};
pub use bot_api::BotApi;
pub use fake_docker::{Answer, Call, FakeDocker};
pub use model_server::ModelServer;
pub use permits::{MemoryJournal, Permits, permit};
pub use tmux::{Setting, Tmux};
