//! The tools of requests, written once for as long as they stay the same.
//!
//! They are the larger part of most requests and do not change in a conversation; writing them anew takes as long as everything else
//! that is done for a request.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ToolSchema;
use crate::dialect::{Dialect, encode_tools};

/// The tools of the last request, as they went over the wire.
#[derive(Debug, Default)]
pub(super) struct WrittenTools(Mutex<Option<Written>>);

#[derive(Debug)]
struct Written {
    of: Arc<[ToolSchema]>,
    text: Arc<[u8]>,
}

impl WrittenTools {
    pub(super) fn of(&self, tools: &Arc<[ToolSchema]>, dialect: Dialect) -> Arc<[u8]> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(written) if Arc::ptr_eq(&written.of, tools) => written.text.clone(),
            _ => {
                // Strings, numbers and lists can always be written.
                let text: Arc<[u8]> = serde_json::to_vec(&encode_tools(dialect, tools)).unwrap_or_default().into();
                *last = Some(Written { of: tools.clone(), text: text.clone() });
                text
            }
        }
    }
}
