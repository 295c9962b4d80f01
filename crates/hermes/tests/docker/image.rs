//! The image under test, made once for each build of the program.
//!
//! As long as the program has no `gateway`, a second image is made from it in which a script stands in for
//! that command alone: it says that it runs, and crashes when a file tells it to.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use hermes_proto::HostEnvironment;

use crate::harness::docker;

const NAME: &str = "hermes-agent-harness";

/// The image, with a gateway or a stand-in for one.
pub(crate) fn image() -> String {
    let turn = File::create(std::env::temp_dir().join("hermes-agent-harness.lock")).unwrap();
    flock(&turn, FlockOperation::LockExclusive).unwrap();
    let chosen = HostEnvironment::capture().text("HERMES_TEST_IMAGE").map(str::to_owned);
    let image = chosen.unwrap_or_else(built);
    let has_gateway = docker(["run", "--rm", "--entrypoint", "/opt/hermes/bin/hermes", &image, "gateway", "--help"]);
    if has_gateway.code == 0 { image } else { with_stand_in(&image) }
}

fn built() -> String {
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
        let script = workspace().join("scripts/build-image");
        let mut command = hermes_sandbox::process::command(script);
        command.args(["--tag", &tag, "--binary"]).arg(program).envs(HostEnvironment::capture().iter());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    tag
}

fn with_stand_in(image: &str) -> String {
    let id = docker(["image", "inspect", "--format", "{{.Id}}", image]).ok();
    let tag = format!("{NAME}:standin-{}", id.trim().rsplit(':').next().unwrap().get(..16).unwrap());
    if exists(&tag) {
        return tag;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("standin"), include_str!("standin.sh")).unwrap();
    let steps = format!(
        "FROM {image}\nCOPY standin /opt/hermes/standin\n\
         RUN mkdir /opt/hermes/libexec && mv /opt/hermes/bin/hermes /opt/hermes/libexec/hermes \
         && mv /opt/hermes/standin /opt/hermes/bin/hermes && chmod 755 /opt/hermes/bin/hermes\n"
    );
    std::fs::write(folder.path().join("Dockerfile"), steps).unwrap();
    docker(["build", "-q", "-t", &tag, folder.path().to_str().unwrap()]).ok();
    tag
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
