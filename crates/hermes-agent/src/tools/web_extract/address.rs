//! Which addresses may be fetched.
//!
//! A name may resolve to something harmless when it is checked and to something else when it is used, so the
//! check stands in the resolver itself: what it lets through is what is connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use hermes_home::config::Security;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::fetch::FetchError;

/// How far a fetch may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reach {
    network: Network,
    /// Never fetched, nor anything below them; lower case.
    blocked_domains: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    Public,
    Everywhere,
}

impl Reach {
    pub(super) fn of(security: &Security) -> Self {
        let network = if security.allow_private_urls { Network::Everywhere } else { Network::Public };
        let list = match &security.website_blocklist {
            serde_json::Value::Object(map) if map.get("enabled") == Some(&false.into()) => None,
            serde_json::Value::Object(map) => map.get("domains").cloned(),
            list => Some(list.clone()),
        };
        let domains = list.as_ref().and_then(serde_json::Value::as_array).into_iter().flatten();
        let domains = domains.filter_map(serde_json::Value::as_str);
        let blocked_domains = domains.map(|domain| domain.trim_start_matches("*.").to_lowercase()).collect();
        Self { network, blocked_domains }
    }

    /// Whether this step of a fetch may be made. Names are checked again when they are resolved.
    pub(super) fn check(&self, url: &Url) -> Result<(), FetchError> {
        let address = || url.origin().ascii_serialization();
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::Scheme { scheme: url.scheme().to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials);
        }
        let host = url.host().ok_or_else(|| FetchError::NoAddress { text: url.to_string() })?;
        let ip = match host {
            url::Host::Ipv4(ip) => Some(IpAddr::V4(ip)),
            url::Host::Ipv6(ip) => Some(IpAddr::V6(ip)),
            url::Host::Domain(name) => {
                if self.is_blocked(name) {
                    return Err(FetchError::Blocked { domain: name.to_owned() });
                }
                None
            }
        };
        match ip {
            Some(ip) if !self.allows(ip) => Err(FetchError::Private { address: address() }),
            _ => Ok(()),
        }
    }

    fn is_blocked(&self, name: &str) -> bool {
        let name = name.trim_end_matches('.').to_lowercase();
        let is_below = |domain: &String| name == *domain || name.ends_with(&format!(".{domain}"));
        self.blocked_domains.iter().any(is_below)
    }

    fn allows(&self, ip: IpAddr) -> bool {
        match self.network {
            Network::Everywhere => !is_metadata(ip),
            Network::Public => is_public(ip),
        }
    }
}

/// Resolves names, and forgets the addresses that may not be reached.
#[derive(Debug, Clone)]
pub(super) struct Resolver(pub(super) Reach);

/// Every address of a name is out of reach.
#[derive(Debug, thiserror::Error)]
#[error("{name} is an address of a private network")]
pub(super) struct OutOfReach {
    name: String,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0.clone();
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let reachable: Vec<_> = found.into_iter().filter(|address| reach.allows(address.ip())).collect();
            if reachable.is_empty() {
                return Err(OutOfReach { name: name.as_str().to_owned() }.into());
            }
            Ok(Box::new(reachable.into_iter()) as Addrs)
        })
    }
}

/// Whether a cloud tells its machines' credentials there. No configuration opens these: a private network is
/// wanted for its pages.
fn is_metadata(ip: IpAddr) -> bool {
    const ALIBABA: Ipv4Addr = Ipv4Addr::new(100, 100, 100, 200);
    const AMAZON: Ipv6Addr = Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254);
    match ip {
        IpAddr::V4(ip) => ip.is_link_local() || ip == ALIBABA,
        IpAddr::V6(ip) => ip == AMAZON || ip.to_ipv4_mapped().is_some_and(|ip| is_metadata(ip.into())),
    }
}

/// Whether an address is one of the open internet.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_multicast()
        || a == 0
        || a >= 240
        // Carriers' own networks, protocol assignments, benchmarks, the old 6to4 relays.
        || (a == 100 && (b & 0b1100_0000) == 64)
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b & 0b1111_1110) == 18)
        || (a == 192 && b == 88 && c == 99);
    !is_special
}

