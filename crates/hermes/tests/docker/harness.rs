//! Containers of a test: named after it, removed with it.

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use hermes_proto::HostEnvironment;

use crate::image::image;

/// For whatever the container does by itself. Long, because other tests run beside.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// What a command left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Its standard output, of a command that must have succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    /// Both outputs.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code().unwrap_or(-1), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

pub(crate) fn docker<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Run {
    docker_command(arguments).output().unwrap().into()
}

/// The client, with a limit: a container that hangs fails its test, not the run.
pub(crate) fn docker_command<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = hermes_sandbox::process::command("timeout");
    command.args(["--kill-after=5", "120", "docker"]).args(arguments);
    command.envs(HostEnvironment::capture().iter()).stdin(Stdio::null());
    command
}

/// `docker run --rm IMAGE WORDS`, to its end.
pub(crate) fn run_image(options: &[&str], words: &[&str]) -> Run {
    let image = image();
    let head = ["run", "--rm"].iter().chain(options).copied();
    docker(head.chain([image.as_str()]).chain(words.iter().copied()))
}

/// A container that runs in the background.
pub(crate) struct Container {
    pub(crate) name: String,
    volume: Option<String>,
}

impl Container {
    /// `docker run -d`, without a word about whether it is ready.
    pub(crate) fn start(options: &[&str], words: &[&str]) -> Self {
        let image = image();
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("test").rsplit("::").next().unwrap().to_owned();
        let unique = tempfile::Builder::new().prefix("").tempdir().unwrap();
        let unique = unique.path().file_name().unwrap().to_string_lossy().into_owned();
        let name = format!("hermes-test-{test}-{unique}");
        let head = ["run", "-d", "--name", &name].into_iter().chain(options.iter().copied());
        docker(head.chain([image.as_str()]).chain(words.iter().copied())).ok();
        Self { name, volume: None }
    }

    /// One that sleeps, booted.
    pub(crate) fn sleeping(options: &[&str]) -> Self {
        let container = Self::start(options, &["sleep", "infinity"]);
        container.wait_ready();
        container
    }

    /// One that sleeps on a volume of its own.
    pub(crate) fn with_volume() -> Self {
        let volume = docker(["volume", "create"]).ok().trim().to_owned();
        let mut container = Self::sleeping(&["-v", &format!("{volume}:/opt/data")]);
        container.volume = Some(volume);
        container
    }

    pub(crate) fn volume(&self) -> &str {
        self.volume.as_deref().unwrap()
    }

    /// Boot is over when the default home's line is in the boot log.
    #[track_caller]
    pub(crate) fn wait_ready(&self) {
        self.wait_for("boot", |container| {
            container.sh_as("root", "cat /opt/data/logs/container-boot.log").stdout.contains("profile=default")
        });
    }

    pub(crate) fn restart(&self) {
        self.sh_as("root", ": >/opt/data/logs/container-boot.log");
        docker(["restart", &self.name]).ok();
        self.wait_ready();
    }

    /// A command as the user hermes.
    pub(crate) fn exec(&self, words: &[&str]) -> Run {
        docker(["exec", "-u", "hermes", &self.name].iter().chain(words).copied())
    }

    pub(crate) fn exec_with(&self, options: &[&str], words: &[&str]) -> Run {
        let head = ["exec"].iter().chain(options).copied();
        docker(head.chain([self.name.as_str()]).chain(words.iter().copied()))
    }

    pub(crate) fn sh(&self, script: &str) -> Run {
        self.exec(&["sh", "-c", script])
    }

    pub(crate) fn sh_as(&self, user: &str, script: &str) -> Run {
        docker(["exec", "-u", user, &self.name, "sh", "-c", script])
    }

    pub(crate) fn logs(&self) -> String {
        docker(["logs", &self.name]).text()
    }

    pub(crate) fn boot_log(&self) -> String {
        self.sh("cat /opt/data/logs/container-boot.log").ok()
    }

    /// Whether the supervisor wants this service up.
    pub(crate) fn is_wanted(&self, service: &str) -> bool {
        let answer = self.exec(&["/command/s6-svstat", &format!("/run/service/{service}")]).ok();
        if answer.starts_with("up") { !answer.contains("want down") } else { answer.contains("want up") }
    }

    /// What is seen from outside has no event to wait for: it is looked at until it is so.
    #[track_caller]
    pub(crate) fn wait_for(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + LONG;
        while !is_so(self) {
            assert!(Instant::now() < deadline, "{what} did not come; log: {}", self.logs());
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = docker(["rm", "-f", "-v", &self.name]);
        if let Some(volume) = &self.volume {
            let _ = docker(["volume", "rm", "-f", volume]);
        }
    }
}
