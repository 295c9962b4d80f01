//! What a tool call from a script costs, locally and in a container, against a bare exchange of the same
//! lines over a socket between two Pythons.
//!
//! The script measures itself, because that is the time it waits. Needs an engine and the image that
//! `scripts/python-image` makes.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use hermes_environment::docker::{DockerEnvironment, DockerPlan, ExecutorSource, HostAccount, OrphanSweep};
use hermes_environment::{RunningScript, Script, ScriptEvent};
use hermes_home::config::{Sandbox, Terminal};
use hermes_home::{Asked, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_proto::executor::{ScriptLimits, ScriptStatus, ScriptTool};
use serde::Deserialize;

use super::Bench;
use super::place::{Place, permit};
use super::table::{Figure, Limit, Row};

const IMAGE: &str = "hermes-test-python:bookworm";
const ROUNDS: usize = 2000;
const LIMIT: Limit = Limit::Time(Duration::from_micros(500));

/// Prints the medians of both, measured alternately, in nanoseconds.
const CODE: &str = r#"
import json, os, socket, statistics, time
from hermes_tools import terminal
near, far = socket.socketpair()
if os.fork() == 0:
    near.close()
    while far.recv(4096): far.sendall(b'{"id": null, "result": "{}"}\n')
    os._exit(0)
far.close()
line = json.dumps({"token": "0" * 64, "tool": "terminal", "args": {"command": "true"}}).encode() + b"\n"
def exchange():
    near.sendall(line)
    near.recv(4096)
def timed(work):
    start = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - start
calls, exchanges = [], []
for _ in range(@ROUNDS@):
    exchanges.append(timed(exchange))
    calls.append(timed(lambda: terminal("true")))
near.close()
os.wait()
print(json.dumps({"call": int(statistics.median(calls)), "exchange": int(statistics.median(exchanges))}))
"#;

/// What the script prints.
#[derive(Debug, Deserialize)]
struct Medians {
    call: u64,
    exchange: u64,
}

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let place = Place::new(bench)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let turn = place.turn();
        let local = place.environment(Sandbox::Auto).await?;
        let locally =
            medians(local.begin_script(&turn, permit(&turn, &local.place(), script())?)?).await.context("local")?;
        local.close().await?;
        let inside = container(bench).await?;
        let permitted = permit(&turn, &inside.place(), script())?;
        let in_container = medians(inside.begin_script(&turn, permitted).await?.0).await.context("in a container")?;
        inside.close().await?;
        Ok(vec![row("tool call from a script", &locally), row("tool call from a script, docker", &in_container)])
    })
}

fn script() -> Script {
    let limits = ScriptLimits { tool_calls: ROUNDS as u32, ..ScriptLimits::default() };
    Script { limits, ..Script::new(CODE.replace("@ROUNDS@", &ROUNDS.to_string()), [ScriptTool::Terminal]) }
}

/// Answers every call at once: the tool itself is not the subject.
async fn medians(mut running: RunningScript) -> anyhow::Result<Medians> {
    let result = loop {
        match running.next().await? {
            ScriptEvent::Call { id, .. } => running.answer(id, "{}".to_owned()),
            ScriptEvent::Finished(result) => break result,
        }
    };
    ensure!(result.tool_calls_made as usize == ROUNDS, "{result:?}");
    if result.status != ScriptStatus::Success {
        bail!("{result:?}");
    }
    serde_json::from_str(&result.output).with_context(|| format!("output {:?}", result.output))
}

fn row(what: &str, medians: &Medians) -> Row {
    Row {
        what: what.to_owned(),
        figure: Figure::Time(Duration::from_nanos(medians.call)),
        baseline_name: "bare exchange",
        baseline: Figure::Time(Duration::from_nanos(medians.exchange)),
        limit: LIMIT,
    }
}

async fn container(bench: &Bench) -> anyhow::Result<DockerEnvironment> {
    let pairs = [
        ("HERMES_HOME", bench.folder.join("script-home").into_os_string()),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
    ];
    let host = HostEnvironment::from_pairs(pairs);
    let home = HomeRoot::find(&host)?.select(&Asked::Nothing)?;
    let terminal = Terminal {
        docker_image: IMAGE.to_owned(),
        docker_persist_across_processes: false,
        container_persistent: false,
        ..Terminal::default()
    };
    let plan = DockerPlan {
        home: &home,
        terminal: &terminal,
        host: &host,
        task: "bench-script",
        host_directory: None,
        account: HostAccount::own(),
        executor: ExecutorSource::Program(bench.hermes.clone()),
    };
    let started = DockerEnvironment::start(&plan.settings()?, &Arc::new(OrphanSweep::new())).await;
    Ok(started.with_context(|| format!("image {IMAGE} (scripts/python-image)"))?.0)
}
