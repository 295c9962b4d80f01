//! Several processes and one container: this test program started again, to compete and to be killed.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

use hermes_environment::docker::Origin;
use hermes_proto::HostEnvironment;

use super::support::{Place, docker, output, told};
use crate::support::quiet;

const PLACE: &str = "HERMES_TEST_PLACE";
const PROFILE: &str = "HERMES_TEST_PROFILE";
const TASK: &str = "HERMES_TEST_TASK";

/// A process that starts an environment, says so, waits for a line, and closes it.
struct Other {
    child: Child,
    lines: BufReader<std::process::ChildStderr>,
}

impl Other {
    fn start(place: &Place, task: &str) -> Self {
        let mut command = quiet(std::env::current_exe().unwrap());
        command.args(["--exact", "docker::processes::does_what_it_is_told", "--nocapture"]);
        command.env(PLACE, place.path()).env(PROFILE, &place.profile).env(TASK, task);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Waits until it says something that starts with this; answers the rest of the line.
    fn until(&mut self, word: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "it ended before it said {word}");
            if let Some(rest) = line.strip_prefix(word) {
                return rest.trim().to_owned();
            }
        }
    }

    fn finish(mut self) {
        writeln!(self.child.stdin.take().unwrap(), "go on").unwrap();
        self.until("closed");
        assert!(self.child.wait().unwrap().success());
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Not a test of its own: what the other processes do.
#[test]
fn does_what_it_is_told() {
    let host = HostEnvironment::capture();
    let (Some(path), Some(profile)) = (host.text(PLACE), host.text(PROFILE)) else { return };
    let place = Place::of_another(PathBuf::from(path), profile.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let environment = place.start(host.text(TASK).unwrap()).await;
        let shell = output(&environment, "echo mine > /workspace/$$; echo $$").await;
        eprintln!("origin {:?}", environment.origin().await.unwrap());
        eprintln!("ready {} {shell}", environment.container_id().await.unwrap());
        let mut line = String::new();
        let waiting = tokio::task::spawn_blocking(move || std::io::stdin().read_line(&mut line));
        tokio::select! {
            _ = waiting => {}
            _ = super::support::run(&environment, "exec -a left-behind sleep 1000") => {}
        }
        environment.close().await.unwrap();
        eprintln!("closed");
    });
}

/// Asks the engine again and again until it says yes.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = SystemTime::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(SystemTime::now() < deadline, "not within 20 s: {what}");
    }
}

fn runs_in(id: &str, name: &str) -> bool {
    let top = docker(&["top", id, "-o", "pid,args"]);
    String::from_utf8_lossy(&top.stdout).contains(name)
}

fn is_running(id: &str) -> bool {
    told(&["inspect", "--format", "{{.State.Running}}", id]) == "true"
}

#[test]
fn another_process_finds_the_container_again() {
    let place = Place::new();
    let mut first = Other::start(&place, "again");
    let ready = first.until("ready ");
    first.finish();
    let mut second = Other::start(&place, "again");
    assert_eq!(second.until("origin "), format!("{:?}", Origin::Started));
    let id = ready.split(' ').next().unwrap();
    assert!(second.until("ready ").starts_with(id));
    second.finish();
    assert_eq!(place.containers(), [id]);
    assert!(!is_running(id));
}

#[test]
fn processes_that_race_for_one_key_share_one_container() {
    let place = Place::new();
    let mut others: Vec<Other> = (0..4).map(|_| Other::start(&place, "race")).collect();
    let ids: Vec<String> =
        others.iter_mut().map(|other| other.until("ready ").split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(place.containers().len(), 1, "{ids:?}");
    let last = others.pop().unwrap();
    others.into_iter().for_each(Other::finish);
    assert!(is_running(&ids[0]), "the last one is still using it");
    last.finish();
    assert!(!is_running(&ids[0]));
}

#[test]
fn a_killed_process_leaves_no_command_behind_and_its_container_is_used_again_and_reaped() {
    let place = Place::new();
    let mut killed = Other::start(&place, "killed");
    let ready = killed.until("ready ");
    let id = ready.split(' ').next().unwrap();
    until("its command runs", || runs_in(id, "left-behind"));
    killed.kill();
    until("its command ends", || !runs_in(id, "left-behind"));
    assert!(is_running(id), "nobody was left to stop it");

    let mut second = Other::start(&place, "killed");
    assert_eq!(second.until("origin "), format!("{:?}", Origin::Attached));
    second.until("ready ");
    second.kill();

    // Nobody has used it for an hour: the next process of this home stops it.
    let leases = place.home().path().join("sandboxes/docker/killed/leases");
    let lease = std::fs::read_dir(leases).unwrap().next().unwrap().unwrap().path();
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    std::fs::File::options().write(true).open(lease).unwrap().set_modified(hour_ago).unwrap();
    let mut third = Other::start(&place, "other");
    third.until("ready ");
    until("it is stopped", || !is_running(id));
    third.finish();
}
