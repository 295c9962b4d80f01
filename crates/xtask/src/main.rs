//! Tasks of the workspace itself: benchmarks, and the checks that keep its shape.

mod bench;
#[cfg(test)]
mod layers;
mod model_server;
#[cfg(test)]
mod sizes;

use std::process::ExitCode;

use clap::Parser;

/// Tasks of the Hermes workspace
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", max_term_width = 100)]
enum Task {
    /// Measure speed and memory, each against a baseline of the same run
    Bench(bench::Typed),
    /// Serve a scripted model: calls of the terminal, then an answer
    ModelServer(model_server::Typed),
    /// The baseline of the benchmark of a turn, which starts it
    #[command(hide = true)]
    BareTurn(bench::BareTurn),
}

fn main() -> anyhow::Result<ExitCode> {
    match Task::parse() {
        Task::Bench(typed) => bench::run(&typed),
        Task::ModelServer(typed) => model_server::run(&typed),
        Task::BareTurn(typed) => typed.run(),
    }
}
