//! Where a session's commands run: started by the first tool that needs it, found again by the next.
//!
//! A session that only talks starts nothing, unless whoever holds it would rather have the place at hand; one whose executor has
//! died gets a new one. What background commands tell in the meantime waits here until somebody takes it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hermes_environment::link::Notices;
use hermes_environment::{Workplace, WorkplaceError};
use hermes_proto::turn::TurnContext;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::news::News;

/// No place to work in.
#[derive(Debug, Clone, thiserror::Error)]
#[error("nowhere to run commands: {0}")]
pub struct WorkshopError(pub Arc<WorkplaceError>);

/// A place that was opened, and what its background commands tell.
#[derive(Debug)]
pub struct Opened {
    pub place: Workplace,
    pub notices: Notices,
}

/// A place that is being opened.
pub type Opening<'a> = Pin<Box<dyn Future<Output = Result<Opened, WorkplaceError>> + Send + 'a>>;

/// How a place is opened; the composition knows.
pub trait OpenWorkshop: fmt::Debug + Send + Sync {
    fn open(&self) -> Opening<'_>;
}

/// The place of one session.
#[derive(Debug)]
pub struct Workshop {
    opener: Box<dyn OpenWorkshop>,
    open: Mutex<Option<Open>>,
    news: Arc<News>,
}

#[derive(Debug)]
struct Open {
    place: Arc<Workplace>,
    /// Listens to its background commands.
    _listening: JoinSet<()>,
}

impl Workshop {
    pub fn new(opener: Box<dyn OpenWorkshop>) -> Self {
        Self { opener, open: Mutex::new(None), news: Arc::default() }
    }

    /// The place, opened if it is not yet, or not any more.
    pub async fn place(&self) -> Result<Arc<Workplace>, WorkshopError> {
        let mut open = self.open.lock().await;
        if let Some(open) = open.as_ref().filter(|open| !open.place.has_ended()) {
            return Ok(open.place.clone());
        }
        let opened = self.opener.open().await.map_err(|error| WorkshopError(Arc::new(error)))?;
        let place = Arc::new(opened.place);
        let mut listening = JoinSet::new();
        listening.spawn(self.news.clone().listen(opened.notices));
        *open = Some(Open { place: place.clone(), _listening: listening });
        Ok(place)
    }

    /// Begins to open the place, for a tool that will need it: the model takes its time to name one. If that fails, the
    /// tool is told.
    pub async fn open_ahead(self: &Arc<Self>) {
        let workshop = self.clone();
        tokio::spawn(async move {
            if let Err(error) = workshop.place().await {
                tracing::debug!(%error, "not opened ahead");
            }
        });
        // On a thread that does everything it would else begin when there is nothing left to do beside it: once for the
        // process to be started, once for it to be told what it shall be.
        for _ in 0..2 {
            tokio::task::yield_now().await;
        }
    }

    /// The place, if it is open.
    pub async fn opened(&self) -> Option<Arc<Workplace>> {
        let open = self.open.lock().await;
        open.as_ref().filter(|open| !open.place.has_ended()).map(|open| open.place.clone())
    }

    /// What background commands have told and nobody was told yet. The next turn takes it by itself; a surface
    /// waits for it to start one.
    pub fn news(&self) -> &News {
        &self.news
    }

    /// Whether jobs run there, which nobody should end because the session is quiet. Opens nothing.
    pub async fn is_busy(&self, turn: &TurnContext) -> bool {
        match self.opened().await {
            Some(place) => place.has_running_jobs(turn).await,
            None => false,
        }
    }

    /// Ends the place and everything in it; finished when this returns, unless a tool still works there. The next use opens
    /// another.
    pub async fn close(&self) {
        let Some(open) = self.open.lock().await.take() else { return };
        let Ok(place) = Arc::try_unwrap(open.place) else { return };
        if let Err(error) = place.close().await {
            tracing::warn!(%error, "a place to work in did not end as it should");
        }
    }
}
