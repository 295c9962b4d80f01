//! The process that holds sessions: accepts callers, a bounded number at once, and ends orderly.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_approval::Guard;
use hermes_proto::executor::{AttachRefused, Attached, Ready, RefusalCause};
use hermes_proto::turn::Hosting;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::connection::{self, Caller};
use super::incoming::{ConnectionError, Incoming};
use super::opening;
use super::sessions::{MakeEnvironment, Sessions, Terms};

/// Callers at once; the next ones wait to be accepted.
const MOST_CALLERS: usize = 128;
/// Accepting fails when the process has no descriptors left: some will be freed.
const PAUSE: Duration = Duration::from_millis(100);

/// Holds sessions.
#[derive(Debug)]
pub struct Holder<M>(Arc<Callers<M>>);

/// What the handling of every caller needs.
#[derive(Debug)]
struct Callers<M> {
    build: String,
    sessions: Sessions<M>,
    hosting: Hosting,
    guard: Guard,
    ending: CancellationToken,
}

impl<M: MakeEnvironment> Holder<M> {
    /// A holder whose sessions are made by `make` and whose commands `guard` permits; `build` is told to
    /// callers.
    pub fn new(make: M, terms: Terms, hosting: Hosting, guard: Guard, build: &str) -> Self {
        let (build, ending) = (build.to_owned(), CancellationToken::new());
        Self(Arc::new(Callers { build, sessions: Sessions::new(make, terms), hosting, guard, ending }))
    }

    /// Serves callers until `shutdown`. Then commands are interrupted, their callers told,
    /// and every environment has ended when this returns.
    pub async fn run(self, listener: UnixListener, shutdown: CancellationToken) {
        let Self(callers) = self;
        let (mut connections, mut closing) = (JoinSet::new(), JoinSet::new());
        tokio::select! {
            () = accept(&listener, &callers, &mut connections) => {}
            () = callers.sessions.close_unused(&callers.hosting, &mut closing) => {}
            () = shutdown.cancelled() => {}
        }
        // Who has not been accepted yet sees that nobody is there any more.
        drop(listener);
        callers.ending.cancel();
        while connections.join_next().await.is_some() {}
        callers.sessions.close(&mut closing);
        while closing.join_next().await.is_some() {}
    }
}

/// Ends only by being dropped.
async fn accept<M: MakeEnvironment>(listener: &UnixListener, callers: &Arc<Callers<M>>, connections: &mut JoinSet<()>) {
    let room = Arc::new(Semaphore::new(MOST_CALLERS));
    loop {
        // The semaphore is never closed.
        let Ok(place) = room.clone().acquire_owned().await else { return };
        let stream = loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => break stream,
                    Err(error) => {
                        tracing::warn!(%error, "caller cannot be accepted");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        };
        let callers = callers.clone();
        connections.spawn(async move {
            if let Err(error) = callers.handle(stream).await {
                tracing::warn!(%error, "connection of a caller was ended");
            }
            drop(place);
        });
    }
}

impl<M: MakeEnvironment> Callers<M> {
    async fn handle(&self, stream: UnixStream) -> Result<(), ConnectionError> {
        let peer = opening::check_peer(&stream);
        let (reader, mut writer) = stream.into_split();
        if let Err(refused) = peer {
            tracing::warn!(reason = %refused, "caller was refused");
            opening::send_away(reader, writer, refused).await;
            return Ok(());
        }
        let mut incoming = Incoming::new(reader);
        let attach = opening::receive(&mut incoming).await?;
        tracing::info!(session = %attach.session, build = attach.build, "caller attached");
        let leased = tokio::select! {
            leased = self.sessions.lease(attach.session, PathBuf::from(attach.working_directory)) => leased,
            () = self.ending.cancelled() => Err(is_ending()),
        };
        let (lease, notes) = match leased {
            Ok(leased) => leased,
            Err(refused) => return said(opening::answer(&mut writer, &Attached::Refused(refused)).await),
        };
        let Some(environment) = lease.environment() else {
            return Err(ConnectionError::Protocol("session was not made".to_owned()));
        };
        let session = Ready {
            build: self.build.clone(),
            isolation: environment.isolation().clone(),
            working_directory: environment.working_directory().to_owned(),
        };
        said(opening::answer(&mut writer, &Attached::Ready { session, notes }).await)?;
        let (hosting, guard, ending) = (&self.hosting, &self.guard, self.ending.clone());
        let caller = Caller { lease: &lease, environment, hosting, guard, ending };
        connection::serve(caller, incoming, writer).await
    }
}

fn is_ending() -> AttachRefused {
    AttachRefused { reason: "sessions are being closed".to_owned(), hint: None, cause: RefusalCause::TryAgain }
}

/// A caller that is gone before it got its answer has not done anything wrong.
fn said(answered: std::io::Result<()>) -> Result<(), ConnectionError> {
    answered.or(Ok(()))
}
