//! The image under test, made once for each build of the program.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use hermes_proto::HostEnvironment;

use crate::harness::docker;

const NAME: &str = "hermes-agent-harness";

/// The image: the one that was chosen, or one around the program under test.
pub(crate) fn image() -> String {
    let chosen = HostEnvironment::capture().text("HERMES_TEST_IMAGE").map(str::to_owned);
    chosen.unwrap_or_else(built)
}

fn built() -> String {
    // Tests are processes of their own: the first one builds, the others wait.
    let turn = File::create(std::env::temp_dir().join("hermes-agent-harness.lock")).unwrap();
    flock(&turn, FlockOperation::LockExclusive).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_hermes"));
    let metadata = program.metadata().unwrap();
    let mut hasher = DefaultHasher::new();
    (metadata.len(), metadata.mtime(), metadata.mtime_nsec()).hash(&mut hasher);
    for file in files(&workspace().join("docker")) {
        std::fs::read(&file).unwrap().hash(&mut hasher);
    }
    let tag = format!("{NAME}:{:016x}", hasher.finish());
    if !exists(&tag) {
        remove_older();
        let folder = tempfile::tempdir().unwrap();
        let stripped = folder.path().join("hermes");
        // What only a debugger reads would be most of the image.
        run(Path::new("strip"), &["-o".as_ref(), &stripped, program]);
        let script = workspace().join("scripts/build-image");
        run(&script, &["--tag".as_ref(), tag.as_ref(), "--binary".as_ref(), &stripped]);
    }
    tag
}

fn run(program: &Path, arguments: &[&Path]) {
    let mut command = hermes_sandbox::process::command(program);
    let output = command.args(arguments).envs(HostEnvironment::capture().iter()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn exists(tag: &str) -> bool {
    docker(["image", "inspect", tag]).code == 0
}

/// Images of earlier builds, which nobody will ask for again.
fn remove_older() {
    let older = docker(["images", "--format", "{{.Repository}}:{{.Tag}}", NAME]).ok();
    for tag in older.lines() {
        // One that a container of another run still uses stays.
        let _ = docker(["rmi", tag]);
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
