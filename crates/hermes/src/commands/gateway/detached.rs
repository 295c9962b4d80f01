//! A gateway as a process of its own, in the background, where no service manager has it.

use std::fs::OpenOptions;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::Duration;

use hermes_home::Home;
use hermes_home::files::create_private_dir;
use hermes_proto::Fault;
use hermes_sandbox::process;

use crate::context::Context;
use crate::exit::Failure;

/// How long a gateway may take until it serves.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a process of its own, which says when it is ready.
pub(super) fn detached(home: &Home, context: &Context) -> Result<u32, Failure> {
    let failed = |what: &str, error: std::io::Error| Failure::new(Fault::Failed, format_args!("{what}: {error}"));
    let name = format!("hermes-gateway-start-{}-{:016x}", std::process::id(), random()?);
    let address = SocketAddr::from_abstract_name(&name).map_err(|error| failed("no address", error))?;
    let ready = UnixDatagram::bind_addr(&address).map_err(|error| failed("no socket", error))?;
    ready.set_read_timeout(Some(PATIENCE)).map_err(|error| failed("no socket", error))?;
    let logs = home.path().join("logs");
    create_private_dir(&logs)?;
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(logs.join("gateway.log"));
    let log = log.map_err(|error| failed("cannot open logs/gateway.log", error))?;
    let errors = log.try_clone().map_err(|error| failed("cannot open logs/gateway.log", error))?;
    let program = std::env::current_exe().map_err(|error| failed("where this program is", error))?;
    let mut command = process::command(program);
    command
        .envs(context.environment.iter())
        .env("NOTIFY_SOCKET", format!("@{name}"))
        .env_remove("WATCHDOG_USEC")
        .args(["-p", home.name().as_str(), "gateway", "run"])
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        .process_group(0);
    let mut child = command.spawn().map_err(|error| failed("cannot start the gateway", error))?;
    let pid = child.id();
    // Its end is told on the same socket, so that nobody waits for one that will never be ready.
    let told = UnixDatagram::unbound().map_err(|error| failed("no socket", error))?;
    std::thread::spawn(move || {
        let status = child.wait();
        let _ = told.send_to_addr(format!("ENDED {status:?}").as_bytes(), &address);
    });
    let mut text = [0; 256];
    match ready.recv(&mut text) {
        Ok(length) if text[..length].starts_with(b"READY=1") => Ok(pid),
        Ok(_) => Err(Failure::new(Fault::Failed, "the gateway ended before it served")
            .hint(format_args!("see {}/logs/gateway.log", home.path().display()))),
        Err(_) => Err(Failure::new(Fault::TryAgain, "the gateway does not serve yet")
            .hint(format_args!("see {}/logs/gateway.log", home.path().display()))),
    }
}

fn random() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no random numbers: {error}")))?;
    Ok(u64::from_le_bytes(bytes))
}
