//! A response as callers see it.

use hermes_store::Time;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::asking::Answered;
use super::super::error::ApiError;
use super::super::usage;

/// What is known of a response before it is answered.
#[derive(Debug, Clone)]
pub(super) struct Shell {
    pub(super) id: String,
    /// Of the one message that it consists of.
    pub(super) message: String,
    pub(super) created: i64,
    pub(super) model: String,
    pub(super) instructions: Option<String>,
    pub(super) previous: Option<String>,
    pub(super) series: Option<String>,
    pub(super) is_stored: bool,
    pub(super) metadata: Map<String, Value>,
}

impl Shell {
    pub(super) fn new(model: String) -> Self {
        Self {
            id: format!("resp_{}", Uuid::now_v7().simple()),
            message: format!("msg_{}", Uuid::now_v7().simple()),
            created: Time::now().microseconds() / 1_000_000,
            model,
            instructions: None,
            previous: None,
            series: None,
            is_stored: true,
            metadata: Map::new(),
        }
    }

    pub(super) fn in_progress(&self) -> Value {
        self.with(&json!({"status": "in_progress", "output": [], "usage": null}))
    }

    pub(super) fn failed(&self, error: &ApiError) -> Value {
        let error = json!({"code": error.code(), "message": error.message()});
        self.with(&json!({"status": "failed", "error": error, "output": [], "usage": null}))
    }

    pub(super) fn answered(&self, answered: &Answered, text: &str) -> Value {
        let (status, details) = match answered.finish_reason() {
            "length" => ("incomplete", json!({"reason": "max_output_tokens"})),
            "content_filter" => ("incomplete", json!({"reason": "content_filter"})),
            _ => ("completed", Value::Null),
        };
        self.with(&json!({
            "status": status,
            "incomplete_details": details,
            "output": [self.item(status, Some(text))],
            "usage": usage::of_response(&answered.end.usage),
        }))
    }

    /// The message; without a text it has no part yet.
    pub(super) fn item(&self, status: &str, text: Option<&str>) -> Value {
        let content: Vec<_> = text.map(part).into_iter().collect();
        json!({"type": "message", "id": self.message, "status": status, "role": "assistant", "content": content})
    }

    fn with(&self, state: &Value) -> Value {
        let mut object = json!({
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": null,
            "error": null,
            "incomplete_details": null,
            "instructions": self.instructions,
            "max_output_tokens": null,
            "metadata": self.metadata,
            "model": self.model,
            "output": null,
            "parallel_tool_calls": true,
            "previous_response_id": self.previous,
            "conversation": self.series.as_ref().map(|id| json!({"id": id})),
            "reasoning": {"effort": null, "summary": null},
            "store": self.is_stored,
            "temperature": null,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": null,
            "truncation": "disabled",
            "usage": null,
            "user": null,
        });
        if let (Value::Object(object), Value::Object(state)) = (&mut object, state) {
            object.extend(state.clone());
        }
        object
    }
}

pub(super) fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}
