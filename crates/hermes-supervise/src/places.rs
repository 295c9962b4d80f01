//! Where things are in the image and while a container runs. One list, so that the entry point,
//! the services and the Dockerfile cannot disagree.

use std::path::{Path, PathBuf};

/// The folders of supervision. Tests make their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The scan directory: one folder a service.
    pub scan: PathBuf,
    /// What this boot remembers; gone with the next.
    pub state: PathBuf,
    /// The programs of s6.
    pub tools: PathBuf,
    /// What services run, part of the image and not writable by them.
    pub programs: PathBuf,
}

/// The user that everything runs as.
pub const USER: &str = "hermes";
/// The program inside the image.
pub const PROGRAM: &str = "/opt/hermes/bin/hermes";
/// The folder of the image's own files.
pub const APPLICATION: &str = "/opt/hermes";
/// Says that this is the image; the folder it is in belongs to root.
pub const MARKER: &str = "/opt/hermes/.install_method";
/// HERMES_HOME and HOME unless the container says otherwise.
pub const DATA: &str = "/opt/data";
/// Written by root at boot when the user's numbers were changed: only root can write it.
pub const ACCOUNT: &str = "/run/hermes/account";

impl Places {
    /// The places of the image.
    pub fn of_image() -> Self {
        Self {
            scan: "/run/service".into(),
            state: "/run/s6".into(),
            tools: "/command".into(),
            programs: "/opt/hermes/supervise".into(),
        }
    }

    /// Half of what tells that s6 supervises here.
    pub fn base(&self) -> PathBuf {
        self.state.join("basedir")
    }

    /// The process that looks after the main program.
    pub fn main_process(&self) -> PathBuf {
        self.state.join("main.pid")
    }

    /// How the main program ended.
    pub fn exit_code(&self) -> PathBuf {
        self.state.join("exit-code")
    }

    /// Through which the scanner says that it is ready.
    pub fn ready(&self) -> PathBuf {
        self.state.join("ready")
    }

    pub fn tool(&self, name: &str) -> PathBuf {
        self.tools.join(name)
    }
}

/// Whether this process runs the program of the image, and not a copy elsewhere.
pub fn is_image() -> bool {
    let inside = std::env::current_exe().is_ok_and(|program| program.starts_with(APPLICATION));
    inside && std::fs::read_to_string(MARKER).is_ok_and(|method| method.trim() == "docker")
}

/// `HERMES_HOME`, or what it is in the image.
pub fn data_folder(environment: &hermes_proto::HostEnvironment) -> PathBuf {
    environment.path("HERMES_HOME").filter(|path| path.is_absolute()).unwrap_or_else(|| Path::new(DATA).to_owned())
}
