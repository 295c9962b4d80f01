//! A part of a long list.

use serde_json::{Value, json};

use super::super::error::ApiError;

/// Things on a page at most, and if nothing is asked for.
const LARGEST: usize = 200;
const USUAL: usize = 50;
/// Things that can be passed over.
const FARTHEST: usize = 1_000_000;

/// Which part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) limit: usize,
    pub(super) offset: usize,
}

impl Page {
    pub(super) fn asked(limit: Option<usize>, offset: Option<usize>) -> Result<Self, ApiError> {
        let limit = limit.unwrap_or(USUAL);
        if !(1..=LARGEST).contains(&limit) {
            return Err(ApiError::invalid(format!("it has to be from 1 to {LARGEST}")).about("limit"));
        }
        let offset = offset.unwrap_or_default();
        if offset > FARTHEST {
            return Err(ApiError::invalid(format!("it has to be at most {FARTHEST}")).about("offset"));
        }
        Ok(Self { limit, offset })
    }

    /// The page, from one thing more than fits on it.
    pub(super) fn list(self, mut found: Vec<Value>) -> Value {
        let has_more = found.len() > self.limit;
        found.truncate(self.limit);
        json!({"object": "list", "data": found, "has_more": has_more, "limit": self.limit, "offset": self.offset})
    }
}
