//! A gateway as a process: served until a signal, the control socket or a failure ends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_home::Home;
use hermes_proto::{Explain, Fault};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::control::{Control, ControlSocket, LocalAdapter, serve as serve_control};
use crate::lifecycle::systemd::Manager;
use crate::lifecycle::{GatewayState, LifecycleError, Marker, Observed, ObservedState, Ownership, StopReason};
use crate::{AdapterState, Host, HostView, LedgerError};

/// How often the state is written although nothing has changed; readers count it as stale after 120 seconds.
const HEARTBEAT: Duration = Duration::from_secs(45);

/// What a gateway's process is made of.
#[derive(Debug)]
pub struct Service {
    pub home: Home,
    pub ownership: Ownership,
    pub host: Host,
    pub local: Arc<LocalAdapter>,
    pub manager: Option<Manager>,
    /// How long running turns may go on after it was told to end.
    pub drain: Duration,
}

/// Why a gateway ended that should not have.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error("cannot listen on the control socket of {}", home.display())]
    Socket { home: std::path::PathBuf, source: std::io::Error },
    #[error("cannot listen for signals")]
    Signals(#[source] std::io::Error),
    #[error(transparent)]
    Lifecycle(#[from] LifecycleError),
    #[error("the inbox cannot be read")]
    Ledger(#[from] LedgerError),
}

impl Explain for ServiceError {
    fn fault(&self) -> Fault {
        match self {
            Self::Lifecycle(error) => error.fault(),
            Self::Ledger(LedgerError::Store(error)) => error.fault(),
            Self::Socket { .. } | Self::Signals(_) | Self::Ledger(LedgerError::Broken) => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Lifecycle(error) => error.hint(),
            Self::Ledger(LedgerError::Store(error)) => error.hint(),
            Self::Socket { .. } | Self::Signals(_) | Self::Ledger(LedgerError::Broken) => None,
        }
    }
}

impl Service {
    /// Serves until told to end; why it was.
    pub async fn run(self) -> Result<StopReason, ServiceError> {
        let Self { home, ownership, host, local, manager, drain } = self;
        let signals = Signals::new().map_err(ServiceError::Signals)?;
        let socket = ControlSocket::bind(home.path())
            .map_err(|source| ServiceError::Socket { home: home.path().to_owned(), source })?;
        let stop = watch::Sender::new(None);
        let view = host.view();
        let control = Control { view: view.clone(), local, stop: stop.clone(), begun: Instant::now() };
        let (shutdown, socket_stop) = (CancellationToken::new(), CancellationToken::new());
        let mut beside = JoinSet::new();
        beside.spawn(serve_control(socket, control, socket_stop.clone()));
        let reporter = Reporter { home: home.clone(), ownership: &ownership, view };
        // Nobody answers questions before the host runs.
        reporter.write(Observed::new(ObservedState::Running)).await;
        if let Some(manager) = &manager {
            manager.ready();
        }
        let mut serving = std::pin::pin!(host.run(shutdown.clone(), drain));
        let reason = tokio::select! {
            ended = &mut serving => { ended?; StopReason::Unexpected }
            reason = signals.told(&home, &ownership) => reason,
            reason = asked(stop.subscribe()) => reason,
            () = reporter.keep_reporting() => StopReason::Unexpected,
            () = keep_alive(manager.as_ref()) => StopReason::Unexpected,
        };
        if let Some(manager) = &manager {
            manager.stopping();
        }
        stop.send_replace(Some(reason));
        reporter.report(ObservedState::Draining).await;
        shutdown.cancel();
        serving.await?;
        socket_stop.cancel();
        while beside.join_next().await.is_some() {}
        reporter.ended(reason).await;
        Ok(reason)
    }
}

async fn asked(mut stop: watch::Receiver<Option<StopReason>>) -> StopReason {
    match stop.wait_for(Option::is_some).await.as_deref() {
        Ok(Some(reason)) => *reason,
        _ => std::future::pending().await,
    }
}

async fn keep_alive(manager: Option<&Manager>) {
    let Some((manager, period)) = manager.and_then(|manager| Some((manager, manager.watchdog?))) else {
        return std::future::pending().await;
    };
    let mut ticks = tokio::time::interval(period);
    loop {
        ticks.tick().await;
        manager.alive();
    }
}

/// The signals that end a gateway.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for one; why it came. An interrupt comes from whoever watches: it is meant.
    async fn told(mut self, home: &Home, ownership: &Ownership) -> StopReason {
        tokio::select! {
            _ = self.terminate.recv() => Marker::read(home.path(), ownership.record()),
            _ = self.interrupt.recv() => StopReason::Planned,
        }
    }
}

/// Keeps what is observed in the home.
struct Reporter<'a> {
    home: Home,
    ownership: &'a Ownership,
    view: HostView,
}

impl Reporter<'_> {
    async fn keep_reporting(&self) {
        let mut view = self.view.clone();
        loop {
            tokio::select! {
                () = view.changed() => {}
                () = tokio::time::sleep(HEARTBEAT) => {}
            }
            self.report(ObservedState::Running).await;
        }
    }

    async fn report(&self, state: ObservedState) {
        let health = self.view.health();
        let is_degraded = health
            .values()
            .any(|state| matches!(state, AdapterState::NeedsAttention { .. } | AdapterState::Retrying { .. }));
        let state = if state == ObservedState::Running && is_degraded { ObservedState::Degraded } else { state };
        let active = if state == ObservedState::Draining { 0 } else { self.view.sessions().await.len() };
        self.write(Observed { active, health, ..Observed::new(state) }).await;
    }

    /// A gateway that ends unexpectedly is one that should run: the state goes on saying so.
    async fn ended(&self, reason: StopReason) {
        let (state, text) = match reason {
            // Whoever took over tells about itself.
            StopReason::Takeover => return,
            StopReason::Planned => (ObservedState::Stopped, "stopped"),
            StopReason::Restart => (ObservedState::Running, "restart requested"),
            StopReason::Unexpected => (ObservedState::Running, "terminated by a signal"),
        };
        let restart_requested = reason == StopReason::Restart;
        self.write(Observed { exit_reason: Some(text.to_owned()), restart_requested, ..Observed::new(state) }).await;
    }

    async fn write(&self, observed: Observed) {
        let (home, record) = (self.home.clone(), self.ownership.record().clone());
        let written = tokio::task::spawn_blocking(move || GatewayState::observe(home.path(), &record, &observed)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "the state of the gateway cannot be kept");
        }
    }
}
