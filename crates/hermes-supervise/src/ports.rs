//! A port of its own for the API of every profile.
//!
//! All gateways listening on one default port is how the second profile of a container never came
//! up. A profile's port follows from its name, so that it is the same on every machine, and is kept
//! once given, so that a collision moves only the newcomer.

use std::collections::BTreeMap;

use hermes_home::files::{self, Change, FileError, Mode, UpdateError};
use hermes_home::{HomeName, HomeRoot};
use hermes_proto::{Explain, Fault, ProfileName};
use sha2::{Digest, Sha256};

/// In the root: profile to port.
const FILE: &str = "gateway_ports.json";
/// The default home's.
pub const OF_DEFAULT: u16 = 8642;
const FIRST: u16 = 9200;
const COUNT: u16 = 600;

/// Why a profile has no port.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{FILE} is damaged: {0}")]
    Damaged(serde_json::Error),
    #[error("all {COUNT} ports from {FIRST} on are taken")]
    Full,
}

impl Explain for PortError {
    fn fault(&self) -> Fault {
        match self {
            Self::File(error) => error.fault(),
            Self::Damaged(_) | Self::Full => Fault::Configuration,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Damaged(_) => Some(format!("delete {FILE}; ports are given again")),
            Self::Full => Some("set API_SERVER_PORT in the profile's .env".to_owned()),
        }
    }
}

/// The port that a name asks for.
fn preferred(name: &ProfileName) -> u16 {
    let digest = Sha256::digest(name.as_str());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    FIRST + u16::try_from(number % u64::from(COUNT)).unwrap_or_default()
}

/// The port of a home's API where its configuration names none.
pub fn api_port(root: &HomeRoot, home: &HomeName) -> Result<u16, PortError> {
    home.profile().map_or(Ok(OF_DEFAULT), |name| port_of(root, name))
}

/// The port of a profile's API: the one it has, else the next free one from the one its name asks for.
pub fn port_of(root: &HomeRoot, name: &ProfileName) -> Result<u16, PortError> {
    let mut given = 0;
    let outcome = files::update(root.path(), FILE, Mode::Group, |current| {
        let mut ports = read(current)?;
        if let Some(port) = ports.get(name.as_str()) {
            given = *port;
            return Ok(Change::Keep);
        }
        given = free(&ports, preferred(name)).ok_or(PortError::Full)?;
        ports.insert(name.as_str().to_owned(), given);
        Ok(Change::Replace(serde_json::to_vec_pretty(&ports).map_err(PortError::Damaged)?))
    });
    settled(outcome).map(|()| given)
}

/// A profile that is renamed keeps its port: who talks to it knows the number, not the name.
pub fn rename(root: &HomeRoot, from: &ProfileName, to: &ProfileName) -> Result<(), PortError> {
    settled(files::update(root.path(), FILE, Mode::Group, |current| {
        let mut ports = read(current)?;
        let Some(port) = ports.remove(from.as_str()) else { return Ok(Change::Keep) };
        ports.insert(to.as_str().to_owned(), port);
        Ok(Change::Replace(serde_json::to_vec_pretty(&ports).map_err(PortError::Damaged)?))
    }))
}

/// Gives a profile's port back.
pub fn release(root: &HomeRoot, name: &ProfileName) -> Result<(), PortError> {
    settled(files::update(root.path(), FILE, Mode::Group, |current| {
        let mut ports = read(current)?;
        if ports.remove(name.as_str()).is_none() {
            return Ok(Change::Keep);
        }
        Ok(Change::Replace(serde_json::to_vec_pretty(&ports).map_err(PortError::Damaged)?))
    }))
}

fn read(current: Option<&[u8]>) -> Result<BTreeMap<String, u16>, PortError> {
    current.map_or_else(|| Ok(BTreeMap::new()), |bytes| serde_json::from_slice(bytes).map_err(PortError::Damaged))
}

fn free(ports: &BTreeMap<String, u16>, from: u16) -> Option<u16> {
    let taken = |port: &u16| ports.values().any(|other| other == port);
    (0..COUNT).map(|step| FIRST + (from - FIRST + step) % COUNT).find(|port| !taken(port))
}

fn settled(outcome: Result<(), UpdateError<PortError>>) -> Result<(), PortError> {
    outcome.map_err(|error| match error {
        UpdateError::File(error) => PortError::File(error),
        UpdateError::Refused(error) => error,
    })
}

#[cfg(test)]
mod tests {
    use hermes_home::HomeRoot;
    use hermes_proto::HostEnvironment;

    use super::{COUNT, FILE, FIRST, OF_DEFAULT, api_port, port_of, preferred, release, rename};

    #[test]
    fn a_port_follows_from_the_name_and_stays() {
        let home = tempfile::tempdir().unwrap();
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", home.path())])).unwrap();
        let coder = "coder".parse().unwrap();
        let port = port_of(&root, &coder).unwrap();
        assert_eq!(port, preferred(&coder));
        assert!((FIRST..FIRST + COUNT).contains(&port));
        assert_eq!(port_of(&root, &coder).unwrap(), port);
        // Somebody else has had that port before.
        let taken = format!("{{\"other\":{port},\"another\":{}}}", FIRST + (port - FIRST + 1) % COUNT);
        std::fs::write(home.path().join(FILE), taken).unwrap();
        assert_eq!(port_of(&root, &coder).unwrap(), FIRST + (port - FIRST + 2) % COUNT);
        release(&root, &"other".parse().unwrap()).unwrap();
        assert_eq!(port_of(&root, &coder).unwrap(), FIRST + (port - FIRST + 2) % COUNT, "a port once given is kept");
    }

    #[test]
    fn a_renamed_profile_keeps_its_port_and_a_released_one_is_free() {
        let home = tempfile::tempdir().unwrap();
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", home.path())])).unwrap();
        let (old, new) = ("old".parse().unwrap(), "new".parse().unwrap());
        let port = api_port(&root, &"old".parse().unwrap()).unwrap();
        rename(&root, &old, &new).unwrap();
        assert_eq!(port_of(&root, &new).unwrap(), port);
        assert_ne!(port_of(&root, &old).unwrap(), port, "the name alone brings nothing back");
        release(&root, &new).unwrap();
        release(&root, &old).unwrap();
        assert_eq!(port_of(&root, &old).unwrap(), port);
        assert_eq!(api_port(&root, &"default".parse().unwrap()).unwrap(), OF_DEFAULT);
    }

    #[test]
    fn two_hundred_profiles_share_no_port() {
        let home = tempfile::tempdir().unwrap();
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", home.path())])).unwrap();
        let mut ports: Vec<u16> =
            (0..200).map(|number| port_of(&root, &format!("p{number}").parse().unwrap()).unwrap()).collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 200);
    }
}
