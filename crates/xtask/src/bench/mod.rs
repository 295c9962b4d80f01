//! `cargo xtask bench`: figures as ratios against a baseline of the same run.
//!
//! A bare number says more about the machine and its load than about the code, so
//! subject and baseline are measured alternately, in one process, and compared.

mod audit;
mod busy_sessions;
mod confined_start;
mod container;
mod docker;
mod gateway;
mod http;
mod idle_sessions;
mod output;
mod place;
mod resident;
mod script_call;
mod start_up;
mod table;
mod turn;
mod verdict;
mod warm_command;

use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use cargo_metadata::MetadataCommand;
use clap::Args;

use self::table::Row;
pub(crate) use self::turn::BareTurn;

#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// Run only the benchmarks whose name contains this text
    filter: Option<String>,
}

/// What a benchmark works on.
#[derive(Debug)]
struct Bench {
    /// The release build of the program, as somebody would install it.
    hermes: PathBuf,
    /// A folder of its own, removed at the end.
    folder: PathBuf,
}

type Benchmark = (&'static str, fn(&Bench) -> anyhow::Result<Vec<Row>>);

/// Every benchmark. A new one is a file and a line here.
const ALL: &[Benchmark] = &[
    ("start-up time", start_up::measure),
    ("resident memory", resident::measure),
    ("warm command", warm_command::measure),
    ("confined start", confined_start::measure),
    ("output", output::measure),
    ("busy sessions", busy_sessions::measure),
    ("idle sessions", idle_sessions::measure),
    ("docker", docker::measure),
    ("container", container::measure),
    ("script call", script_call::measure),
    ("verdict", verdict::measure),
    ("audit", audit::measure),
    ("turn", turn::measure),
    ("gateway throughput", gateway::throughput),
    ("gateway crowd", gateway::crowd),
    ("gateway identity", gateway::identity),
    ("gateway kills", gateway::killed),
];

pub(crate) fn run(typed: &Typed) -> anyhow::Result<ExitCode> {
    let built = build()?;
    let folder = std::env::temp_dir().join(format!("hermes-bench-{}", std::process::id()));
    std::fs::create_dir(&folder).with_context(|| format!("create {}", folder.display()))?;
    let bench = Bench { hermes: folder.join("hermes"), folder };
    let measured =
        install(&built, &bench.hermes).and_then(|()| measure_all(&bench, typed.filter.as_deref().unwrap_or_default()));
    std::fs::remove_dir_all(&bench.folder).with_context(|| format!("remove {}", bench.folder.display()))?;
    let rows = measured?;
    ensure!(!rows.is_empty(), "no benchmark's name contains {:?}", typed.filter.as_deref().unwrap_or_default());
    table::print(&rows);
    Ok(if rows.iter().all(Row::is_within_its_limit) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure_all(bench: &Bench, filter: &str) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, measure) in ALL.iter().filter(|(name, _)| name.contains(filter)) {
        rows.extend(measure(bench).with_context(|| format!("benchmark {name}"))?);
    }
    Ok(rows)
}

/// Builds the program as it is shipped and answers where it is.
fn build() -> anyhow::Result<PathBuf> {
    let metadata = MetadataCommand::new().no_deps().exec().context("cargo metadata")?;
    let status = inherit(Path::new("cargo"))
        .args(["build", "--quiet", "--release", "--package", "hermes"])
        .current_dir(&metadata.workspace_root)
        .status()
        .context("start cargo")?;
    ensure!(status.success(), "cargo build --release --package hermes ended with {status}");
    // xtask itself is a release build of the same target folder.
    let own = std::env::current_exe().context("own path")?;
    let built = own.with_file_name("hermes");
    ensure!(built.is_file(), "{} was not built; run this as `cargo xtask bench`", built.display());
    Ok(built)
}

/// Pieces in which archives and images are unpacked.
const PIECE: usize = 32 << 10;

/// Puts a program where it is run from, as an installation does. A linker writes through a mapping, which leaves its file in memory page
/// by page; a file that was unpacked lies there in larger pieces, and starts faster.
fn install(program: &Path, place: &Path) -> anyhow::Result<()> {
    let bytes = std::fs::read(program).with_context(|| format!("read {}", program.display()))?;
    let mut file = File::create(place).with_context(|| format!("create {}", place.display()))?;
    let mut pieces = bytes.chunks(PIECE);
    pieces.try_for_each(|piece| file.write_all(piece)).with_context(|| format!("write {}", place.display()))?;
    file.set_permissions(Permissions::from_mode(0o755)).with_context(|| format!("chmod {}", place.display()))
}

/// A program that sees this process's environment.
#[expect(clippy::disallowed_methods, reason = "cargo needs the environment it was itself started with")]
fn inherit(program: &Path) -> std::process::Command {
    let mut command = hermes_sandbox::process::command(program);
    command.envs(std::env::vars_os());
    command
}
