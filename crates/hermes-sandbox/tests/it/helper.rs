//! Helper programs that misbehave on purpose.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hermes_proto::Explain;
use hermes_sandbox::process::{Ending, Helper, HelperError, HelperOutcome};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

const PATH: (&str, &str) = ("PATH", "/usr/local/bin:/usr/bin:/bin");
/// Long enough that a test that waits for it has failed.
const FOREVER: &str = "300";

fn shell(script: &str) -> Helper {
    Helper::new("/bin/sh").args(["-c", script]).environment([PATH])
}

fn ok(helper: &Helper) -> HelperOutcome {
    helper.run().unwrap_or_else(|error| panic!("{error}"))
}

fn text(helper: &Helper) -> String {
    ok(helper).standard_output.text()
}

/// Runs a helper that must be stopped, and says how long that took.
fn stopped(helper: &Helper, limit: Duration) -> Duration {
    let started = Instant::now();
    let error = helper.clone().time_limit(limit).run().unwrap_err();
    assert!(matches!(error, HelperError::TimedOut { limit: told, .. } if told == limit), "{error}");
    started.elapsed()
}

fn is_running(process: &str) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    // The state follows the name, which ends at the last parenthesis.
    !status.rsplit(')').next().unwrap().trim_start().starts_with(['Z', 'X'])
}

/// Waits until a process that is not our child is gone.
fn await_end(process: &str) {
    let id = Pid::from_raw(process.trim().parse().unwrap()).unwrap();
    let Ok(pidfd) = pidfd_open(id, PidfdFlags::empty()) else { return };
    let timeout = Timespec { tv_sec: 10, tv_nsec: 0 };
    let ended = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&timeout)).unwrap();
    assert_eq!(ended, 1, "process {process} is still running");
}

fn executable(folder: &Path, name: &str, content: &str, mode: u32) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, content).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    file
}

#[test]
fn both_outputs_are_captured() {
    let outcome = ok(&shell("echo out; echo err >&2"));
    assert_eq!(outcome.standard_output.bytes, b"out\n");
    assert_eq!(outcome.standard_error.bytes, b"err\n");
}

#[test]
fn the_environment_is_only_what_was_given() {
    let helper = Helper::new("env").environment([PATH, ("NAME", "old"), ("NAME", "value")]);
    let mut lines: Vec<_> = text(&helper).lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["NAME=value", "PATH=/usr/local/bin:/usr/bin:/bin"]);
}

#[test]
fn it_reads_nothing_and_has_a_session_of_its_own() {
    assert_eq!(text(&shell("cat; echo end")), "end");
    let stat = text(&Helper::new("/bin/cat").args(["/proc/self/stat"]));
    let numbers: Vec<_> = stat.split(' ').collect();
    let (process, group, session) = (numbers[0], numbers[4], numbers[5]);
    assert_eq!((group, session), (process, process));
}

#[test]
fn a_descriptor_that_we_were_started_with_is_not_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("inherited-descriptor")).unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let seen = text(&shell("ls -l /proc/self/fd"));
    assert!(seen.contains("/dev/null"), "{seen}");
    assert!(!seen.contains("inherited-descriptor"), "{seen}");
}

#[test]
fn a_flood_costs_no_memory_and_is_counted() {
    const FLOOD: u64 = 100_000_000;
    let helper = shell(&format!("head -c {FLOOD} /dev/zero; head -c {FLOOD} /dev/zero >&2")).output_limit(1000);
    let before = peak_memory();
    let outcome = ok(&helper.time_limit(Duration::from_secs(60)));
    for captured in [outcome.standard_output, outcome.standard_error] {
        assert_eq!(captured.bytes.len(), 1000);
        assert_eq!(captured.dropped, FLOOD - 1000);
    }
    let grown = peak_memory() - before;
    assert!(grown < 8 * 1024, "grew by {grown} KiB");
}

