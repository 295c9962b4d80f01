//! What a gateway tells systemd.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The way to the service manager, if there is one that wants to know.
#[derive(Debug)]
pub struct Manager {
    socket: UnixDatagram,
    address: SocketAddr,
    /// How often it wants a sign of life.
    pub watchdog: Option<Duration>,
}

impl Manager {
    /// From NOTIFY_SOCKET and WATCHDOG_USEC.
    pub fn of(notify_socket: Option<&OsStr>, watchdog: Option<&str>) -> io::Result<Option<Self>> {
        let Some(name) = notify_socket.map(OsStr::as_bytes).filter(|name| !name.is_empty()) else { return Ok(None) };
        let address = match name.strip_prefix(b"@") {
            Some(abstract_name) => SocketAddr::from_abstract_name(abstract_name)?,
            None => SocketAddr::from_pathname(OsStr::from_bytes(name))?,
        };
        let microseconds = watchdog.and_then(|text| text.parse().ok()).filter(|microseconds| *microseconds > 0);
        // Twice as often as is asked for: one that comes late is not missed.
        let watchdog = microseconds.map(|microseconds: u64| Duration::from_micros(microseconds / 2));
        Ok(Some(Self { socket: UnixDatagram::unbound()?, address, watchdog }))
    }

    pub fn ready(&self) {
        self.tell("READY=1");
    }

    pub fn alive(&self) {
        self.tell("WATCHDOG=1");
    }

    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    fn tell(&self, text: &str) {
        if let Err(error) = self.socket.send_to_addr(text.as_bytes(), &self.address) {
            tracing::warn!(%error, text, "systemd was not told");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::net::UnixDatagram;
    use std::time::Duration;

    use super::Manager;

    #[test]
    fn systemd_is_told_on_its_socket() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let listening = UnixDatagram::bind(&path).unwrap();
        let manager = Manager::of(Some(path.as_os_str()), Some("30000000")).unwrap().unwrap();
        assert_eq!(manager.watchdog, Some(Duration::from_secs(15)));
        manager.ready();
        let mut text = [0; 64];
        let length = listening.recv(&mut text).unwrap();
        assert_eq!(&text[..length], b"READY=1");
        assert!(Manager::of(None, None).unwrap().is_none());
        assert!(Manager::of(Some(OsStr::new("")), None).unwrap().is_none());
    }
}
