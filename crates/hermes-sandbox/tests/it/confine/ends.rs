//! Nothing outlives a confinement, and its end is told as it was.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

use super::support::{FULL, Namespaces, Report, Scene, User, variants};

#[test]
fn the_exit_code_comes_out() {
    for variant in variants() {
        let scene = Scene::new(variant);
        assert_eq!(scene.bash("exit 7").code, 7, "{variant:?}");
        assert_eq!(scene.bash("exit 0").code, 0, "{variant:?}");
    }
}

/// Numbers, as the host sees them, of everything below a process.
fn descendants(process: i32) -> Vec<i32> {
    let listed = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    let children: Vec<i32> = listed.split_whitespace().map(|word| word.parse().unwrap()).collect();
    children.iter().flat_map(|child| std::iter::once(*child).chain(descendants(*child))).collect()
}

fn await_end(process: i32) {
    let Ok(pidfd) = pidfd_open(Pid::from_raw(process).unwrap(), PidfdFlags::empty()) else { return };
    let timeout = Timespec { tv_sec: 10, tv_nsec: 0 };
    let ended = poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&timeout)).unwrap();
    assert_eq!(ended, 1, "process {process} is still running");
}

/// Starts processes inside that do their best to stay, and ends the outer one by `signal`.
fn all_end_with_the_outer(signal: Signal, wanted: Namespaces) {
    for variant in variants().into_iter().filter(|variant| variant.namespaces == wanted) {
        let scene = Scene::new(variant);
        let script = "trap '' TERM HUP INT; setsid sleep 300 & (setsid sleep 300 &) ; echo started; wait";
        let mut child = scene.start(&["/bin/bash", "-c", script], Report::Unwanted);
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "started\n", "{variant:?}");
        let outer = i32::try_from(child.id()).unwrap();
        let inside = descendants(outer);
        assert!(inside.len() >= 3, "{variant:?}: {inside:?}");
        kill_process(Pid::from_raw(outer).unwrap(), signal).unwrap();
        child.wait().unwrap();
        inside.into_iter().for_each(await_end);
    }
}

#[test]
fn everything_inside_ends_when_the_outer_process_is_killed() {
    all_end_with_the_outer(Signal::KILL, Namespaces::There);
}

#[test]
fn everything_inside_ends_when_the_outer_process_is_asked_to_end() {
    all_end_with_the_outer(Signal::TERM, Namespaces::There);
    all_end_with_the_outer(Signal::TERM, Namespaces::Refused);
}

#[test]
fn what_was_left_behind_ends_with_the_confinement() {
    for variant in variants() {
        let scene = Scene::new(variant);
        let note = scene.path("home/workspace/left");
        // The sleeping one tells by closing the pipe that it is gone.
        let run = scene.bash("(setsid sleep 300 >&2 &); echo $$ > left");
        assert_eq!(run.code, 0, "{variant:?}: {}", run.stderr);
        assert!(note.exists());
    }
}

/// Folders of groups that belong to this process.
fn groups_of(process: i32) -> usize {
    let of_process = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let name = format!("hermes-{process}-");
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&name)).count()
    };
    let below: Vec<_> = fs::read_dir("/sys/fs/cgroup").into_iter().flatten().flatten().collect();
    below.iter().map(|entry| of_process(&entry.path())).sum::<usize>() + of_process(Path::new("/sys/fs/cgroup"))
}

#[test]
fn no_control_group_is_left_and_those_of_the_dead_are_swept() {
    let scene = Scene::new(FULL);
    assert_eq!(FULL.user, User::Ours);
    let mut child = scene.start(&["/bin/cat", "/proc/self/cgroup"], Report::Unwanted);
    let process = i32::try_from(child.id()).unwrap();
    child.wait().unwrap();
    assert_eq!(groups_of(process), 0);

    let mut child = scene.start(&["/bin/bash", "-c", "echo started; sleep 300"], Report::Unwanted);
    let process = i32::try_from(child.id()).unwrap();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let inside = descendants(process);
    kill_process(Pid::from_raw(process).unwrap(), Signal::KILL).unwrap();
    inside.into_iter().for_each(await_end);
    child.wait().unwrap();
    assert_eq!(scene.bash("true").code, 0);
    assert_eq!(groups_of(process), 0, "swept by the next one");
}
