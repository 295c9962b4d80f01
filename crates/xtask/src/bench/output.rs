//! 20 MB of output, against the same command whose output is read and dropped.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hermes_home::config::Sandbox;

use super::Bench;
use super::place::{Place, run, runtime};
use super::start_up::{median, quiet};
use super::table::{Figure, Limit, Row};

const ROUNDS: usize = 15;
const COMMAND: &str = "head -c 20000000 /dev/zero | tr '\\0' x";
/// The original takes 440 ms here; five times its rate is asked for.
const LIMIT: Limit = Limit::Time(Duration::from_millis(88));

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(bench)?;
    let runtime = runtime()?;
    let (environment, turn) = (runtime.block_on(place.environment(Sandbox::Auto))?, place.turn());
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        others.push(read_and_drop(bench)?);
        let start = Instant::now();
        let result = runtime.block_on(run(&environment, &turn, COMMAND))?;
        own.push(start.elapsed());
        anyhow::ensure!(result.total_characters == 20_000_000, "{} characters came", result.total_characters);
    }
    runtime.block_on(environment.close())?;
    Ok(vec![Row {
        what: "20 MB of output".to_owned(),
        figure: Figure::Time(median(&mut own)),
        baseline_name: "read and dropped",
        baseline: Figure::Time(median(&mut others)),
        limit: LIMIT,
    }])
}

fn read_and_drop(bench: &Bench) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let mut child = quiet(Path::new("/bin/bash"), &["-c", COMMAND], &bench.folder)
        .stdout(Stdio::piped())
        .spawn()
        .context("bash")?;
    let mut output = child.stdout.take().context("its output")?;
    let mut buffer = vec![0; 256 * 1024];
    while output.read(&mut buffer).context("read")? > 0 {}
    child.wait().context("wait")?;
    Ok(start.elapsed())
}
