//! Serving the control socket.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::line;
use super::local::LocalAdapter;
use super::message::{Answer, Request, Status};
use super::socket::{ControlSocket, check};
use crate::lifecycle::StopReason;
use crate::{Accepted, Adapter, Chat, HostView, Identifier, Incoming, Person, Role, SessionState, Steered};

/// Connections at once.
const CONNECTIONS: usize = 64;

/// What a gateway can be asked through its socket.
#[derive(Debug)]
pub struct Control {
    pub view: HostView,
    pub local: Arc<LocalAdapter>,
    /// Why the gateway has to end, once somebody said so.
    pub stop: watch::Sender<Option<StopReason>>,
    pub begun: Instant,
}

/// Serves until `shutdown`.
pub(crate) async fn serve(socket: ControlSocket, control: Control, shutdown: CancellationToken) {
    let (control, places) = (Arc::new(control), Arc::new(Semaphore::new(CONNECTIONS)));
    let mut connections = JoinSet::new();
    loop {
        let place = tokio::select! {
            () = shutdown.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            Ok(place) = places.clone().acquire_owned() => place,
        };
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = socket.listener.accept() => accepted,
        };
        match accepted.and_then(|(stream, _)| check(&stream).map(|()| stream)) {
            Ok(stream) => {
                let control = control.clone();
                connections.spawn(async move {
                    if let Err(error) = talk(stream, &control).await {
                        tracing::debug!(%error, "a connection to the control socket ended");
                    }
                    drop(place);
                });
            }
            Err(error) => tracing::warn!(%error, "a connection to the control socket was refused"),
        }
    }
    connections.shutdown().await;
}

async fn talk(stream: UnixStream, control: &Control) -> io::Result<()> {
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    let mut deliveries: Option<mpsc::Receiver<Answer>> = None;
    let (requests, mut asked) = mpsc::channel(1);
    // Reading a line cannot be given up half-way, so it has a task of its own.
    let mut reader = JoinSet::new();
    reader.spawn(async move {
        while let Ok(Some(request)) = line::read::<Request>(&mut reading).await {
            if requests.send(request).await.is_err() {
                return;
            }
        }
    });
    loop {
        let answer = tokio::select! {
            request = asked.recv() => match request {
                None => return Ok(()),
                Some(Request::Listen) => {
                    deliveries = Some(control.local.listen());
                    Answer::Done { found: true }
                }
                Some(Request::Ack { delivery }) => {
                    control.local.acknowledge(delivery);
                    continue;
                }
                Some(request) => control.answer(request).await,
            },
            delivery = next(&mut deliveries) => match delivery {
                Some(delivery) => delivery,
                // Somebody else listens now.
                None => return Ok(()),
            },
        };
        line::write(&mut writing, &answer).await?;
    }
}

async fn next(deliveries: &mut Option<mpsc::Receiver<Answer>>) -> Option<Answer> {
    match deliveries {
        Some(deliveries) => deliveries.recv().await,
        None => std::future::pending().await,
    }
}

impl Control {
    async fn answer(&self, request: Request) -> Answer {
        match request {
            Request::Status => Answer::Status(self.status().await),
            Request::Sessions => Answer::Sessions { sessions: self.view.sessions().await },
            Request::Stop { session } => Answer::Done { found: self.view.inbox().stop(&session).await },
            Request::Steer { session, text } => {
                Answer::Done { found: self.view.inbox().steer(&session, Steered::Running, text).await }
            }
            Request::Drain { restart } => {
                let reason = if restart { StopReason::Restart } else { StopReason::Planned };
                self.stop.send_replace(Some(reason));
                Answer::Done { found: true }
            }
            Request::Say { chat, user, id, text } => self.say(chat, user, id, text).await,
            Request::Listen | Request::Ack { .. } => Answer::Done { found: false },
        }
    }

    async fn status(&self) -> Status {
        let sessions = self.view.sessions().await;
        let running = sessions.iter().filter(|session| session.state == SessionState::Running).count();
        Status {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime_seconds: self.begun.elapsed().as_secs(),
            is_draining: self.stop.borrow().is_some(),
            running,
            waiting: sessions.len() - running,
            platforms: self.view.health(),
        }
    }

    /// Whoever may open the socket is the operator.
    async fn say(&self, chat: Identifier, user: Identifier, id: Identifier, text: String) -> Answer {
        let chat = Chat::direct(self.local.platform().clone(), chat);
        let incoming = Incoming::text(chat, Person::new(user, Role::Admin), id, text);
        match self.view.inbox().accept(incoming).await {
            Ok(accepted) => Answer::Accepted { repeated: accepted == Accepted::Repeated },
            Err(error) => Answer::Refused { cause: error.to_string() },
        }
    }
}
