//! Sessions and messages as callers see them: nothing of where this machine keeps or runs things.

use hermes_proto::message::{Message, Role};
use hermes_store::sessions::{Session, Standing, Stored};
use serde_json::{Value, json};

use super::super::runs::seconds;
use super::super::usage;

pub(super) fn to_json(session: &Session) -> Value {
    json!({
        "id": session.id.as_str(),
        "object": "hermes.session",
        "title": session.title,
        "source": session.source,
        "model": session.model,
        "parent_id": session.parent.as_ref().map(|id| id.as_str().to_owned()),
        "started_at": seconds(session.started),
        "updated_at": seconds(session.updated),
        "ended_at": session.ended.map(seconds),
        "end_reason": session.end_reason,
        "message_count": session.messages,
        "tool_call_count": session.tool_calls,
        "preview": session.preview,
        "usage": usage::of_response(&session.usage),
    })
}

/// A message; nothing for what the model was told before the conversation, which is the operator's.
pub(super) fn message_json(stored: &Stored) -> Option<Value> {
    let message = &stored.message;
    if message.role() == Role::System {
        return None;
    }
    let calls: Vec<_> = message
        .tool_calls()
        .iter()
        .map(|call| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": call.id.as_str(), "type": "function", "function": function})
        })
        .collect();
    let (call, tool) = match message {
        Message::Tool { call_id, name, .. } => (Some(call_id.as_str()), Some(name.as_str())),
        Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => (None, None),
    };
    Some(json!({
        "id": stored.position.to_string(),
        "object": "hermes.message",
        "role": message.role().as_str(),
        "content": message.text(),
        "tool_calls": calls,
        "tool_call_id": call,
        "tool_name": tool,
        "created_at": seconds(stored.time),
        "archived": matches!(stored.standing, Standing::Archived(_)),
    }))
}
