//! `hermes sandbox`: what keeps local commands in, as proven here and now.

use clap::{Args, Subcommand};
use hermes_proto::Fault;
use hermes_proto::executor::{IsolationReport, LayerState};
use serde_json::json;

use super::local;
use crate::context::Context;
use crate::exit::Failure;

/// See how local commands are confined
#[derive(Debug, Args)]
pub(crate) struct Typed {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Start a confined environment, prove every layer, and show the table
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let Action::Status { json } = typed.action;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    let report = runtime.block_on(async {
        let (environment, _) = local::start(context).await?;
        let report = environment.isolation().clone();
        environment.close().await?;
        Ok::<_, Failure>(report)
    })?;
    if json { context.line(json!(report)) } else { table(&report, context) }
}

fn table(report: &IsolationReport, context: &mut Context) -> Result<(), Failure> {
    let width = report.layers.iter().map(|line| line.layer.name().len()).max().unwrap_or_default();
    for line in &report.layers {
        let (state, detail) = match &line.state {
            LayerState::Proven { proof } => ("proven", proof.as_str()),
            LayerState::Missing { reason } => ("missing", reason.as_str()),
            LayerState::Off => ("off", "switched off by terminal.sandbox"),
        };
        context.line(format_args!("{state:8} {:width$}  {detail}", line.layer.name()))?;
    }
    Ok(())
}
