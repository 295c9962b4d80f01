//! `hermes exec`, with real shells in the real sandbox.

mod command;
mod endings;
mod holder;
mod idle;
mod load;
mod permits;
mod sessions;
mod unreachable;
mod wire;

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Run, Sandbox, finish};

/// Longer than anything here takes, so that a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// A home, and a folder beside it where commands run.
struct Place {
    sandbox: Sandbox,
}

impl Place {
    fn new() -> Self {
        let place = Self { sandbox: Sandbox::new() };
        std::fs::create_dir_all(place.workspace()).unwrap();
        std::fs::create_dir(place.sandbox.home()).unwrap();
        crate::support::set_mode(place.sandbox.home(), 0o700);
        place
    }

    fn configured(config: &str) -> Self {
        let place = Self::new();
        place.sandbox.write("config.yaml", config);
        place
    }

    /// Where commands run unless a test says otherwise.
    fn workspace(&self) -> PathBuf {
        self.beside("work")
    }

    /// A path beside the home.
    fn beside(&self, name: &str) -> PathBuf {
        self.sandbox.home().with_file_name(name)
    }

    /// `hermes exec` in the workspace.
    fn exec(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command([&["exec"], arguments].concat());
        command.current_dir(self.workspace());
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        finish(self.exec(arguments).spawn().unwrap())
    }

    /// Runs shell text that must succeed; answers its output.
    fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
        run.stdout
    }

    /// Runs shell text in a session.
    fn in_session(&self, key: &str, text: &str) -> String {
        self.ok(&["--session", key, "-c", text])
    }

    fn check(&self, code: i32, arguments: &[&str], stderr: &str) {
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {run:?}");
        assert!(run.stderr.contains(stderr), "{arguments:?}: {run:?}");
    }
}

/// A running `hermes exec --serve`; killed when dropped.
struct Server {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Server {
    fn start(place: &Place) -> Self {
        Self::spawn(place.exec(&["--serve"]))
    }

    /// Returns when it says that it is ready.
    fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let server = Self { child, stderr };
        assert!(line.contains("holding sessions at") && line.contains(&server.pid().to_string()), "{line:?}");
        server
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it with this signal; its exit code and what it said.
    fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        send(&self.child, signal);
        let status = self.child.wait().unwrap();
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (status.code(), said)
    }

    /// The executors it has, one per session.
    fn executors(&self) -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
        let children = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("children")).unwrap());
        children.flat_map(|list| list.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>()).collect()
    }

    /// Kilobytes of memory it uses.
    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// A text that no process has in its environment but those a test marks with it.
fn marker(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

/// Whether a process runs that has this in its environment, in whatever sandbox.
fn is_marked_process_there(marker: &str) -> bool {
    let is_marked = |environment: Vec<u8>| String::from_utf8_lossy(&environment).contains(marker);
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    // Processes end while they are listed.
    entries.filter_map(|entry| std::fs::read(entry.path().join("environ")).ok()).any(is_marked)
}

/// Waits for something that nobody announces.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "{what}: still not");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The first line that a started program prints.
fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    let mut byte = [0];
    let output = child.stdout.as_mut().unwrap();
    while output.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
        line.push(byte[0].into());
    }
    line
}

/// What was said besides which layers this machine does not have.
fn said(stderr: &str) -> String {
    stderr.split_inclusive('\n').filter(|line| !line.starts_with("note: no ")).collect()
}

/// Started with an input that the test writes.
fn piped(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).spawn().unwrap()
}
