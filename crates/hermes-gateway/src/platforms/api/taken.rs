//! A port that somebody else has: who it is, if it is one of ours.

use std::net::SocketAddr;
use std::time::Duration;

use hermes_home::{HomeName, HomeRoot, profiles};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::health::PRODUCT;
use crate::lifecycle::running;

/// How long whoever has the port may take to say who they are.
const PATIENCE: Duration = Duration::from_secs(3);
/// Bytes of their answer that are looked at.
const LONGEST: u64 = 8 * 1024;

/// Who has it, in words.
pub(super) async fn owner(address: SocketAddr, root: &HomeRoot) -> String {
    let root = root.clone();
    let found = tokio::task::spawn_blocking(move || gateway_on(&root, address.port())).await.ok().flatten();
    if let Some((name, pid)) = found {
        return format!("the gateway of {name} has it (pid {pid})");
    }
    match timeout(PATIENCE, greeting(address)).await {
        Ok(Ok(text)) if text.contains(PRODUCT) => "another Hermes gateway has it".to_owned(),
        _ => "another program has it".to_owned(),
    }
}

/// The gateway of one of our homes that listens on this port: its home and its process.
fn gateway_on(root: &HomeRoot, port: u16) -> Option<(String, u32)> {
    let named = profiles::list(root).ok().into_iter().flat_map(|listing| listing.profiles).map(HomeName::Profile);
    let all = std::iter::once(HomeName::Default).chain(named);
    all.filter_map(|name| Some((running(&root.path_of(&name))?.pid, name))).find_map(|(pid, name)| {
        let words = match &name {
            HomeName::Default => "the default home".to_owned(),
            HomeName::Profile(name) => format!("profile {name}"),
        };
        is_listening(pid, port).then_some((words, pid))
    })
}

/// Whether this process holds a listening socket of this port.
fn is_listening(pid: u32, port: u16) -> bool {
    let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| std::fs::read_to_string(table).unwrap_or_default());
    let inodes: Vec<String> =
        sockets.iter().flat_map(|table| table.lines()).filter_map(|line| inode(line, port)).collect();
    let Ok(descriptors) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    descriptors
        .flatten()
        .filter_map(|one| std::fs::read_link(one.path()).ok())
        .any(|target| inodes.iter().any(|inode| target.as_os_str() == format!("socket:[{inode}]").as_str()))
}

/// The socket of a line of `/proc/net/tcp`, if it listens on this port.
fn inode(line: &str, port: u16) -> Option<String> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let [_, local, _, state, .., _] = fields.as_slice() else { return None };
    let is_it = *state == "0A" && local.ends_with(&format!(":{port:04X}"));
    fields.get(9).filter(|_| is_it).map(|inode| (*inode).to_owned())
}

async fn greeting(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream
        .write_all(format!("GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes())
        .await?;
    let mut text = Vec::new();
    stream.take(LONGEST).read_to_end(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
