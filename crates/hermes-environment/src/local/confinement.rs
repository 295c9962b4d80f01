//! Which places a local command may reach, from the home and its configuration.

use std::path::{Path, PathBuf};

use hermes_home::config::{Sandbox, SandboxNetwork, Terminal};
use hermes_sandbox::confine::{Confinement, Limits, Mode, Network, default_hidden};

use super::LocalPlan;
use crate::shown_folders::SHOWN;

/// Folders of a home that are made for agents: their own, to be changed.
const FOR_AGENTS: [&str; 2] = ["workspace", "home"];
const MEGABYTE: u64 = 1 << 20;
/// Descriptors of one command: what builds and browsers need, and no more.
const OPEN_FILES: u64 = 65_536;
/// A session's share of busy processors, where others have 100.
const SHARE: u32 = 50;

impl LocalPlan<'_> {
    pub(super) fn confinement(&self, workspace: &Path, spill: &Path) -> Confinement {
        let (home, terminal) = (self.home.path(), self.terminal);
        let mut writable = vec![workspace.to_owned(), spill.to_owned()];
        writable.extend(FOR_AGENTS.iter().map(|name| home.join(name)).filter(|path| path.is_dir()));
        writable.extend(terminal.sandbox_writable.iter().map(|path| self.expanded(path)));
        let mut hidden = vec![self.root.path().to_owned(), home.to_owned()];
        let uid = rustix::process::geteuid().as_raw();
        hidden.extend(default_hidden(&self.user_home(), uid));
        Confinement {
            mode: mode(terminal.sandbox),
            writable,
            readable: SHOWN.iter().map(|name| home.join(name)).collect(),
            hidden,
            network: network(terminal.sandbox_network),
            limits: limits(terminal),
            host_name: "hermes".to_owned(),
        }
    }

    pub(super) fn user_home(&self) -> PathBuf {
        self.host.path("HOME").unwrap_or_else(|| PathBuf::from("/root"))
    }

    /// A configured path: `~` is the user's home.
    fn expanded(&self, path: &str) -> PathBuf {
        match path.strip_prefix('~') {
            Some("") => self.user_home(),
            Some(rest) if rest.starts_with('/') => self.user_home().join(rest.trim_start_matches('/')),
            _ => PathBuf::from(path),
        }
    }
}

fn mode(sandbox: Sandbox) -> Mode {
    match sandbox {
        Sandbox::Auto => Mode::Auto,
        Sandbox::Strict => Mode::Strict,
        Sandbox::Off => Mode::Off,
    }
}

fn network(network: SandboxNetwork) -> Network {
    match network {
        SandboxNetwork::On => Network::On,
        SandboxNetwork::Off => Network::Off,
        SandboxNetwork::Loopback => Network::Loopback,
    }
}

fn limits(terminal: &Terminal) -> Limits {
    let memory = match terminal.sandbox_memory {
        0 => rustix::system::sysinfo().totalram / 4 * 3,
        megabytes => megabytes.saturating_mul(MEGABYTE),
    };
    Limits {
        memory_bytes: Some(memory),
        processes: Some(terminal.sandbox_processes),
        processor_percent: (terminal.sandbox_cpu > 0.0).then_some((terminal.sandbox_cpu * 100.0).ceil() as u32),
        processor_weight: Some(SHARE),
        open_files: Some(OPEN_FILES),
        temporary_bytes: Some(terminal.sandbox_tmp.saturating_mul(MEGABYTE)),
        file_bytes: None,
    }
}
