//! Commands in a container, against one `docker exec` per command, plain `docker run` and the local environment.
//!
//! Needs an engine and the image debian:bookworm-slim: `scripts/docker-engine start`, `scripts/base-image`.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hermes_environment::CommandText;
use hermes_environment::docker::{DockerEnvironment, DockerPlan, ExecutorSource, HostAccount, OrphanSweep};
use hermes_home::config::{Sandbox, Terminal};
use hermes_home::{Asked, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_proto::turn::TurnContext;

use super::Bench;
use super::place::{self, Place};
use super::start_up::{median, quiet, time};
use super::table::{Figure, Limit, Row};

const IMAGE: &str = "debian:bookworm-slim";
const WARM_ROUNDS: usize = 100;
const START_ROUNDS: usize = 15;
/// How many environments come and go before it is counted what is left of them.
const MANY: usize = 200;

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let containers = Containers::new(bench)?;
    let place = Place::new(bench)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut rows = warm(&containers, &place).await?;
        rows.push(fresh_start(&containers, &place).await?);
        rows.push(leftovers(&containers, &place, bench).await?);
        Ok(rows)
    })
}

/// Where container environments are made.
struct Containers {
    root: HomeRoot,
    host: HostEnvironment,
    hermes: std::path::PathBuf,
}

impl Containers {
    fn new(bench: &Bench) -> anyhow::Result<Self> {
        let home = bench.folder.join("docker-home");
        let pairs = [("HERMES_HOME", home.into_os_string()), ("PATH", "/usr/local/bin:/usr/bin:/bin".into())];
        let host = HostEnvironment::from_pairs(pairs);
        Ok(Self { root: HomeRoot::find(&host)?, host, hermes: bench.hermes.clone() })
    }

    /// A container of its own, removed at its end.
    async fn environment(&self, task: &str) -> anyhow::Result<DockerEnvironment> {
        let home = self.root.select(&Asked::Nothing)?;
        let terminal = Terminal {
            docker_image: IMAGE.to_owned(),
            docker_persist_across_processes: false,
            container_persistent: false,
            ..Terminal::default()
        };
        let plan = DockerPlan {
            home: &home,
            terminal: &terminal,
            host: &self.host,
            task,
            host_directory: None,
            account: HostAccount::own(),
            executor: ExecutorSource::Program(self.hermes.clone()),
        };
        let (environment, _) = DockerEnvironment::start(&plan.settings()?, &Arc::new(OrphanSweep::new())).await?;
        Ok(environment)
    }
}

async fn run(environment: &DockerEnvironment, turn: &TurnContext) -> anyhow::Result<()> {
    let permit = place::permit(turn, &environment.place(), CommandText::new("true"))?;
    let result = environment.run(turn, permit, &mut |_| ()).await?;
    anyhow::ensure!(result.exit_code == 0, "{result:?}");
    Ok(())
}

async fn warm(containers: &Containers, place: &Place) -> anyhow::Result<Vec<Row>> {
    let (inside, turn) = (containers.environment("bench-warm").await?, place.turn());
    let local = place.environment(Sandbox::Auto).await?;
    let id = inside.container_id().await.context("no container")?;
    let mut each = docker(&["exec", &id, "bash", "-c", "true"]);
    let (mut own, mut locals, mut execs) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..WARM_ROUNDS {
        let start = Instant::now();
        run(&inside, &turn).await?;
        own.push(start.elapsed());
        let start = Instant::now();
        place::run(&local, &turn, "true").await?;
        locals.push(start.elapsed());
        if round % 5 == 0 {
            execs.push(time(&mut each)?);
        }
    }
    inside.close().await?;
    local.close().await?;
    let row = |baseline_name, baseline: &mut [Duration], limit, own: &mut [Duration]| Row {
        what: "warm command in a container".to_owned(),
        figure: Figure::Time(median(own)),
        baseline_name,
        baseline: Figure::Time(median(baseline)),
        limit,
    };
    Ok(vec![
        row("docker exec", &mut execs, Limit::Ratio(0.05), &mut own),
        row("local", &mut locals, Limit::Ratio(2.0), &mut own),
    ])
}

async fn fresh_start(containers: &Containers, place: &Place) -> anyhow::Result<Row> {
    let turn = place.turn();
    let (mut own, mut plain) = (Vec::new(), Vec::new());
    for round in 0..START_ROUNDS {
        plain.push(time(&mut docker(&["run", "--rm", IMAGE, "bash", "-c", "true"]))?);
        let start = Instant::now();
        let environment = containers.environment(&format!("bench-start-{round}")).await?;
        run(&environment, &turn).await?;
        own.push(start.elapsed());
        environment.close().await?;
    }
    Ok(Row {
        what: "fresh container to first result".to_owned(),
        figure: Figure::Time(median(&mut own)),
        baseline_name: "docker run",
        baseline: Figure::Time(median(&mut plain)),
        limit: Limit::Ratio(1.2),
    })
}

/// Environments that end orderly, in the middle of a command, and by a killed container.
async fn leftovers(containers: &Containers, place: &Place, bench: &Bench) -> anyhow::Result<Row> {
    let before = traces(bench)?;
    for number in 0..MANY {
        let (environment, turn) = (containers.environment(&format!("bench-many-{number}")).await?, place.turn());
        match number % 3 {
            0 => run(&environment, &turn).await?,
            1 => {
                let text =
                    CommandText { timeout: Some(Duration::from_millis(1)), ..CommandText::new("sleep 60 & sleep 60") };
                let permit = place::permit(&turn, &environment.place(), text)?;
                environment.run(&turn, permit, &mut |_| ()).await?;
            }
            _ => {
                let id = environment.container_id().await.context("no container")?;
                time(&mut docker(&["kill", &id]))?;
            }
        }
        environment.close().await?;
    }
    Ok(Row {
        what: format!("left of {MANY} container environments"),
        figure: Figure::Count(traces(bench)?.saturating_sub(before)),
        baseline_name: "before",
        baseline: Figure::Count(before),
        limit: Limit::Count(0),
    })
}

/// Containers with our label, mounts of our folder, and processes of our program.
fn traces(bench: &Bench) -> anyhow::Result<u64> {
    let listed = docker(&["ps", "-aq", "--filter", "label=hermes-agent=1"])
        .stdout(std::process::Stdio::piped())
        .output()
        .context("docker ps")?;
    let folder = bench.folder.display().to_string();
    let mounts = std::fs::read_to_string("/proc/self/mounts").context("mounts")?;
    let processes = std::fs::read_dir("/proc")?.flatten().filter(|entry| {
        std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line.ends_with(b"hermes\0executor\0"))
    });
    let lines = |text: &str| text.lines().count() as u64;
    let mounted = mounts.lines().filter(|line| line.contains(&folder)).count() as u64;
    Ok(lines(&String::from_utf8_lossy(&listed.stdout)) + mounted + processes.count() as u64)
}

fn docker(arguments: &[&str]) -> Command {
    quiet(Path::new("docker"), arguments, Path::new("/"))
}
