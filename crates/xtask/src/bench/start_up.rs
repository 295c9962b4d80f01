//! How long a command takes from its start to its end, against `/bin/true`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use hermes_sandbox::process;

use super::Bench;
use super::table::{Figure, Limit, Row};

const ROUNDS: usize = 400;
const LIMIT: Limit = Limit::Ratio(3.0);

/// Commands that people and scripts call most, with nothing to wait for.
pub(super) const COMMANDS: &[&[&str]] = &[&["--version"], &["config", "get", "model.default"]];

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    COMMANDS.iter().map(|arguments| compare(bench, arguments)).collect()
}

fn compare(bench: &Bench, arguments: &[&str]) -> anyhow::Result<Row> {
    let home = populated_home(&bench.folder)?;
    let mut baseline = quiet(Path::new("/bin/true"), &[], &home);
    let mut subject = quiet(&bench.hermes, arguments, &home);
    let (mut baseline_times, mut subject_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        baseline_times.push(time(&mut baseline)?);
        subject_times.push(time(&mut subject)?);
    }
    Ok(Row {
        what: format!("hermes {}", arguments.join(" ")),
        figure: Figure::Time(median(&mut subject_times)),
        baseline_name: "/bin/true",
        baseline: Figure::Time(median(&mut baseline_times)),
        limit: LIMIT,
    })
}

/// A home as people have it: a configuration file of some length, and a model in it.
pub(super) fn populated_home(folder: &Path) -> anyhow::Result<std::path::PathBuf> {
    let home = folder.join("home");
    std::fs::create_dir_all(&home).with_context(|| format!("create {}", home.display()))?;
    let mut text = String::from("# my settings\nmodel:\n  default: example/model\n  provider: auto\nterminal:\n");
    for number in 0..100 {
        text.push_str(&format!("  # about setting {number}\n  setting_{number}: value {number}\n"));
    }
    let path = home.join("config.yaml");
    std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    Ok(home)
}

/// Both programs are started the same way: same environment, no input, no output.
pub(super) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// What a shell reads at its start depends on it, and hardly a machine is without one.
pub(super) const LANGUAGE: &str = "C.UTF-8";

pub(super) fn quiet(program: &Path, arguments: &[&str], home: &Path) -> Command {
    let mut command = process::command(program);
    command.args(arguments).env("HERMES_HOME", home).env("PATH", PATH).env("LANG", LANGUAGE);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub(super) fn time(command: &mut Command) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let status = command.status().with_context(|| format!("start {command:?}"))?;
    let taken = start.elapsed();
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(taken)
}

pub(super) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
