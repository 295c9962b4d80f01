//! `terminal`: where commands run, and what the place looks like.

use std::collections::BTreeMap;

use hermes_proto::Secret;
use serde_json::Value as Json;

/// Python and Node together, so that most tools work without an installation.
const IMAGE: &str = "nikolaik/python-nodejs:python3.11-nodejs20";

choices! {
    /// The kind of place commands run in.
    pub enum Backend {
        Local = "local",
        Docker = "docker",
        Ssh = "ssh",
        Singularity = "singularity",
        Modal = "modal",
        Daytona = "daytona",
        VercelSandbox = "vercel_sandbox",
        Bubblewrap = "bubblewrap",
    }
}

choices! {
    /// How local commands are confined.
    pub enum Sandbox {
        /// As far as this kernel allows.
        Auto = "auto",
        /// Completely, or the environment does not start.
        Strict = "strict" | "on" | "true" | "yes",
        Off = "off" | "false" | "no",
    }
}

choices! {
    /// What confined local commands reach of the network.
    pub enum SandboxNetwork {
        On = "on" | "true" | "yes",
        Off = "off" | "false" | "no",
        Loopback = "loopback",
    }
}

settings! {
    /// Where commands run.
    pub struct Terminal from "TERMINAL_" {
        /// The kind of place commands run in
        backend: Backend = Backend::Local, from "TERMINAL_ENV";
        /// The directory commands start in
        cwd: String = ".".to_owned();
        /// Seconds a command may take
        timeout: u64 = 180;
        /// Seconds an unused environment is kept
        lifetime_seconds: u64 = 300;
        /// The folder for temporary files, empty for the usual one
        temp_dir: String = String::new();
        /// Which HOME commands see
        home_mode: String = "auto".to_owned();
        /// Confinement of local commands
        sandbox: Sandbox = Sandbox::Auto;
        /// What confined local commands reach of the network
        sandbox_network: SandboxNetwork = SandboxNetwork::On;
        /// Folders that confined local commands may change besides the working directory
        sandbox_writable: Vec<String> = Vec::new();
        /// Megabytes of memory for a session's local commands together, 0 for three quarters of the machine's
        sandbox_memory: u64 = 0;
        /// Processes and threads a session's local commands may have at once
        sandbox_processes: u64 = 2048;
        /// Processor cores a session's local commands may use, 0 for all
        sandbox_cpu: f64 = 0.0;
        /// Megabytes in the private /tmp of a session's local commands
        sandbox_tmp: u64 = 2048;
        /// Variables of the host that commands may see
        env_passthrough: Vec<String> = Vec::new();
        /// Files of the home that commands in a container may read
        credential_files: Vec<String> = Vec::new();
        /// Files sourced before the first command
        shell_init_files: Vec<String> = Vec::new();
        /// Whether ~/.bashrc is sourced
        auto_source_bashrc: bool = true;
        /// Whether working directory and exports persist over ssh
        persistent_shell: bool = true;
        /// Seconds between asking a background process to end and killing it
        daemon_term_grace_seconds: f64 = 2.0;
        /// Seconds a one-shot run waits for background processes
        oneshot_completion_wait_seconds: u64 = 600;
        /// Bytes that may be copied back from a remote environment
        sync_back_max_bytes: u64 = 2 << 30;
        /// What happens when the configured place cannot be had
        degraded_mode: String = "warn".to_owned();
        /// The folder of the environments' files, empty for sandboxes/ in the home
        sandbox_dir: String = String::new();
        /// How modal is reached
        modal_mode: String = "auto".to_owned();
        /// The image of docker environments
        docker_image: String = IMAGE.to_owned();
        /// The image of modal environments
        modal_image: String = IMAGE.to_owned();
        /// The image of daytona environments
        daytona_image: String = IMAGE.to_owned();
        /// The image of singularity environments
        singularity_image: String = format!("docker://{IMAGE}");
        /// The runtime of vercel environments
        vercel_runtime: String = "node24".to_owned();
        /// Processors a container may use
        container_cpu: f64 = 1.0;
        /// Megabytes of memory a container may use
        container_memory: u64 = 5120;
        /// Megabytes of disk a container may use
        container_disk: u64 = 51200;
        /// Whether a container's files outlive it
        container_persistent: bool = true;
        /// Folders of the host to mount, as host:container or host:container:ro
        docker_volumes: Vec<String> = Vec::new();
        /// Whether the current directory is mounted as /workspace
        docker_mount_cwd_to_workspace: bool = false;
        /// Variables of the host that a container gets
        docker_forward_env: Vec<String> = Vec::new();
        /// Variables that a container gets
        docker_env: BTreeMap<String, Json> = BTreeMap::new();
        /// More arguments for docker run
        docker_extra_args: Vec<String> = Vec::new();
        /// Whether a container runs as the user of the host
        docker_run_as_host_user: bool = false;
        /// Whether a container has a network
        docker_network: bool = true;
        /// The size of a container's /dev/shm
        docker_shm_size: String = "1g".to_owned();
        /// Whether options that docker from snap refuses are left out
        docker_snap_compat: bool = false;
        /// Whether another process finds the container again
        docker_persist_across_processes: bool = true;
        /// Processes with the same key share a container
        docker_shared_container_key: String = String::new();
        /// Whether containers nobody uses any more are removed
        docker_orphan_reaper: bool = true;
        /// The host of ssh environments
        ssh_host: String = String::new();
        /// The user of ssh environments
        ssh_user: String = String::new();
        /// The port of ssh environments
        ssh_port: u16 = 22;
        /// The key file of ssh environments
        ssh_key: String = String::new();
        /// The font of terminals in the dashboard
        font_family: String = String::new();
        /// The password that sudo gets
        sudo_password: Option<Secret> = None, from "SUDO_PASSWORD";
    }
}
