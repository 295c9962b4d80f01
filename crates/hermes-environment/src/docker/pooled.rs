//! Docker environments in a pool.

use std::sync::Arc;

use hermes_proto::consent::NobodyToAsk;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};

use super::environment::DockerEnvironment;
use crate::pool::Pooled;

impl Pooled for DockerEnvironment {
    /// Asks on nobody's behalf: listing jobs starts nothing and tells nobody.
    async fn is_busy(&self) -> bool {
        let turn = TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)));
        self.has_running_jobs(&turn).await
    }

    /// It finds itself a new container.
    fn is_dead(&self) -> bool {
        false
    }

    async fn close(&self) {
        if let Err(error) = DockerEnvironment::close(self).await {
            tracing::warn!(%error, "an environment was not closed");
        }
    }
}
