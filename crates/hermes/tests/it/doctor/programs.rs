//! What the doctor says about programs that are missing, broken or hostile.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::machine::{Line, Machine, Report, run};
use crate::support::finish;
use crate::support::quiet;

#[test]
fn docker_that_answers_is_ok() {
    let machine = Machine::healthy();
    let docker = machine.programs.path().join("docker");
    let seen = format!("28.2.2 answers ({})", docker.display());
    assert_eq!(machine.line("docker"), (0, Line::new("ok", seen, None)));
}

#[test]
fn docker_is_asked_with_what_it_needs_to_find_its_daemon() {
    let machine = Machine::healthy();
    machine.program("docker", r#"echo "$* $DOCKER_HOST $SECRET" >&2; exit 1"#);
    let mut command = machine.command(&["doctor", "--json"]);
    command.env("DOCKER_HOST", "tcp://daemon:2376").env("SECRET", "sk-0123456789");
    let line = Report::of(&mut command).line("docker");
    assert!(line.seen.contains("version --format {{"), "{line:?}");
    assert!(line.seen.ends_with(" tcp://daemon:2376"), "{line:?}");
}

#[test]
fn docker_that_fails_gives_its_reason() {
    let check = |script: &str, said: &str, advice: &str| {
        let machine = Machine::healthy();
        let docker = machine.program("docker", script);
        let (code, line) = machine.line("docker");
        let seen = format!("installed ({}), but the daemon does not answer: {said}", docker.display());
        assert_eq!((code, line.status.as_str(), line.seen), (0, "warning", seen));
        assert!(line.advice.as_ref().unwrap().contains(advice), "{:?}", line.advice);
    };
    check("echo 28.2.2; echo 'Cannot connect' >&2; exit 1", "Cannot connect", "systemctl start docker");
    check("echo 'permission denied: docker.sock' >&2; exit 1", "permission denied: docker.sock", "usermod -aG docker");
    check("kill -9 $$", "ended by signal 9", "systemctl start docker");
}

#[test]
fn docker_that_is_absent_is_optional_and_podman_stands_in() {
    let machine = Machine::healthy();
    machine.without("docker");
    let (code, line) = machine.line("docker");
    assert_eq!((code, line.status.as_str()), (0, "warning"));
    assert_eq!(line.seen, "not installed: neither docker nor podman is in PATH");
    let podman = machine.program("podman", "echo 4.3.1");
    assert_eq!(machine.line("docker").1.seen, format!("4.3.1 answers ({})", podman.display()));
}

#[test]
fn the_named_docker_program_comes_before_those_in_path() {
    let machine = Machine::healthy();
    let other = machine.program("nerdctl", "echo 2.0.0");
    for (named, seen) in [
        (other.to_str().unwrap(), format!("2.0.0 answers ({})", other.display())),
        ("nerdctl", format!("2.0.0 answers ({})", other.display())),
        ("", format!("28.2.2 answers ({})", machine.programs.path().join("docker").display())),
        ("/no/such", "HERMES_DOCKER_BINARY names /no/such, which is no program".to_owned()),
    ] {
        let mut command = machine.command(&["doctor", "--json"]);
        let report = Report::of(command.env("HERMES_DOCKER_BINARY", named));
        assert_eq!((report.code, report.line("docker").seen), (0, seen));
    }
}

#[test]
fn programs_that_hang_are_ended_all_at_the_same_time() {
    let machine = Machine::healthy();
    let note = machine.programs.path().join("processes");
    for name in ["docker", "python3"] {
        machine.program(name, &format!("echo $$ >> {}; trap '' TERM; while :; do :; done", note.display()));
    }
    let started = Instant::now();
    let report = machine.report();
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(5) && took < Duration::from_secs(9), "{took:?}");
    let line = report.line("docker");
    assert!(line.seen.ends_with("but no answer within 5 s"), "{line:?}");
    assert!(line.advice.as_ref().unwrap().contains("the daemon hangs"), "{line:?}");
    assert!(report.line("python3").seen.ends_with("no answer within 5s, stopped"), "{report:?}");
    assert_eq!(report.code, 0);
    let processes = fs::read_to_string(note).unwrap();
    assert_eq!(processes.lines().count(), 2);
    for process in processes.lines() {
        assert!(!Path::new("/proc").join(process).exists(), "{process} is still there");
    }
}

