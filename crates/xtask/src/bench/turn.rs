//! A one-shot with ten terminal calls, against the least that could do the same.
//!
//! The baseline is a bare loop that sends the same eleven requests to the same scripted server over one connection and starts
//! `bash -c` ten times: no store, no sandbox, no approval, no parsing. It is a program too, measured from its start to its end
//! as the other is. The original, on a machine of this kind, took 6.3 seconds and 119 MB for it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Args;
use hermes_sandbox::process;
use hermes_testkit::ModelServer;
use hermes_testkit::model_server::Script;

use super::http::Connection;
use super::resident::{full_pipe, is_answering, kibibytes};
use super::start_up::{LANGUAGE, PATH, median, quiet, time};
use super::table::{Figure, Limit, Row};
use super::{Bench, install};

const CALLS: usize = 10;
const ROUNDS: usize = 60;
/// What the original takes, and how much faster this has to be.
const ORIGINAL: Duration = Duration::from_millis(6_300);
const FASTER: u32 = 40;
const MEMORY: u64 = 30_000_000;
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let server = ModelServer::serve(Script::terminal_calls(CALLS, "true").with_models(["scripted"]));
    let home = bench.folder.join("turn-home");
    configure(&home, &server.openai_url())?;
    let one_shot = || {
        let mut command = quiet(&bench.hermes, &["-z", "go"], &home);
        command.current_dir(&bench.folder);
        command
    };
    time(&mut one_shot())?;
    let bodies: Vec<String> = server.requests().iter().map(|request| request.body.to_string()).collect();
    ensure!(bodies.len() == CALLS + 1, "a turn made {} requests instead of {}", bodies.len(), CALLS + 1);
    let script = bench.folder.join("turn-bodies.json");
    std::fs::write(&script, serde_json::to_vec(&bodies)?).with_context(|| format!("write {}", script.display()))?;
    let bare_loop = bench.folder.join("bare-loop");
    install(&std::env::current_exe().context("find this program")?, &bare_loop)?;
    let bare = || {
        let mut command = process::command(&bare_loop);
        command.arg("bare-turn").arg(server.openai_url()).arg(&script);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        command
    };
    let (mut subject, mut baseline) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        baseline.push(time(&mut bare())?);
        subject.push(time(&mut one_shot())?);
    }
    let taken = median(&mut subject);
    let memory = tree_memory(one_shot())?;
    ensure!(server.forgive().is_empty(), "a request broke the provider's schema");
    let row = |what: &str, figure, baseline_name, baseline, limit| Row {
        what: what.to_owned(),
        figure,
        baseline_name,
        baseline,
        limit,
    };
    Ok(vec![
        row(
            "turn of 10 commands",
            Figure::Time(taken),
            "bare loop",
            Figure::Time(median(&mut baseline)),
            Limit::Ratio(2.0),
        ),
        row("the same, original", Figure::Time(taken), "noted", Figure::Time(ORIGINAL), Limit::Time(ORIGINAL / FASTER)),
        row(
            "its memory, all processes",
            Figure::Bytes(memory),
            "original noted",
            Figure::Bytes(119_000_000),
            Limit::Bytes(MEMORY),
        ),
    ])
}

fn configure(home: &Path, url: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(home).with_context(|| format!("create {}", home.display()))?;
    let text = format!(
        "model:\n  default: scripted\n  provider: bench\nproviders:\n  bench:\n    base_url: {url}\n    api_key: none\n"
    );
    let path = home.join("config.yaml");
    std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))
}

/// The same requests and as many shells, and nothing else.
#[derive(Debug, Args)]
pub(crate) struct BareTurn {
    /// The model server
    url: String,
    /// The bodies of the requests, as a JSON list of texts
    bodies: PathBuf,
}

impl BareTurn {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let text = std::fs::read(&self.bodies).with_context(|| format!("read {}", self.bodies.display()))?;
        let bodies: Vec<String> = serde_json::from_slice(&text).context("read the bodies")?;
        bare_requests(&self.url, &bodies, |index| index < CALLS)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Sends these requests over one connection, and starts a shell after those for which one is asked.
pub(super) fn bare_requests(url: &str, bodies: &[String], has_shell: impl Fn(usize) -> bool) -> anyhow::Result<()> {
    let address = url.strip_prefix("http://").context("an http address")?;
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let path = format!("/{path}/chat/completions");
    let mut connection = Connection::open(host)?;
    for (index, body) in bodies.iter().enumerate() {
        let answer = connection.post(&path, &[("Authorization", "Bearer none")], body)?;
        ensure!(answer.status == 200, "the model server answered {}", answer.status);
        if has_shell(index) {
            let mut shell = process::command("/bin/bash");
            shell.env("PATH", PATH).env("LANG", LANGUAGE);
            shell.args(["-c", "true"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            ensure!(shell.status().context("start bash")?.success(), "bash failed");
        }
    }
    Ok(())
}

/// What the program and everything it started take together, at its answer: a page that several of them share is counted once.
fn tree_memory(mut command: Command) -> anyhow::Result<u64> {
    let (reader, writer) = full_pipe()?;
    let mut child = command.stdout(Stdio::from(writer)).spawn().context("start the program")?;
    // It holds the writing end, without whose end there is none for the reader.
    drop(command);
    let start = Instant::now();
    while !is_answering(child.id())? {
        ensure!(start.elapsed() < PATIENCE, "it did not come to its answer within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut memory = 0;
    for process in tree(child.id()) {
        memory += share(process).with_context(|| format!("look at process {process}"))?;
    }
    std::fs::File::from(reader).read_to_end(&mut Vec::new()).context("read the answer")?;
    ensure!(child.wait().context("wait for the program")?.success(), "the program failed");
    Ok(memory)
}

/// A process's share of what it has in memory, and what it had more at its highest.
fn share(process: u32) -> anyhow::Result<u64> {
    let sums = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).context("read its mappings")?;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).context("read its status")?;
    let above_now = kibibytes(&status, "VmHWM:")?.saturating_sub(kibibytes(&status, "VmRSS:")?);
    Ok(kibibytes(&sums, "Pss:")? + above_now)
}

/// A process and all its descendants.
fn tree(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect();
    std::iter::once(process).chain(children.into_iter().flat_map(tree)).collect()
}
