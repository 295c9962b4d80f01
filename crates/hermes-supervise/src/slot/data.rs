//! What a slot says about its service: whose it is, and what its environment holds beyond the
//! container's.

use std::collections::BTreeMap;
use std::path::Path;

use hermes_home::HomeName;
use serde::{Deserialize, Serialize};

use crate::manager::ServiceError;

/// The file in the slot.
pub const FILE: &str = "slot.json";

/// The content of that file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotData {
    pub home: HomeName,
    pub environment: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    home: String,
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

impl SlotData {
    /// Reads the slot at `slot`.
    pub fn read(slot: &Path) -> Result<Self, ServiceError> {
        let path = slot.join(FILE);
        let bytes = std::fs::read(&path).map_err(ServiceError::at("read", &path))?;
        let damaged = |source| ServiceError::Damaged { path: path.clone(), source };
        let stored: Stored = serde_json::from_slice(&bytes).map_err(damaged)?;
        let home = stored.home.parse();
        let home = home.map_err(|invalid: hermes_proto::InvalidProfileName| {
            damaged(<serde_json::Error as serde::de::Error>::custom(invalid))
        })?;
        Ok(Self { home, environment: stored.environment })
    }

    pub(super) fn text(&self) -> String {
        let stored = Stored { home: self.home.as_str().to_owned(), environment: self.environment.clone() };
        serde_json::to_string(&stored).unwrap_or_default()
    }
}