#[test]
fn a_killed_doctor_takes_its_programs_along() {
    let machine = Machine::healthy();
    let fifo = machine.programs.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    symlink("/bin/sleep", machine.programs.path().join("sleep")).unwrap();
    machine.program("docker", &format!("echo $$ > {}; exec sleep 300", fifo.display()));
    let mut doctor = machine.command(&["doctor"]).spawn().unwrap();
    let mut process = String::new();
    BufReader::new(File::open(fifo).unwrap()).read_line(&mut process).unwrap();
    let docker = pidfd_open(Pid::from_raw(process.trim().parse().unwrap()).unwrap(), PidfdFlags::empty()).unwrap();
    doctor.kill().unwrap();
    doctor.wait().unwrap();
    let timeout = Timespec { tv_sec: 10, tv_nsec: 0 };
    let ended = poll(&mut [PollFd::new(&docker, PollFlags::IN)], Some(&timeout)).unwrap();
    assert_eq!(ended, 1, "docker outlived the doctor that asked it");
}

#[test]
fn python_is_a_warning_when_missing_old_or_broken() {
    let check = |script: Option<&str>, seen: &str| {
        let machine = Machine::healthy();
        match script {
            Some(script) => drop(machine.program("python3", script)),
            None => machine.without("python3"),
        }
        let (code, line) = machine.line("python3");
        assert_eq!((code, line.status.as_str()), (0, "warning"), "{line:?}");
        assert!(line.seen.contains(seen), "{line:?}");
        assert!(line.advice.as_ref().unwrap().starts_with("install Python 3.8 or newer"), "{line:?}");
    };
    check(None, "not found in PATH");
    check(Some("echo Python 3.7.17"), "3.7.17 is too old");
    check(Some("echo 'broken venv' >&2; exit 3"), "ended with exit code 3: broken venv");
    check(Some("echo hello"), "told no version, but: hello");
    let machine = Machine::healthy();
    machine.program("python3", "echo Python 3.8.0");
    assert_eq!(machine.line("python3").1.status, "ok");
}

#[test]
fn programs_cannot_wait_for_our_standard_input() {
    let machine = Machine::healthy();
    machine.program("python3", "read answer; echo Python 3.11.2");
    let mut doctor = machine.command(&["doctor", "--json"]).stdin(Stdio::piped()).spawn().unwrap();
    let open = doctor.stdin.take();
    let run = finish(doctor);
    drop(open);
    let report = Report { code: run.code, json: serde_json::from_str(&run.stdout).unwrap() };
    assert_eq!(report.line("python3").status, "ok", "{report:?}");
}

#[test]
fn a_parent_that_ignored_its_children_changes_nothing() {
    let machine = Machine::healthy();
    let mut command = quiet("/usr/bin/env");
    command.args(["--ignore-signal=CHLD", env!("CARGO_BIN_EXE_hermes"), "doctor", "--json"]);
    let report = Report::of(command.env("HERMES_HOME", machine.home()).env("PATH", machine.programs.path()));
    for program in ["bash", "python3", "docker"] {
        assert_eq!(report.line(program).status, "ok", "{report:?}");
    }
}

#[test]
fn without_bash_the_doctor_fails() {
    let machine = Machine::healthy();
    machine.without("bash");
    assert_eq!(machine.line("bash").0, 1);
    let run = run(&mut machine.command(&["doctor"]));
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{run:?}");
    assert!(
        run.stdout.contains("\nfailure  bash           not found in PATH\n         -> install bash"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.ends_with(", 1 failure\n"), "{}", run.stdout);
}
