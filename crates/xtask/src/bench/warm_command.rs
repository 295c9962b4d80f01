//! A command through the whole path, in an environment that is already there.

use std::path::Path;
use std::time::Instant;

use hermes_home::config::Sandbox;

use super::Bench;
use super::place::{Place, run};
use super::start_up::{median, quiet, time};
use super::table::{Figure, Limit, Row};

const ROUNDS: usize = 300;

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(bench)?;
    // One thread, as `hermes exec` has it, so that the two are compared and not the scheduler.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (environment, turn) = (runtime.block_on(place.environment(Sandbox::Auto))?, place.turn());
    let mut bare = quiet(Path::new("/bin/bash"), &["-c", "true"], &bench.folder);
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        others.push(time(&mut bare)?);
        let start = Instant::now();
        runtime.block_on(run(&environment, &turn, "true"))?;
        own.push(start.elapsed());
    }
    runtime.block_on(environment.close())?;
    Ok(vec![Row {
        what: "warm command, confined".to_owned(),
        figure: Figure::Time(median(&mut own)),
        baseline_name: "bash -c true",
        baseline: Figure::Time(median(&mut others)),
        limit: Limit::Ratio(1.5),
    }])
}
