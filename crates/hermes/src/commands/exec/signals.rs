//! Ctrl-C and a polite kill interrupt the command, and the program ends with its result.

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
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    let mut task = JoinSet::new();
    task.spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        cancellation.cancel();
    });
    Ok(task)
}
