//! A home with secrets, a workspace and a listening socket, and a program that confines itself there.

use std::fs;
use std::io::{Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use hermes_proto::executor::{Layer, LayerReport, LayerState};
use hermes_sandbox::confine::{Confinement, Limits, Mode, Network, default_hidden};
use hermes_sandbox::process::command;
use serde_json::{Value, json};

/// What `hermes-confined` ends with when it could not confine itself.
pub(super) const NOT_CONFINED: i32 = 99;
pub(super) const ORDINARY_USER: u32 = 4242;
pub(super) const MIB: u64 = 1024 * 1024;

/// How a confined process is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) user: User,
    pub(super) namespaces: Namespaces,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    /// Whoever runs the tests.
    Ours,
    /// Somebody without privileges, when root runs the tests.
    Ordinary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespaces {
    There,
    Refused,
}

pub(super) const FULL: Variant = Variant { user: User::Ours, namespaces: Namespaces::There };
pub(super) const WITHOUT_NAMESPACES: Variant = Variant { user: User::Ours, namespaces: Namespaces::Refused };

/// All that this user can try.
pub(super) fn variants() -> Vec<Variant> {
    let users = if is_root() { vec![User::Ours, User::Ordinary] } else { vec![User::Ours] };
    let with = |user| [Namespaces::There, Namespaces::Refused].map(|namespaces| Variant { user, namespaces });
    users.into_iter().flat_map(with).collect()
}

pub(super) fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// What a confined program left behind.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

pub(super) struct Scene {
    folder: tempfile::TempDir,
    pub(super) variant: Variant,
    pub(super) confinement: Confinement,
    pub(super) environment: Vec<(String, String)>,
    pub(super) unapplied: Option<Layer>,
    pub(super) unavailable: Vec<Layer>,
    pub(super) abstract_name: String,
    _listeners: [UnixListener; 2],
}

impl Scene {
    pub(super) fn new(variant: Variant) -> Self {
        let folder = tempfile::Builder::new().prefix("hermes-confine-").tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["home/workspace", "home/skills", "user/.ssh", "user/project", "temporary"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for (name, text) in [
            ("home/.env", "SECRET=of the home"),
            ("home/auth.json", "{}"),
            ("home/skills/one", "a skill"),
            ("user/.ssh/id", "a key"),
            ("user/file", "of the user"),
        ] {
            fs::write(path(name), text).unwrap();
        }
        symlink(path("home/.env"), path("home/workspace/planted")).unwrap();
        // A neighbour of something hidden that leads to something else hidden.
        symlink(path("home"), path("user/shortcut")).unwrap();
        let abstract_name = format!("hermes-test-{}", folder.path().file_name().unwrap().display());
        let listeners = [
            UnixListener::bind(path("home/control.sock")).unwrap(),
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap(),
        ];
        let confinement = confinement(folder.path(), variant);
        let unavailable = match variant.namespaces {
            Namespaces::There => vec![],
            Namespaces::Refused => vec![Layer::UserNamespace],
        };
        let mut scene = Self {
            folder,
            variant,
            confinement,
            environment: Vec::new(),
            unapplied: None,
            unavailable,
            abstract_name,
            _listeners: listeners,
        };
        scene.environment = scene.default_environment();
        scene.give_to_user();
        scene
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs bash text inside.
    pub(super) fn bash(&self, script: &str) -> Run {
        self.run(&["/bin/bash", "-c", script])
    }

    pub(super) fn run(&self, program: &[&str]) -> Run {
        collect(self.start(program, Report::Unwanted))
    }

    /// The states of the layers, in their order.
    pub(super) fn report(&self) -> Vec<(Layer, LayerState)> {
        let run = collect(self.start(&[], Report::Wanted));
        assert_eq!(run.code, 0, "{}", run.stderr);
        let line: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
        let layers: Vec<LayerReport> = serde_json::from_value(line["layers"].clone()).unwrap();
        layers.into_iter().map(|report| (report.layer, report.state)).collect()
    }

    /// Starts the confined program with an open descriptor of a secret, number 9, as a careless
    /// runtime would.
    pub(super) fn start(&self, program: &[&str], report: Report) -> Child {
        let orders = self.path(if report == Report::Wanted { "orders-report.json" } else { "orders.json" });
        fs::write(&orders, self.orders(report).to_string()).unwrap();
        let script = "exec 9< \"$1\"; shift; exec \"$@\"";
        let mut arguments = vec!["-c".to_owned(), script.to_owned(), "start".to_owned(), self.text("home/.env")];
        if self.variant.user == User::Ordinary {
            let user = ORDINARY_USER.to_string();
            arguments.extend(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups"].map(str::to_owned));
        }
        arguments.extend([self.program().display().to_string(), orders.display().to_string()]);
        arguments.extend(program.iter().map(|word| (*word).to_owned()));
        let mut bash = command("/bin/bash");
        bash.args(arguments).env("PATH", PATH).env("RUNTIME_SECRET", "of the runtime");
        bash.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// A copy that everybody may run.
    fn program(&self) -> PathBuf {
        if self.variant.user == User::Ours {
            return PathBuf::from(env!("CARGO_BIN_EXE_hermes-confined"));
        }
        let copy = self.path("hermes-confined");
        if !copy.exists() {
            fs::copy(env!("CARGO_BIN_EXE_hermes-confined"), &copy).unwrap();
        }
        copy
    }

    fn orders(&self, report: Report) -> Value {
        json!({
            "confinement": self.confinement,
            "unavailable": self.unavailable,
            "unapplied": self.unapplied,
            "report": report == Report::Wanted,
            "working_directory": self.path("home/workspace"),
            "environment": self.environment,
        })
    }

    fn default_environment(&self) -> Vec<(String, String)> {
        let temporary = match self.variant.namespaces {
            Namespaces::There => "/tmp".to_owned(),
            // The tests' own folder is in /tmp and has a hidden place: no file can be made in /tmp itself.
            Namespaces::Refused => self.text("temporary"),
        };
        let pair = |name: &str, value: String| (name.to_owned(), value);
        vec![pair("PATH", PATH.to_owned()), pair("HOME", self.text("user")), pair("TMPDIR", temporary)]
    }

    fn give_to_user(&self) {
        fs::set_permissions(self.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        if self.variant.user == User::Ours {
            return;
        }
        let mut waiting = vec![self.folder.path().to_owned()];
        while let Some(path) = waiting.pop() {
            let found = fs::symlink_metadata(&path).unwrap();
            if found.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            if !found.is_symlink() && found.uid() != ORDINARY_USER {
                chown(&path, Some(ORDINARY_USER), Some(ORDINARY_USER)).unwrap();
            }
        }
    }
}

pub(super) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Whether the program prints its report first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    Wanted,
    Unwanted,
}

pub(super) fn collect(mut child: Child) -> Run {
    let mut run = Run { code: 0, stdout: String::new(), stderr: String::new() };
    let mut stderr = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        stderr.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut text = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut text).unwrap();
    run.stdout = String::from_utf8_lossy(&text).into_owned();
    run.stderr = reader.join().unwrap();
    let status = child.wait().unwrap();
    run.code = status.code().unwrap_or(-1);
    run
}

fn confinement(folder: &Path, variant: Variant) -> Confinement {
    let path = |name: &str| folder.join(name);
    let uid = match variant.user {
        User::Ours => rustix::process::getuid().as_raw(),
        User::Ordinary => ORDINARY_USER,
    };
    let mut hidden = default_hidden(&path("user"), uid);
    hidden.push(path("home"));
    Confinement {
        mode: Mode::Auto,
        writable: vec![path("home/workspace"), path("user/project"), path("temporary")],
        readable: vec![path("home/skills"), path("home/cache"), path("user")],
        hidden,
        network: Network::On,
        limits: Limits {
            memory_bytes: Some(1024 * MIB),
            processes: Some(200),
            open_files: Some(256),
            temporary_bytes: Some(256 * MIB),
            ..Limits::default()
        },
        host_name: "confined".to_owned(),
    }
}

/// Writes a program into the workspace, where it can be run from.
pub(super) fn install(scene: &Scene, name: &str, text: &str) -> String {
    let path = scene.path("home/workspace").join(name);
    fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}
