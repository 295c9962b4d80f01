//! `hermes sandbox`: what keeps local commands in, as proven here and now.

use clap::{Args, Subcommand};
use hermes_home::config::SandboxNetwork;
use hermes_proto::Fault;
use hermes_proto::executor::{IsolationReport, Layer, LayerReport, LayerState};
use serde_json::{Value, json};

use super::local::Local;
use crate::context::Context;
use crate::exit::Failure;

/// See how local commands are confined
#[derive(Debug, Args)]
pub(crate) struct Typed {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
    let local = Local::of(context)?;
    let terminal = local.config()?.terminal;
    let report = runtime.block_on(async {
        let (environment, _nobody_listens) = local.start(&terminal, terminal.cwd.clone().into()).await?;
        let report = environment.isolation().clone();
        environment.close().await?;
        Ok::<_, Failure>(report)
    })?;
    let shown = Shown { report: &report, network: terminal.sandbox_network };
    if json { context.line(shown.json()) } else { shown.table(context) }
}

/// The report in the words of the configuration.
struct Shown<'a> {
    report: &'a IsolationReport,
    network: SandboxNetwork,
}

impl Shown<'_> {
    /// State and detail of a layer. An open network is what was asked for, not a layer that was switched off.
    fn words<'a>(&self, line: &'a LayerReport) -> (&'static str, &'a str) {
        match &line.state {
            LayerState::Proven { proof } => ("proven", proof),
            LayerState::Missing { reason } => ("missing", reason),
            LayerState::Off if line.layer == Layer::Network && self.network == SandboxNetwork::On => {
                ("open", "terminal.sandbox_network is on")
            }
            LayerState::Off => ("off", "switched off by terminal.sandbox"),
        }
    }

    fn json(&self) -> Value {
        let mut value = json!(self.report);
        let lines = value["layers"].as_array_mut().into_iter().flatten();
        for (line, value) in self.report.layers.iter().zip(lines) {
            value["state"] = self.words(line).0.into();
        }
        value
    }

    fn table(&self, context: &mut Context) -> Result<(), Failure> {
        let width = self.report.layers.iter().map(|line| line.layer.name().len()).max().unwrap_or_default();
        for line in &self.report.layers {
            let (state, detail) = self.words(line);
            context.line(format_args!("{state:8} {:width$}  {detail}", line.layer.name()))?;
        }
        Ok(())
    }
}
