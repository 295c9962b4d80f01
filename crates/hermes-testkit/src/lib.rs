//! Things that tests need and the product must never see.

mod fake_docker;
mod permits;

pub use fake_docker::{Answer, Call, FakeDocker};
pub use permits::{MemoryJournal, Permits, permit};
