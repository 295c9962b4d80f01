//! A command through the whole path, in an environment that is already there.
//!
//! One after the other, so that what is done ahead for the next command counts for this one; and after a pause, as when a model was
//! asked.

use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use hermes_environment::Environment;
use hermes_home::config::Sandbox;
use hermes_proto::turn::TurnContext;
use tokio::runtime::Runtime;

use super::Bench;
use super::place::{Place, run};
use super::start_up::{median, quiet, time};
use super::table::{Figure, Limit, Row};

/// Blocks of the two kinds in turn, so that both meet the same machine.
const BLOCKS: usize = 30;
const IN_A_BLOCK: usize = 10;
const PAUSE: Duration = Duration::from_millis(5);
const LIMIT: Limit = Limit::Ratio(1.5);

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(bench)?;
    // One thread, as `hermes exec` has it, so that the two are compared and not the scheduler.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let environment = runtime.block_on(place.environment(Sandbox::Auto))?;
    let bare = quiet(Path::new("/bin/bash"), &["-c", "true"], &bench.folder);
    let mut pair = Pair { runtime, environment, turn: place.turn(), bare };
    let rows = vec![pair.row("warm command, confined", Duration::ZERO)?, pair.row("the same after a pause", PAUSE)?];
    pair.runtime.block_on(pair.environment.close())?;
    Ok(rows)
}

/// A command in the environment, and the bare shell that it is compared with.
struct Pair {
    runtime: Runtime,
    environment: Environment,
    turn: TurnContext,
    bare: Command,
}

impl Pair {
    fn row(&mut self, what: &str, pause: Duration) -> anyhow::Result<Row> {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for _ in 0..BLOCKS {
            for _ in 0..IN_A_BLOCK {
                sleep(pause);
                others.push(time(&mut self.bare)?);
            }
            for _ in 0..IN_A_BLOCK {
                sleep(pause);
                let start = Instant::now();
                self.runtime.block_on(run(&self.environment, &self.turn, "true"))?;
                own.push(start.elapsed());
            }
        }
        Ok(Row {
            what: what.to_owned(),
            figure: Figure::Time(median(&mut own)),
            baseline_name: "bash -c true",
            baseline: Figure::Time(median(&mut others)),
            limit: LIMIT,
        })
    }
}