/// Only what is given out globally, and no way to smuggle an IPv4 address through.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    if let Some(ip) = ip.to_ipv4_mapped() {
        return is_public_v4(ip);
    }
    let segments = ip.segments();
    let [first, second, ..] = segments;
    let is_global = (first & 0xe000) == 0x2000;
    let is_documentation = (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second < 0x1000);
    let is_protocol = first == 0x2001 && second < 0x0200;
    let is_6to4 = first == 0x2002;
    let is_nat64 = first == 0x0064 && second == 0xff9b;
    if is_nat64 {
        let [.., high, low] = segments;
        return segments[2..6] == [0; 4] && is_public_v4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    }
    is_global && !is_documentation && !is_protocol && !is_6to4
}

#[cfg(test)]
mod tests {
    use hermes_home::config::Security;
    use reqwest::Url;
    use serde_json::json;

    use super::{Reach, is_public};

    #[test]
    fn only_addresses_of_the_open_internet_are_public() {
        for (ip, expected) in [
            ("93.184.216.34", true),
            ("1.1.1.1", true),
            ("172.32.0.1", true),
            ("100.128.0.1", true),
            ("2606:4700::1111", true),
            ("::ffff:1.1.1.1", true),
            ("64:ff9b::1.1.1.1", true),
            ("127.0.0.1", false),
            ("127.8.8.8", false),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("172.16.0.1", false),
            ("192.168.1.1", false),
            ("169.254.169.254", false),
            ("100.64.0.1", false),
            ("192.0.0.8", false),
            ("198.18.0.1", false),
            ("198.51.100.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("240.0.0.1", false),
            ("::1", false),
            ("::", false),
            ("::ffff:127.0.0.1", false),
            ("::127.0.0.1", false),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b:1::1.1.1.1", false),
            ("2002:0a00:0001::1", false),
            ("2001::1", false),
            ("2001:db8::1", false),
            ("fe80::1", false),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("ff02::1", false),
        ] {
            assert_eq!(is_public(ip.parse().unwrap()), expected, "{ip}");
        }
    }

    #[test]
    fn what_clouds_tell_their_machines_is_out_of_reach_even_of_who_may_reach_everything() {
        let reach = Reach::of(&Security { allow_private_urls: true, ..Security::default() });
        for (url, is_allowed) in [
            ("http://127.0.0.1/", true),
            ("http://10.0.0.1/", true),
            ("http://[fd00::1]/", true),
            ("http://169.254.169.254/latest/meta-data", false),
            ("http://[::ffff:169.254.169.254]/", false),
            ("http://169.254.170.2/", false),
            ("http://[fd00:ec2::254]/", false),
            ("http://100.100.100.200/", false),
        ] {
            assert_eq!(reach.check(&Url::parse(url).unwrap()).is_ok(), is_allowed, "{url}");
        }
    }

    #[test]
    fn an_address_is_refused_whatever_way_it_is_written() {
        let security = Security {
            website_blocklist: json!({"domains": ["*.evil.example", "bad.example"]}),
            ..Security::default()
        };
        let reach = Reach::of(&security);
        for (url, expected) in [
            ("https://example.com/a?b", None),
            ("http://1.1.1.1/", None),
            ("http://127.0.0.1:8642/", Some("http://127.0.0.1:8642 is an address of a private network")),
            ("http://2130706433/", Some("http://127.0.0.1 is an address of a private network")),
            ("http://0x7f.1/", Some("http://127.0.0.1 is an address of a private network")),
            ("http://0177.0.0.1/", Some("http://127.0.0.1 is an address of a private network")),
            ("http://[::ffff:10.0.0.1]/", Some("http://[::ffff:a00:1] is an address of a private network")),
            ("http://①②⑦.0.0.1/", Some("http://127.0.0.1 is an address of a private network")),
            ("file:///etc/passwd", Some("file addresses are not fetched, only http and https")),
            ("gopher://a/", Some("gopher addresses are not fetched, only http and https")),
            ("http://user:pass@example.com/", Some("addresses with a user or password are not fetched")),
            ("http://evil.example/", Some("evil.example is on security.website_blocklist")),
            ("http://deep.EVIL.example./", Some("deep.evil.example. is on security.website_blocklist")),
            ("http://notevil.example/", None),
            ("http://bad.example/", Some("bad.example is on security.website_blocklist")),
        ] {
            let outcome = reach.check(&Url::parse(url).unwrap()).map_err(|error| error.to_string());
            assert_eq!(outcome.err().as_deref(), expected, "{url}");
        }
    }
}
