//! How much memory a command holds at its largest, against `/bin/cat`.
//!
//! A finished process no longer tells, and the kernel's own account of children
//! includes memory of the parent that forked them. So the program's standard output is
//! a full pipe: it stops in its last step, the answer, and can be looked at there.

use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use hermes_sandbox::process;
use rustix::pipe::{PipeFlags, pipe_with};

use super::Bench;
use super::start_up::{COMMANDS, populated_home};
use super::table::{Figure, Limit, Row};

const LIMIT: Limit = Limit::Bytes(10_000_000);
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let home = populated_home(&bench.folder)?;
    let baseline = peak(Path::new("/bin/cat"), &["/proc/self/stat"], &home)?;
    let row = |arguments: &&[&str]| {
        Ok(Row {
            what: format!("hermes {}", arguments.join(" ")),
            figure: Figure::Bytes(peak(&bench.hermes, arguments, &home)?),
            baseline_name: "/bin/cat",
            baseline: Figure::Bytes(baseline),
            limit: LIMIT,
        })
    };
    COMMANDS.iter().map(row).collect()
}

fn peak(program: &Path, arguments: &[&str], home: &Path) -> anyhow::Result<u64> {
    let (reader, writer) = full_pipe()?;
    let mut child = process::command(program)
        .args(arguments)
        .env("HERMES_HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::from(writer))
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("start {}", program.display()))?;
    let seen = wait_until_it_answers(&mut child);
    let mut rest = Vec::new();
    std::fs::File::from(reader).read_to_end(&mut rest).context("read the answer")?;
    let status = child.wait().context("wait for the program")?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    seen
}

/// A pipe with no room left; writing to it blocks.
pub(super) fn full_pipe() -> anyhow::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).context("make a pipe")?;
    let room = rustix::pipe::fcntl_getpipe_size(&writer).context("size of the pipe")?;
    let written = rustix::io::write(&writer, &vec![b'\n'; room]).context("fill the pipe")?;
    ensure!(written == room, "the pipe took {written} of {room} bytes");
    Ok((reader, writer))
}

/// The high-water mark of the program's resident memory once it is blocked in a write.
fn wait_until_it_answers(child: &mut Child) -> anyhow::Result<u64> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if is_answering(child.id())? {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
            return kibibytes(&status.context("read its status")?, "VmHWM:");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    bail!("it did not come to its answer within {PATIENCE:?}")
}

/// Whether one of its threads is blocked in a call on standard output.
pub(super) fn is_answering(process: u32) -> anyhow::Result<bool> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).context("list its threads")?;
    // "running" while it works; number and arguments of the call it is blocked in.
    let is_writing = |call: String| call.starts_with("1 0x1 ");
    Ok(tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("syscall")).ok()).any(is_writing))
}

/// A figure of the kernel's, in bytes.
pub(super) fn kibibytes(text: &str, name: &str) -> anyhow::Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).with_context(|| format!("no line {name}"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().with_context(|| format!("{name} {line:?}"))?;
    Ok(kibibytes * 1024)
}
