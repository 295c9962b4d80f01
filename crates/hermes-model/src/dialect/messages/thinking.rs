//! When Claude may think, and how that is asked for.
//!
//! A request that asks for thinking while the last answer's tool calls come without the thoughts that led to them is
//! refused, so thinking rests until the next question of the person.

use hermes_proto::message::Message;
use serde_json::{Value as Json, json};

use super::super::{Target, wire};
use crate::{Effort, Request};

/// Generations that take a number of tokens; later ones take a word.
const BY_TOKENS: &[&str] = &[
    "claude-3-7",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
    "-4-5",
];

/// What is added to the request.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    pub(super) thinking: Option<Json>,
    pub(super) output: Option<Json>,
}

impl Thinking {
    pub(super) fn wanted(request: &Request, target: Target<'_>, max_tokens: u64) -> Self {
        let Some(effort) = request.effort.filter(|effort| *effort != Effort::None) else { return Self::default() };
        if !can_go_on(&request.messages, target) || target.model.model.contains("claude-3-5") {
            return Self::default();
        }
        if !BY_TOKENS.iter().any(|generation| target.model.model.contains(generation)) {
            let word = if effort == Effort::Minimal { Effort::Low } else { effort };
            return Self {
                thinking: Some(json!({"type": "adaptive"})),
                output: Some(json!({"effort": word.as_str()})),
            };
        }
        let budget = tokens(effort).min(max_tokens / 2);
        // The least that the API takes.
        if budget < 1024 {
            return Self::default();
        }
        Self { thinking: Some(json!({"type": "enabled", "budget_tokens": budget})), output: None }
    }
}

fn tokens(effort: Effort) -> u64 {
    match effort {
        Effort::None => 0,
        Effort::Minimal => 1024,
        Effort::Low => 4096,
        Effort::Medium => 8192,
        Effort::High => 16384,
    }
}

/// Whether every answer since the last question that called tools can be sent back with its thoughts.
fn can_go_on(messages: &[Message], target: Target<'_>) -> bool {
    let since = messages.iter().rev().take_while(|message| !matches!(message, Message::User { .. }));
    since.into_iter().all(|message| match message {
        Message::Assistant { reasoning, tool_calls, .. } => {
            tool_calls.is_empty() || wire::replay(reasoning.as_ref(), target.model).is_some()
        }
        _ => true,
    })
}
