//! What a session costs that does nothing: private memory of its confined processes.

use std::path::Path;
use std::process::Stdio;

use anyhow::Context as _;
use hermes_environment::Environment;
use hermes_home::config::Sandbox;

use super::Bench;
use super::place::{Place, run, runtime};
use super::start_up::quiet;
use super::table::{Figure, Limit, Row};

const SESSIONS: usize = 1000;
const LIMIT: Limit = Limit::Bytes(2_000_000);

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(bench)?;
    let own = runtime()?.block_on(mean_of_many(&place))?;
    Ok(vec![Row {
        what: format!("each of {SESSIONS} idle sessions"),
        figure: Figure::Bytes(own),
        baseline_name: "an idle bash",
        baseline: Figure::Bytes(idle_shell(bench)?),
        limit: LIMIT,
    }])
}

async fn mean_of_many(place: &Place) -> anyhow::Result<u64> {
    let turn = place.turn();
    let mut environments = Vec::new();
    for _ in 0..SESSIONS {
        let environment = place.environment(Sandbox::Auto).await?;
        run(&environment, &turn, "cd /; export A=1").await?;
        environments.push(environment);
    }
    let mut total = 0;
    for environment in &environments {
        total += memory_of(environment)?;
    }
    for environment in environments {
        environment.close().await?;
    }
    Ok(total / SESSIONS as u64)
}

/// Private memory of the environment's process and of all below it.
fn memory_of(environment: &Environment) -> anyhow::Result<u64> {
    let mut waiting = vec![environment.process_id().context("the executor has ended")?];
    let mut total = 0;
    while let Some(process) = waiting.pop() {
        total += private_memory(process)?;
        let path = format!("/proc/{process}/task/{process}/children");
        let children = std::fs::read_to_string(&path).with_context(|| path.clone())?;
        waiting.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
    }
    Ok(total)
}

fn private_memory(process: u32) -> anyhow::Result<u64> {
    let path = format!("/proc/{process}/smaps_rollup");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{path} (only root may read it)"))?;
    let kibibytes = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name))?;
        value.trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    let fields = ["Private_Clean:", "Private_Dirty:"].map(kibibytes);
    let total: Option<u64> = fields.into_iter().sum();
    Ok(total.with_context(|| format!("{path}: {text}"))? * 1024)
}

fn idle_shell(bench: &Bench) -> anyhow::Result<u64> {
    let mut shell = quiet(Path::new("/bin/bash"), &["-c", "read line; true"], &bench.folder)
        .stdin(Stdio::piped())
        .spawn()
        .context("bash")?;
    // It is idle once it waits for its line.
    let path = format!("/proc/{}/syscall", shell.id());
    while !std::fs::read_to_string(&path).with_context(|| path.clone())?.starts_with("0 0x0 ") {
        std::thread::yield_now();
    }
    let memory = private_memory(shell.id());
    drop(shell.stdin.take());
    shell.wait().context("bash")?;
    memory
}
