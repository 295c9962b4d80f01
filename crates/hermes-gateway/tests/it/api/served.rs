//! A host that serves the API.

use std::net::SocketAddr;

use super::caller::Caller;
use crate::ground::{Ground, KEY, Running};

/// A host with the API, and where it listens.
pub(crate) struct Served {
    pub(crate) running: Running,
    pub(crate) address: SocketAddr,
}

impl Served {
    /// The ground has to serve the API.
    pub(crate) async fn on(ground: &Ground) -> Self {
        let running = ground.start();
        let address = running.api.as_ref().unwrap().address().await.unwrap();
        Self { running, address }
    }

    /// A caller with the key.
    pub(crate) fn caller(&self) -> Caller {
        Caller::of(self.address).with("Authorization", &format!("Bearer {KEY}"))
    }

    /// One that also names a conversation.
    pub(crate) fn scoped(&self, key: &str) -> Caller {
        self.caller().with("X-Hermes-Session-Key", key)
    }
}

/// A home with the API.
pub(crate) fn ground() -> Ground {
    Ground::new().serving_api("")
}
