//! `cargo xtask model-server`: the scripted model server for another process to talk to.
//!
//! It answers every conversation alike, by the results it already holds, so that several programs can be measured against it at
//! once. Standard output tells when it is ready, and its input's end stops it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use hermes_testkit::ModelServer;
use hermes_testkit::model_server::Script;

#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// The port to listen on, 0 for any
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Calls of the terminal before the answer
    #[arg(long, default_value_t = 10)]
    calls: usize,
    /// The command of each call
    #[arg(long, default_value = "true")]
    command: String,
}

pub(crate) fn run(typed: &Typed) -> anyhow::Result<ExitCode> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, typed.port));
    let script = Script::terminal_calls(typed.calls, &typed.command).with_models(["scripted"]);
    let server = ModelServer::serve_on(address, script);
    let mut out = std::io::stdout();
    writeln!(out, "openai {}\nanthropic {}", server.openai_url(), server.anthropic_url())
        .context("tell the address")?;
    out.flush().context("tell the address")?;
    std::io::stdin().read_to_end(&mut Vec::new()).context("wait for the end of standard input")?;
    let violations = server.forgive();
    violations.iter().try_for_each(|violation| writeln!(std::io::stderr(), "wrong request: {violation}"))?;
    Ok(if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
