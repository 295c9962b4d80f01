//! Ctrl-C, a polite kill and a closed terminal end what is under way, and then the program.

use hermes_proto::Fault;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::exit::Failure;

/// Cancels on the first signal, for as long as the result lives.
pub(super) fn cancel_on(cancellation: CancellationToken) -> Result<JoinSet<()>, Failure> {
    let listen = |kind| {
        signal(kind).map_err(|error| Failure::new(Fault::Failed, format_args!("cannot listen for signals: {error}")))
    };
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let mut hangup = listen(SignalKind::hangup())?;
    let mut task = JoinSet::new();
    task.spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        cancellation.cancel();
    });
    Ok(task)
}
