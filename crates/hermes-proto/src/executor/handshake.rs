//! How a link begins: a fixed preamble in each direction, then one frame each.
//!
//! The preamble is checked before any frame is trusted, so that a shell's greeting, an older
//! build or a wrong program at the other end is named instead of being parsed.

use serde::{Deserialize, Serialize};

use super::IsolationReport;

/// The version of everything in this module's folder.
pub const PROTOCOL: u16 = 1;
const MAGIC: [u8; 6] = *b"hermes";
pub const PREAMBLE_LENGTH: usize = MAGIC.len() + 2;

/// The first bytes of each direction.
pub fn preamble() -> [u8; PREAMBLE_LENGTH] {
    let [low, high] = PROTOCOL.to_le_bytes();
    let [a, b, c, d, e, f] = MAGIC;
    [a, b, c, d, e, f, low, high]
}

/// What stands at the other end instead of a peer of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PreambleError {
    #[error("the other end is not a hermes program; it began with {0:?}")]
    Foreign(String),
    #[error("the other end speaks protocol {theirs}, this build speaks {PROTOCOL}")]
    Version { theirs: u16 },
}

/// Checks the peer's first bytes.
pub fn read_preamble(bytes: [u8; PREAMBLE_LENGTH]) -> Result<(), PreambleError> {
    let Some((magic, version)) = bytes.split_first_chunk::<{ MAGIC.len() }>() else {
        return Err(PreambleError::Foreign(String::new()));
    };
    if *magic != MAGIC {
        return Err(PreambleError::Foreign(String::from_utf8_lossy(&bytes).into_owned()));
    }
    match version {
        [low, high] if u16::from_le_bytes([*low, *high]) == PROTOCOL => Ok(()),
        [low, high] => Err(PreambleError::Version { theirs: u16::from_le_bytes([*low, *high]) }),
        _ => Err(PreambleError::Foreign(String::from_utf8_lossy(&bytes).into_owned())),
    }
}

/// What the runtime tells a fresh executor. `C` is the confinement it is to put on
/// itself, a type of the crate that knows how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open<C> {
    /// The runtime's build, for the error text when the two do not fit.
    pub build: String,
    /// What to put on before the first command; `None` where the environment around the
    /// executor (a container) is the confinement.
    pub confinement: Option<C>,
    /// Where commands start until one changes directory.
    pub working_directory: String,
    /// Whether commands also get the executor's own environment (a container's) underneath.
    pub keeps_own_environment: bool,
    /// A private folder for output that is too long to return.
    pub spill_folder: Option<String>,
}

/// The executor's answer to [`Open`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Started {
    Ready(Ready),
    Refused(Refused),
}

/// The executor takes requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    pub build: String,
    pub isolation: IsolationReport,
    /// The working directory as it is seen inside.
    pub working_directory: String,
}

/// The executor does not start, and why; it ends after saying so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub reason: String,
    pub hint: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::{PREAMBLE_LENGTH, PROTOCOL, PreambleError, preamble, read_preamble};

    #[test]
    fn only_our_own_preamble_is_accepted() {
        assert_eq!(read_preamble(preamble()), Ok(()));
        let mut newer = preamble();
        newer[PREAMBLE_LENGTH - 2] = PROTOCOL as u8 + 1;
        assert_eq!(read_preamble(newer), Err(PreambleError::Version { theirs: PROTOCOL + 1 }));
        assert_eq!(read_preamble(*b"bash-5.2"), Err(PreambleError::Foreign("bash-5.2".to_owned())));
    }
}
