//! From nothing to the first result, confined and proven, against the same without confinement
//! and against bubblewrap starting a shell.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hermes_home::config::Sandbox;
use tokio::runtime::Runtime;

use super::Bench;
use super::place::{Place, run, runtime};
use super::start_up::{median, quiet, time};
use super::table::{Figure, Limit, Row};

const ROUNDS: usize = 60;
const LIMIT: Limit = Limit::Difference(Duration::from_millis(15));

/// What bubblewrap is asked for: about the same as ours, without Landlock, seccomp and proof.
const BUBBLEWRAP: &[&str] = &[
    "--unshare-all",
    "--share-net",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "bash",
    "-c",
    "true",
];

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(bench)?;
    let runtime = runtime()?;
    let mut bubblewrap = quiet(Path::new("bwrap"), BUBBLEWRAP, &bench.folder);
    let (mut confined, mut open, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        open.push(first_result(&runtime, &place, Sandbox::Off)?);
        confined.push(first_result(&runtime, &place, Sandbox::Auto)?);
        others.push(time(&mut bubblewrap).context("bubblewrap is compared with: apt-get install bubblewrap")?);
    }
    let confined = Figure::Time(median(&mut confined));
    let row = |baseline_name, baseline, limit| Row {
        what: "start to first result, confined".to_owned(),
        figure: confined,
        baseline_name,
        baseline: Figure::Time(baseline),
        limit,
    };
    Ok(vec![row("unconfined", median(&mut open), LIMIT), row("bwrap … bash -c true", median(&mut others), Limit::None)])
}

fn first_result(runtime: &Runtime, place: &Place, sandbox: Sandbox) -> anyhow::Result<Duration> {
    let turn = place.turn();
    let start = Instant::now();
    let environment = runtime.block_on(place.environment(sandbox))?;
    runtime.block_on(run(&environment, &turn, "true"))?;
    let taken = start.elapsed();
    runtime.block_on(environment.close())?;
    Ok(taken)
}
