//! The API of a gateway that a test has started, over its socket.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::process::{Gateway, Ground, PATIENCE};

pub(crate) const KEY: &str = "key-of-this-test-0123456789";
const A_MOMENT: Duration = Duration::from_millis(20);

/// A home whose gateway serves the API on a port that the kernel chooses.
pub(crate) fn ground(settings: &str) -> Ground {
    let ground = Ground::new(&format!("gateway: {{api_server: {{enabled: true, port: 0}}}}\n{settings}"));
    ground.sandbox.write(".env", format!("API_SERVER_KEY={KEY}\n"));
    ground
}

/// Where a gateway serves the API.
pub(crate) fn address(gateway: &Gateway) -> SocketAddr {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(port) = listening(gateway.pid()) {
            return SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        }
        assert!(Instant::now() < deadline, "the API is not served");
        std::thread::sleep(A_MOMENT);
    }
}

/// The port on which a process listens, as the kernel tells it.
fn listening(pid: u32) -> Option<u16> {
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let sockets: Vec<String> = descriptors
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok()?.into_os_string().into_string().ok())
        .filter_map(|target| Some(target.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let table = std::fs::read_to_string("/proc/net/tcp").ok()?;
    table.lines().skip(1).find_map(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let is_it = fields.get(3) == Some(&"0A") && sockets.iter().any(|inode| fields.get(9) == Some(&inode.as_str()));
        let port = fields.get(1)?.rsplit(':').next()?;
        is_it.then(|| u16::from_str_radix(port, 16).ok()).flatten()
    })
}

/// Asks with the key; the status and the body. Nothing if nobody answers: a gateway that was killed does not.
pub(crate) fn call(
    address: SocketAddr,
    line: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Option<(u16, Value)> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut request =
        format!("{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {KEY}\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).ok()?))
}
