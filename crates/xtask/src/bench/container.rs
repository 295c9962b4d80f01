//! The container image: what it adds to its base, how soon it answers, and how soon gateways are there.
//!
//! Needs an engine and the image debian:bookworm-slim: `scripts/docker-engine start`, `scripts/base-image`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use super::Bench;
use super::start_up::{median, quiet, time};
use super::table::{Figure, Limit, Row};

const BASE: &str = "debian:bookworm-slim";
const RUNS: usize = 15;
const CRASHES: usize = 3;
const PROFILES: usize = 20;
const LARGEST: Limit = Limit::Bytes(90_000_000);
const BACK: Limit = Limit::Time(Duration::from_secs(2));

/// Kills the gateway, then asks until the next one answers; prints the seconds it took.
const CRASH: &str = r#"
import json, os, signal, socket, time
def ask():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("/opt/data/gateway.sock")
        s.sendall(b'{"do":"status"}\n')
        return s.recv(1) != b""
os.kill(json.load(open("/opt/data/gateway.pid"))["pid"], signal.SIGKILL)
begun = time.monotonic()
while True:
    try:
        if ask(): break
    except OSError:
        pass
    time.sleep(0.002)
print(time.monotonic() - begun)
"#;

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let image = Image::build(bench)?;
    Ok(vec![image.size()?, image.answer()?, image.crash()?, image.boot()?])
}

/// The image around the release build, removed at the end.
struct Image {
    tag: String,
}

/// A container with a volume of its own, both removed at the end.
struct Container {
    id: String,
}

impl Image {
    fn build(bench: &Bench) -> anyhow::Result<Self> {
        let tag = format!("hermes-bench:{}", std::process::id());
        let status = super::inherit(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/build-image")))
            .args(["--tag", &tag, "--binary"])
            .arg(&bench.hermes)
            .stdout(Stdio::null())
            .status()
            .context("scripts/build-image")?;
        ensure!(status.success(), "scripts/build-image ended with {status}");
        Ok(Self { tag })
    }

    fn size(&self) -> anyhow::Result<Row> {
        let size = |image: &str| -> anyhow::Result<u64> {
            Ok(said(&["image", "inspect", "--format", "{{.Size}}", image])?.parse()?)
        };
        let base = size(BASE)?;
        Ok(Row {
            what: "image, above its base".to_owned(),
            figure: Figure::Bytes(size(&self.tag)?.saturating_sub(base)),
            baseline_name: "the base",
            baseline: Figure::Bytes(base),
            limit: LARGEST,
        })
    }

    fn answer(&self) -> anyhow::Result<Row> {
        let (mut own, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            plain.push(time(&mut docker(&["run", "--rm", BASE, "true"]))?);
            own.push(time(&mut docker(&["run", "--rm", &self.tag, "--version"]))?);
        }
        Ok(Row {
            what: "docker run IMAGE --version".to_owned(),
            figure: Figure::Time(median(&mut own)),
            baseline_name: "docker run base true",
            baseline: Figure::Time(median(&mut plain)),
            limit: Limit::Ratio(1.5),
        })
    }

    fn crash(&self) -> anyhow::Result<Row> {
        let container = Container::start(&self.tag)?;
        container.exec(&["hermes", "gateway", "start"])?;
        container.wait("test -S /opt/data/gateway.sock")?;
        let mut back = Vec::new();
        for _ in 0..CRASHES {
            let seconds: f64 = container.exec(&["python3", "-c", CRASH])?.parse()?;
            back.push(Duration::from_secs_f64(seconds));
        }
        Ok(Row {
            what: "crashed gateway to its next answer".to_owned(),
            figure: Figure::Time(median(&mut back)),
            baseline_name: "s6's least pause",
            baseline: Figure::Time(Duration::from_secs(1)),
            limit: BACK,
        })
    }

    fn boot(&self) -> anyhow::Result<Row> {
        let container = Container::start(&self.tag)?;
        let empty = container.boot()?;
        let create = format!("for n in $(seq {PROFILES}); do hermes profile create p$n 2>/dev/null || exit 1; done");
        container.exec(&["sh", "-c", &create])?;
        let full = container.boot()?;
        let slots = container.exec(&["hermes", "container", "slot", "list"])?.lines().count();
        ensure!(slots == PROFILES + 1, "{slots} slots");
        Ok(Row {
            what: format!("boot to slots of {PROFILES} profiles"),
            figure: Figure::Time(full),
            baseline_name: "boot, no profiles",
            baseline: Figure::Time(empty),
            limit: BACK,
        })
    }
}

impl Container {
    fn start(image: &str) -> anyhow::Result<Self> {
        let container = Self { id: said(&["run", "-d", image, "sleep", "infinity"])? };
        container.wait_for_boot()?;
        Ok(container)
    }

    fn exec(&self, words: &[&str]) -> anyhow::Result<String> {
        let head = ["exec", "-u", "hermes", &self.id];
        said(&head.into_iter().chain(words.iter().copied()).collect::<Vec<_>>())
    }

    /// Waits until a shell's test is true, inside: what is outside only adds its own time.
    fn wait(&self, test: &str) -> anyhow::Result<()> {
        self.exec(&["timeout", "60", "sh", "-c", &format!("until {test}; do sleep 0.01; done")]).map(drop)
    }

    fn wait_for_boot(&self) -> anyhow::Result<()> {
        self.wait("grep -qs profile=default /opt/data/logs/container-boot.log")
    }

    /// Restarts it; how long it took from the start of the first process to the last line about a slot.
    fn boot(&self) -> anyhow::Result<Duration> {
        self.exec(&["sh", "-c", ": >/opt/data/logs/container-boot.log"])?;
        said(&["restart", &self.id])?;
        self.wait_for_boot()?;
        let told = self.exec(&["stat", "-c", "%.9Y", "/opt/data/logs/container-boot.log"])?.parse::<f64>()?;
        let begun = said(&["inspect", "--format", "{{.State.StartedAt}}", &self.id])?;
        let begun = self.exec(&["date", "-d", &begun, "+%s.%N"])?.parse::<f64>()?;
        Ok(Duration::from_secs_f64((told - begun).max(0.0)))
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = said(&["rm", "-f", "-v", &self.id]);
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let _ = said(&["rmi", &self.tag]);
    }
}

/// What the client printed, of a command that must succeed.
fn said(arguments: &[&str]) -> anyhow::Result<String> {
    let output = docker(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).output().context("docker")?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "docker {}: {told}", arguments.join(" "));
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn docker(arguments: &[&str]) -> Command {
    quiet(Path::new("docker"), arguments, Path::new("/"))
}
