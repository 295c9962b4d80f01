//! A machine with a home and a PATH of a test's own, and the doctor's report on it.

use std::fs::{self};
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::support::{Run, STRANGER, Sandbox, finish, is_root, set_mode};

pub(super) const ALL: [&str; 16] = [
    "home",
    "config.yaml",
    ".env",
    "auth.json",
    "configuration",
    "credentials",
    "disk",
    "bash",
    "python3",
    "docker",
    "namespaces",
    "landlock",
    "seccomp",
    "no_new_privs",
    "cgroup",
    "pidfd",
];

/// A sandbox whose PATH holds only the programs that a test puts there.
pub(super) struct Machine {
    pub(super) sandbox: Sandbox,
    pub(super) programs: tempfile::TempDir,
}

/// What one check reported.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub(super) status: String,
    pub(super) seen: String,
    pub(super) advice: Option<String>,
}

/// The exit code and the JSON of one run.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) code: i32,
    pub(super) json: Value,
}

impl Machine {
    /// With bash, python3 and an answering docker.
    pub(super) fn healthy() -> Self {
        let machine = Self { sandbox: Sandbox::new(), programs: tempfile::tempdir().unwrap() };
        machine.program("bash", "echo 'GNU bash, version 5.2.15(1)-release'");
        machine.program("python3", "echo Python 3.11.2");
        machine.program("docker", "echo 28.2.2");
        machine
    }

    /// Puts a shell script into PATH, in place of what has its name.
    pub(super) fn program(&self, name: &str, script: &str) -> PathBuf {
        let file = self.programs.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        set_mode(&file, 0o755);
        file
    }

    pub(super) fn without(&self, name: &str) {
        fs::remove_file(self.programs.path().join(name)).unwrap();
    }

    /// A private home with this file in it.
    pub(super) fn file(&self, name: &str, content: &str, bits: u32) {
        self.home();
        self.sandbox.write(name, content);
        set_mode(self.sandbox.file(name), bits);
    }

    /// A private home.
    pub(super) fn home(&self) -> PathBuf {
        let home = self.sandbox.home();
        fs::create_dir_all(&home).unwrap();
        set_mode(&home, 0o700);
        home
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.env("PATH", self.programs.path());
        command
    }

    pub(super) fn report(&self) -> Report {
        Report::of(&mut self.command(&["doctor", "--json"]))
    }

    /// What this check reports, and the exit code.
    pub(super) fn line(&self, name: &str) -> (i32, Line) {
        let report = self.report();
        (report.code, report.line(name))
    }

    /// The program, started through `before` by an ordinary user who owns the home.
    pub(super) fn as_ordinary_user(&self, before: &[&str], arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command_as_ordinary_user(before, arguments);
        if is_root() {
            set_mode(self.programs.path(), 0o755);
            chown(self.home(), Some(STRANGER), Some(STRANGER)).unwrap();
        }
        command.env("PATH", self.programs.path());
        command
    }
}

impl Report {
    pub(super) fn of(command: &mut Command) -> Self {
        let run = run(command);
        assert_eq!(run.stderr, "", "{run:?}");
        let json = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        Self { code: run.code, json }
    }

    pub(super) fn line(&self, name: &str) -> Line {
        let checks = self.json["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        let text = |field: &str| check[field].as_str().map(str::to_owned);
        Line { status: text("status").unwrap(), seen: text("seen").unwrap(), advice: text("advice") }
    }
}

impl Line {
    pub(super) fn new(status: &str, seen: impl Into<String>, advice: Option<&str>) -> Self {
        Self { status: status.to_owned(), seen: seen.into(), advice: advice.map(str::to_owned) }
    }
}

pub(super) fn run(command: &mut Command) -> Run {
    finish(command.spawn().unwrap())
}
