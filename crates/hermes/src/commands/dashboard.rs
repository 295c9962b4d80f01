//! `hermes dashboard`: the web page.

use clap::Args;
use hermes_dashboard::{Settings, serve};
use hermes_proto::Fault;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::exit::Failure;

/// Serve the web page (so far: that it is alive)
///
/// It listens on 127.0.0.1 port 9119, or where HERMES_DASHBOARD_HOST and HERMES_DASHBOARD_PORT say. An address
/// that others can reach needs HERMES_DASHBOARD_BASIC_AUTH_USERNAME and _PASSWORD.
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// Listen on this address
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,
    /// Listen on this port
    #[arg(long, value_name = "NUMBER")]
    port: Option<String>,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let settings = Settings::of(typed.host.as_deref(), typed.port.as_deref(), &context.environment)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    runtime.block_on(listen(settings, context))
}

async fn listen(settings: Settings, context: &Context) -> Result<(), Failure> {
    let address = settings.address;
    let taken = |error| Failure::new(Fault::Failed, format_args!("the dashboard cannot listen on {address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(taken)?;
    context.note(format_args!("dashboard: http://{}", listener.local_addr().unwrap_or(address)));
    let shutdown = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate()).map_err(taken)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(taken)?;
    let stopping = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        shutdown.cancel();
    };
    tokio::join!(serve(listener, settings.credentials, shutdown.clone()), stopping);
    Ok(())
}
