//! Where a session's commands run: started by the first tool that needs it, found again by the next.
//!
//! A session that only talks starts nothing, and one whose executor has died gets a new one.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hermes_environment::{Workplace, WorkplaceError};
use tokio::sync::Mutex;

/// No place to work in.
#[derive(Debug, Clone, thiserror::Error)]
#[error("nowhere to run commands: {0}")]
pub struct WorkshopError(pub Arc<WorkplaceError>);

/// A place that is being opened.
pub type Opening<'a> = Pin<Box<dyn Future<Output = Result<Workplace, WorkplaceError>> + Send + 'a>>;

/// How a place is opened; the composition knows.
pub trait OpenWorkshop: fmt::Debug + Send + Sync {
    fn open(&self) -> Opening<'_>;
}

/// The place of one session.
#[derive(Debug)]
pub struct Workshop {
    opener: Box<dyn OpenWorkshop>,
    place: Mutex<Option<Arc<Workplace>>>,
}

impl Workshop {
    pub fn new(opener: Box<dyn OpenWorkshop>) -> Self {
        Self { opener, place: Mutex::new(None) }
    }

    /// The place, opened if it is not yet, or not any more.
    pub async fn place(&self) -> Result<Arc<Workplace>, WorkshopError> {
        let mut place = self.place.lock().await;
        if let Some(place) = place.as_ref().filter(|place| !place.has_ended()) {
            return Ok(place.clone());
        }
        let opened = Arc::new(self.opener.open().await.map_err(|error| WorkshopError(Arc::new(error)))?);
        *place = Some(opened.clone());
        Ok(opened)
    }

    /// Ends the place and everything in it; finished when this returns, unless a tool still works there. The next use opens
    /// another.
    pub async fn close(&self) {
        let Some(place) = self.place.lock().await.take() else { return };
        let Ok(place) = Arc::try_unwrap(place) else { return };
        if let Err(error) = place.close().await {
            tracing::warn!(%error, "a place to work in did not end as it should");
        }
    }
}
