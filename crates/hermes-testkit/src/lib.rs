//! Things that tests need and the product must never see.

mod fake_docker;

pub use fake_docker::{Answer, Call, FakeDocker};
