//! Where the page listens and who may see it, checked before anything listens.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_proto::{Explain, Fault, HostEnvironment};
use sha2::{Digest, Sha256};

pub const DEFAULT_PORT: u16 = 9119;
const HOST: &str = "HERMES_DASHBOARD_HOST";
const PORT: &str = "HERMES_DASHBOARD_PORT";
const USERNAME: &str = "HERMES_DASHBOARD_BASIC_AUTH_USERNAME";
const PASSWORD: &str = "HERMES_DASHBOARD_BASIC_AUTH_PASSWORD";

/// Where the page listens and who may see it.
#[derive(Debug)]
pub struct Settings {
    pub address: SocketAddr,
    pub credentials: Option<Credentials>,
}

/// A name and a password, kept only as a digest.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials([u8; 32]);

/// Why the page does not listen.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{HOST} {0:?} is not an IP address")]
    Host(String),
    #[error("{PORT} {0:?} is not a port")]
    Port(String),
    #[error("the dashboard would be open to everybody at {0}")]
    Open(SocketAddr),
}

impl Settings {
    /// From the command line, else from the environment.
    pub fn of(host: Option<&str>, port: Option<&str>, environment: &HostEnvironment) -> Result<Self, SettingsError> {
        let text = |name| environment.text(name).filter(|text| !text.is_empty());
        let host = match host.or_else(|| text(HOST)) {
            None | Some("localhost") => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(host) => host.parse().map_err(|_| SettingsError::Host(host.to_owned()))?,
        };
        let port = match port.or_else(|| text(PORT)) {
            None => DEFAULT_PORT,
            Some(port) => port.parse().map_err(|_| SettingsError::Port(port.to_owned()))?,
        };
        let address = SocketAddr::new(host, port);
        let credentials = text(USERNAME).zip(text(PASSWORD)).map(|(name, password)| Credentials::new(name, password));
        if credentials.is_none() && !host.is_loopback() {
            return Err(SettingsError::Open(address));
        }
        Ok(Self { address, credentials })
    }
}

impl Credentials {
    fn new(name: &str, password: &str) -> Self {
        Self::digest(&STANDARD.encode(format!("{name}:{password}")))
    }

    /// Whether the value of an Authorization header is these. Digests are compared, so that the time
    /// it takes tells nothing about how much was right.
    pub(crate) fn are(&self, header: &str) -> bool {
        header.strip_prefix("Basic ").is_some_and(|sent| Self::digest(sent.trim()) == *self)
    }

    fn digest(sent: &str) -> Self {
        Self(Sha256::digest(sent).into())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Credentials(…)")
    }
}

impl Explain for SettingsError {
    fn fault(&self) -> Fault {
        Fault::Configuration
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Host(_) => "use an address such as 127.0.0.1 or 0.0.0.0".to_owned(),
            Self::Port(_) => "use a number from 1 to 65535".to_owned(),
            Self::Open(_) => format!("set {USERNAME} and {PASSWORD}, or listen on 127.0.0.1"),
        })
    }
}

#[cfg(test)]
mod tests {
    use hermes_proto::HostEnvironment;

    use super::{Credentials, Settings, SettingsError};

    fn of(pairs: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        Settings::of(None, None, &HostEnvironment::from_pairs(pairs.iter().copied()))
    }

    #[test]
    fn it_listens_for_this_machine_unless_there_are_credentials() {
        assert_eq!(of(&[]).unwrap().address.to_string(), "127.0.0.1:9119");
        assert_eq!(of(&[("HERMES_DASHBOARD_PORT", "9120")]).unwrap().address.port(), 9120);
        assert_eq!(of(&[("HERMES_DASHBOARD_HOST", "::1")]).unwrap().address.to_string(), "[::1]:9119");
        for host in ["0.0.0.0", "::", "10.0.0.1"] {
            assert!(matches!(of(&[("HERMES_DASHBOARD_HOST", host)]), Err(SettingsError::Open(_))), "{host}");
            let half = [("HERMES_DASHBOARD_HOST", host), ("HERMES_DASHBOARD_BASIC_AUTH_USERNAME", "admin")];
            assert!(matches!(of(&half), Err(SettingsError::Open(_))), "{host}: no password");
            let insecure = [("HERMES_DASHBOARD_HOST", host), ("HERMES_DASHBOARD_INSECURE", "1")];
            assert!(matches!(of(&insecure), Err(SettingsError::Open(_))), "{host}: nothing opens it by itself");
            let whole = [
                ("HERMES_DASHBOARD_HOST", host),
                ("HERMES_DASHBOARD_BASIC_AUTH_USERNAME", "admin"),
                ("HERMES_DASHBOARD_BASIC_AUTH_PASSWORD", "secret"),
            ];
            assert!(of(&whole).unwrap().credentials.is_some());
        }
        assert!(matches!(of(&[("HERMES_DASHBOARD_PORT", "x")]), Err(SettingsError::Port(_))));
        assert!(matches!(of(&[("HERMES_DASHBOARD_HOST", "x y")]), Err(SettingsError::Host(_))));
    }

    #[test]
    fn only_the_right_header_is_the_credentials() {
        let credentials = Credentials::new("admin", "se:cret");
        assert!(credentials.are("Basic YWRtaW46c2U6Y3JldA=="));
        for wrong in ["", "Basic ", "Basic YWRtaW46", "Bearer YWRtaW46c2U6Y3JldA==", "YWRtaW46c2U6Y3JldA=="] {
            assert!(!credentials.are(wrong), "{wrong}");
        }
        assert!(!format!("{credentials:?}").contains("cret"));
    }
}
