//! What makes a request wrong: the schema, and the rules for conversations that no schema can say.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value as Json;

use super::Api;

static OPENAI: LazyLock<Validator> = LazyLock::new(|| validator(include_str!("openai.schema.json")));
static ANTHROPIC: LazyLock<Validator> = LazyLock::new(|| validator(include_str!("anthropic.schema.json")));

/// Breakpoints for the cache that one request may have.
const MOST_MARKS: usize = 4;

fn validator(schema: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
}

/// Everything that is wrong with a request.
pub(super) fn violations(api: Api, body: &Json) -> Vec<String> {
    let validator = if api == Api::OpenAi { &*OPENAI } else { &*ANTHROPIC };
    let mut wrong: Vec<String> =
        validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    match api {
        Api::OpenAi => openai(messages, &mut wrong),
        Api::Anthropic => anthropic(body, messages, &mut wrong),
    }
    wrong
}

/// Each call is answered before anything else is said, each answer is to a call, and no id comes twice.
fn openai(messages: &[Json], wrong: &mut Vec<String>) {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (place, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                wrong.push(format!("message {place} answers the call {id:?}, which is not open"));
            }
            continue;
        }
        if !open.is_empty() {
            wrong.push(format!("message {place} comes before the calls {open:?} were answered"));
            open.clear();
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().unwrap_or_default();
            if !seen.insert(id) {
                wrong.push(format!("message {place} has the call {id:?} again"));
            }
            open.insert(id);
            let arguments = call.pointer("/function/arguments").and_then(Json::as_str).unwrap_or_default();
            if !serde_json::from_str::<Json>(arguments).is_ok_and(|json| json.is_object()) {
                wrong.push(format!("message {place} has arguments that are no object: {arguments}"));
            }
        }
    }
    if !open.is_empty() {
        wrong.push(format!("the calls {open:?} are never answered"));
    }
}

/// Roles alternate and begin with the user, the results of a message's calls stand first in the next one, and there are no
/// more than four marks for the cache.
fn anthropic(body: &Json, messages: &[Json], wrong: &mut Vec<String>) {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (place, message) in messages.iter().enumerate() {
        let expected = if place % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != expected {
            wrong.push(format!("message {place} is of {}, not of {expected}", message["role"]));
        }
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let results = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
        for block in blocks.iter().filter(|block| block["type"] == "tool_result") {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                wrong.push(format!("message {place} answers the call {id:?}, which is not open"));
            }
        }
        if blocks.iter().skip(results).any(|block| block["type"] == "tool_result") {
            wrong.push(format!("message {place} has results after something else"));
        }
        if !open.is_empty() {
            wrong.push(format!("message {place} does not answer the calls {open:?}"));
        }
        open = blocks.iter().filter(|b| b["type"] == "tool_use").filter_map(|b| b["id"].as_str()).collect();
        let calls = blocks.iter().filter(|block| block["type"] == "tool_use").count();
        if open.len() != calls {
            wrong.push(format!("message {place} has two calls with one id"));
        }
    }
    if !open.is_empty() {
        wrong.push(format!("the calls {open:?} are never answered"));
    }
    let marks = marks(body);
    if marks > MOST_MARKS {
        wrong.push(format!("{marks} marks for the cache"));
    }
}

fn marks(value: &Json) -> usize {
    match value {
        Json::Object(fields) => {
            usize::from(fields.contains_key("cache_control")) + fields.values().map(marks).sum::<usize>()
        }
        Json::Array(items) => items.iter().map(marks).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn right_requests_pass_and_wrong_ones_do_not() {
        let call = json!({"role": "assistant", "content": null,
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}}]});
        let result = json!({"role": "tool", "tool_call_id": "a", "content": "x"});
        let user = json!({"role": "user", "content": "x"});
        let body = |messages: Json| json!({"model": "m", "messages": messages});
        for (messages, right) in [
            (json!([user, call, result, user]), true),
            (json!([user]), true),
            (json!([]), false),
            (json!([user, call]), false),
            (json!([user, call, user, result]), false),
            (json!([user, result]), false),
            (json!([user, call, result, call, result]), false),
            (json!([{"role": "user"}]), false),
            (json!([{"role": "assistant", "content": null}]), false),
        ] {
            let wrong = violations(Api::OpenAi, &body(messages.clone()));
            assert_eq!(wrong.is_empty(), right, "{messages}: {wrong:?}");
        }
        let odd = json!({"model": "m", "messages": [user], "stream_options": {"include_usage": true}, "odd": 1});
        assert_eq!(violations(Api::OpenAi, &odd).len(), 2);
    }

    #[test]
    fn anthropic_conversations_alternate_and_answer_at_once() {
        let user = json!({"role": "user", "content": [{"type": "text", "text": "x"}]});
        let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "t", "input": {}}]});
        let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}, {"type": "text", "text": "x"}]});
        let late = json!({"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "tool_result", "tool_use_id": "a"}]});
        let empty = json!({"role": "user", "content": [{"type": "text", "text": " "}]});
        for (messages, right) in [
            (json!([user, call, result]), true),
            (json!([user, call, late]), false),
            (json!([user, call, user]), false),
            (json!([user, call]), false),
            (json!([user, user]), false),
            (json!([call, result]), false),
            (json!([empty]), false),
        ] {
            let wrong = violations(Api::Anthropic, &json!({"model": "m", "max_tokens": 1, "messages": messages}));
            assert_eq!(wrong.is_empty(), right, "{messages}: {wrong:?}");
        }
        assert!(!violations(Api::Anthropic, &json!({"model": "m", "messages": [user]})).is_empty());
    }
}
