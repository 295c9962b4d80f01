//! A `docker` that is a real program, records every call and answers as it is told.
//!
//! A mock inside the process would not show what reaches another process: the arguments, the
//! environment, who waits for whom. The program is a script of this crate, started through a
//! link in a temporary folder, so that nothing is ever executed while it is being written.

// This crate is for tests only, where a panic is the report.
#![expect(clippy::unwrap_used, reason = "a test tool reports by panicking")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Who started it, and so waits for it.
    pub parent: u32,
    pub arguments: Vec<String>,
    /// Whether it came to its own end.
    pub is_finished: bool,
}

impl Call {
    /// The verb.
    pub fn verb(&self) -> &str {
        self.arguments.first().map_or("", String::as_str)
    }

    /// All arguments with spaces between them.
    pub fn text(&self) -> String {
        self.arguments.join(" ")
    }

    /// The values that follow this flag.
    pub fn values(&self, flag: &str) -> Vec<&str> {
        let pairs = self.arguments.windows(2).filter(|pair| pair[0] == flag);
        pairs.map(|pair| pair[1].as_str()).collect()
    }
}

/// What a verb answers.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Answer {
    pub fn of(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    pub fn failing(stderr: impl Into<String>) -> Self {
        Self { stderr: stderr.into(), code: 1, ..Self::default() }
    }
}

/// A folder with a `docker` in it.
#[derive(Debug)]
pub struct FakeDocker {
    folder: tempfile::TempDir,
}

impl FakeDocker {
    /// Answers `version`, and `run` with `fake-container-id`; everything else with nothing.
    #[expect(clippy::new_without_default, reason = "making one touches the disk")]
    pub fn new() -> Self {
        Self::named("docker")
    }

    /// The same under another name, such as `podman`.
    pub fn named(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["calls", "answers"] {
            fs::create_dir(folder.path().join(part)).unwrap();
        }
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/docker");
        std::os::unix::fs::symlink(program, folder.path().join(name)).unwrap();
        let fake = Self { folder };
        fake.answers("version", Answer::of("Docker version\n"));
        fake.answers("run", Answer::of("fake-container-id\n"));
        fake
    }

    /// The folder to put on PATH.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn program(&self) -> PathBuf {
        self.folder.path().join("docker")
    }

    /// Sets what a verb answers from now on.
    pub fn answers(&self, verb: &str, answer: Answer) {
        fs::write(self.answer(verb, "stdout"), answer.stdout).unwrap();
        fs::write(self.answer(verb, "stderr"), answer.stderr).unwrap();
        fs::write(self.answer(verb, "code"), answer.code.to_string()).unwrap();
    }

    /// The verb never comes to an end by itself.
    pub fn hangs(&self, verb: &str) {
        fs::write(self.answer(verb, "hangs"), "").unwrap();
    }

    /// `exec` becomes this program with the last argument of the call.
    pub fn executes(&self, program: &Path) {
        fs::write(self.answer("exec", "program"), program.to_str().unwrap()).unwrap();
    }

    /// The verb waits until [`FakeDocker::release`].
    pub fn holds(&self, verb: &str) {
        let pipe = rustix::fs::CWD;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(pipe, self.answer(verb, "held"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }

    /// Lets one held call go on; waits until there is one.
    pub fn release(&self, verb: &str) {
        fs::write(self.answer(verb, "held"), "go\n").unwrap();
    }

    /// All calls so far, in the order in which they began.
    pub fn calls(&self) -> Vec<Call> {
        let entries = fs::read_dir(self.folder.path().join("calls")).unwrap();
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        names.retain(|path| !["part", "done"].iter().any(|end| path.extension().is_some_and(|found| found == *end)));
        names.sort();
        names.iter().map(|path| read(path)).collect()
    }

    /// The calls of one verb.
    pub fn calls_of(&self, verb: &str) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.verb() == verb).collect()
    }

    /// The only `run`, which must be there.
    pub fn run_call(&self) -> Call {
        let calls = self.calls_of("run");
        assert!(!calls.is_empty(), "docker run should have been called: {:?}", self.calls());
        calls.into_iter().next().unwrap()
    }

    fn answer(&self, verb: &str, part: &str) -> PathBuf {
        self.folder.path().join("answers").join(format!("{verb}.{part}"))
    }
}

fn read(path: &Path) -> Call {
    let bytes = fs::read(path).unwrap();
    let mut words = bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()).into_string().unwrap());
    let parent = words.next().unwrap().parse().unwrap();
    let mut arguments: Vec<String> = words.collect();
    arguments.pop();
    let mut done = path.as_os_str().to_owned();
    done.push(".done");
    Call { parent, arguments, is_finished: Path::new(&done).exists() }
}