/// The most memory this process ever had, in KiB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn an_endless_flood_is_stopped_at_the_time_limit() {
    let took = stopped(&shell("yes"), Duration::from_millis(200));
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn one_that_ignores_the_polite_signal_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("processes");
    let script = format!("trap '' TERM; sleep {FOREVER} & echo $$ $! > {}; while :; do wait; done", note.display());
    let took = stopped(&shell(&script), Duration::from_millis(500));
    assert!(took < Duration::from_secs(5), "{took:?}");
    let noted = fs::read_to_string(note).unwrap();
    let processes: Vec<_> = noted.split_whitespace().collect();
    assert_eq!(processes.len(), 2, "{noted}");
    assert!(!is_running(processes[0]), "the program itself");
    await_end(processes[1]);
}

#[test]
fn one_that_obeys_the_polite_signal_may_tidy_up() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("tidied");
    let script = format!("trap 'echo yes > {}; exit' TERM; sleep {FOREVER} & wait", note.display());
    stopped(&shell(&script), Duration::from_millis(500));
    assert_eq!(fs::read_to_string(note).unwrap(), "yes\n");
}

#[test]
fn a_child_left_behind_neither_delays_the_answer_nor_stays() {
    let started = Instant::now();
    let left = text(&shell(&format!("sleep {FOREVER} & echo $!")));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    await_end(&left);
}

#[test]
fn one_that_fled_into_another_session_with_the_pipe_does_not_delay_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "mkfifo {fifo}; setsid sh -c 'echo $$ > {fifo}; exec sleep {FOREVER}' & read fled < {fifo}; echo $fled",
        fifo = folder.path().join("fifo").display()
    );
    let started = Instant::now();
    let fled = text(&shell(&script));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(is_running(&fled), "it was out of reach, which is what this test is about");
    kill_process(Pid::from_raw(fled.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn one_that_fled_and_floods_the_pipe_does_not_delay_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "mkfifo {fifo}; \
         setsid sh -c 'for i in 1 2 3 4; do cat /dev/zero & done; echo fled > {fifo}; wait' & \
         read fled < {fifo}; exit 3",
        fifo = folder.path().join("fifo").display()
    );
    let started = Instant::now();
    let error = shell(&script).run().unwrap_err();
    assert!(matches!(error, HelperError::Failed { ending: Ending::Code(3), .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_failure_says_how_it_ended_and_what_it_said() {
    let check = |script: &str, expected: &str| {
        assert_eq!(shell(script).run().unwrap_err().to_string(), expected);
    };
    check("exit 7", "/bin/sh: ended with exit code 7");
    check("echo; echo no luck >&2; echo more >&2; exit 1", "/bin/sh: ended with exit code 1: no luck");
    check("kill -SEGV $$", "/bin/sh: ended by signal 11");
    let error = shell("echo partial; kill -KILL $$").run().unwrap_err();
    let HelperError::Failed { ending: Ending::Signal(9), outcome, .. } = error else { panic!("{error}") };
    assert_eq!(outcome.standard_output.text(), "partial");
}

#[test]
fn one_that_is_not_there_is_not_found() {
    for helper in [
        Helper::new("hermes-no-such-program").environment([PATH]),
        Helper::new("sh"),
        Helper::new("/no/such/program"),
        Helper::new("").environment([PATH]),
    ] {
        let error = helper.run().unwrap_err();
        assert!(matches!(error, HelperError::NotFound { .. }), "{helper:?}: {error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn one_that_cannot_be_executed_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let plain = executable(folder.path(), "plain", "#!/bin/sh\n", 0o644);
    let orphan = executable(folder.path(), "orphan", "#!/no/such/interpreter\n", 0o755);
    for file in [plain, orphan, folder.path().to_owned()] {
        let error = Helper::new(&file).run().unwrap_err();
        assert!(matches!(error, HelperError::NotExecutable { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("{}: cannot be executed", file.display())), "{error}");
    }
}

#[test]
fn one_with_an_impossible_argument_is_not_started() {
    let error = Helper::new("/bin/echo").args(["a\0b"]).run().unwrap_err();
    let HelperError::Start { source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn many_threads_get_their_own_answers() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for round in 0..5 {
                    let expected = format!("{thread}-{round}");
                    assert_eq!(text(&shell(&format!("echo {expected}"))), expected);
                }
            });
        }
    });
}
