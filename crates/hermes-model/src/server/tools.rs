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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value as Json, json};

    use super::{Dialect, ToolSchema, WrittenTools};

    fn tools(name: &str) -> Arc<[ToolSchema]> {
        [ToolSchema { name: name.to_owned(), description: String::new(), parameters: json!({}) }].into()
    }

    #[test]
    fn the_same_are_written_once_and_others_anew() {
        let written = WrittenTools::default();
        let (first, second) = (tools("first"), tools("second"));
        let name = |tools: &Arc<[ToolSchema]>| {
            let text = written.of(tools, Dialect::ChatCompletions);
            let encoded: Json = serde_json::from_slice(&text).unwrap();
            (encoded[0]["function"]["name"].clone(), text)
        };
        let (told, text) = name(&first);
        assert_eq!(told, "first");
        assert!(Arc::ptr_eq(&name(&first).1, &text), "written once");
        assert_eq!(name(&second).0, "second");
        assert_eq!(name(&first).0, "first");
    }
}
