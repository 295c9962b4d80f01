//! Replies in the words of the two APIs.

use serde_json::{Value as Json, json};

use super::reply::{Reply, Step};

/// Which API a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    OpenAi,
    Anthropic,
}

/// Writes one reply as a stream.
pub(super) struct Writer {
    api: Api,
    model: Json,
    /// Anthropic's open block and its kind.
    block: Option<(usize, &'static str)>,
    blocks: usize,
    calls: usize,
    /// The block of each call.
    places: Vec<usize>,
}

impl Writer {
    pub(super) fn new(api: Api, request: &Json) -> Self {
        Self { api, model: request["model"].clone(), block: None, blocks: 0, calls: 0, places: Vec::new() }
    }

    pub(super) fn begin(&self, reply: &Reply) -> Vec<u8> {
        match self.api {
            Api::OpenAi => self.chunk(&json!({"role": "assistant", "content": ""}), &Json::Null),
            Api::Anthropic => {
                let usage = json!({"input_tokens": reply.usage.0, "output_tokens": 1});
                let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": self.model,
                    "stop_reason": null, "stop_sequence": null, "usage": usage});
                event("message_start", &json!({"type": "message_start", "message": message}))
            }
        }
    }

    pub(super) fn step(&mut self, step: &Step) -> Vec<u8> {
        match self.api {
            Api::OpenAi => self.openai_step(step),
            Api::Anthropic => self.anthropic_step(step),
        }
    }

    pub(super) fn end(&mut self, reply: &Reply) -> Vec<u8> {
        let reason = finish_reason(self.api, reply);
        match self.api {
            Api::OpenAi => {
                let usage = openai_usage(reply);
                let last = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": self.model,
                    "choices": [], "usage": usage});
                let chunks = [
                    self.chunk(&json!({}), &reason),
                    format!("data: {last}\n\n").into_bytes(),
                    b"data: [DONE]\n\n".to_vec(),
                ];
                chunks.concat()
            }
            Api::Anthropic => {
                let usage = json!({"output_tokens": reply.usage.1});
                let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage});
                let closing = [self.close_block(), event("message_delta", &delta)];
                [closing.concat(), event("message_stop", &json!({"type": "message_stop"}))].concat()
            }
        }
    }

    fn openai_step(&mut self, step: &Step) -> Vec<u8> {
        let delta = match step {
            Step::Text(text) => json!({ "content": text }),
            Step::Reasoning(text) => json!({ "reasoning_content": text }),
            Step::CallStart { id, name } => {
                let index = self.calls;
                self.calls += 1;
                json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]})
            }
            Step::CallArguments { call, fragment } => {
                json!({"tool_calls": [{"index": call, "function": {"arguments": fragment}}]})
            }
            Step::Error(message) => {
                return format!("data: {}\n\n", json!({"error": {"message": message, "type": "server_error"}}))
                    .into_bytes();
            }
            _ => return Vec::new(),
        };
        self.chunk(&delta, &Json::Null)
    }

    fn chunk(&self, delta: &Json, reason: &Json) -> Vec<u8> {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason});
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": self.model,
            "choices": [choice], "usage": null});
        format!("data: {chunk}\n\n").into_bytes()
    }

    fn anthropic_step(&mut self, step: &Step) -> Vec<u8> {
        match step {
            Step::Text(text) => {
                let opened = self.open_block("text", &json!({"type": "text", "text": ""}));
                [opened, self.delta(None, &json!({"type": "text_delta", "text": text}))].concat()
            }
            Step::Reasoning(text) => {
                let opened = self.open_block("thinking", &json!({"type": "thinking", "thinking": "", "signature": ""}));
                [opened, self.delta(None, &json!({"type": "thinking_delta", "thinking": text}))].concat()
            }
            Step::CallStart { id, name } => {
                self.places.push(self.blocks);
                let closed = self.close_block();
                let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
                [closed, self.open_block("tool_use", &block)].concat()
            }
            Step::CallArguments { call, fragment } => {
                let delta = json!({"type": "input_json_delta", "partial_json": fragment});
                self.delta(self.places.get(*call).copied(), &delta)
            }
            Step::Error(message) => {
                event("error", &json!({"type": "error", "error": {"type": "overloaded_error", "message": message}}))
            }
            _ => Vec::new(),
        }
    }

    fn open_block(&mut self, kind: &'static str, block: &Json) -> Vec<u8> {
        if self.block.is_some_and(|(_, open)| open == kind && kind != "tool_use") {
            return Vec::new();
        }
        let closed = self.close_block();
        let index = self.blocks;
        self.blocks += 1;
        self.block = Some((index, kind));
        let start = json!({"type": "content_block_start", "index": index, "content_block": block});
        [closed, event("content_block_start", &start)].concat()
    }

    fn close_block(&mut self) -> Vec<u8> {
        let Some((index, kind)) = self.block.take() else { return Vec::new() };
        let signature = json!({"type": "signature_delta", "signature": "c2lnbmVk"});
        let signed = if kind == "thinking" { self.delta(Some(index), &signature) } else { Vec::new() };
        let stop = event("content_block_stop", &json!({"type": "content_block_stop", "index": index}));
        [signed, stop].concat()
    }

    fn delta(&self, index: Option<usize>, delta: &Json) -> Vec<u8> {
        let index = index.or(self.block.map(|(index, _)| index));
        event("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}))
    }
}

/// The reply as one document.
pub(super) fn document(api: Api, request: &Json, reply: &Reply) -> Json {
    let join = |pick: fn(&Step) -> Option<&str>| reply.steps.iter().filter_map(pick).collect::<String>();
    let text = join(|step| if let Step::Text(text) = step { Some(text) } else { None });
    let reasoning = join(|step| if let Step::Reasoning(text) = step { Some(text) } else { None });
    let calls = calls(reply);
    let reason = finish_reason(api, reply);
    match api {
        Api::OpenAi => {
            let mut message = json!({"role": "assistant", "content": text});
            if !reasoning.is_empty() {
                message["reasoning_content"] = reasoning.into();
            }
            if !calls.is_empty() {
                let call = |(id, name, arguments): &(String, String, String)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
                message["tool_calls"] = calls.iter().map(call).collect();
            }
            json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": openai_usage(reply)})
        }
        Api::Anthropic => {
            let mut content = Vec::new();
            if !reasoning.is_empty() {
                content.push(json!({"type": "thinking", "thinking": reasoning, "signature": "c2lnbmVk"}));
            }
            if !text.is_empty() {
                content.push(json!({"type": "text", "text": text}));
            }
            content.extend(calls.iter().map(|(id, name, arguments)| {
                let input: Json = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }));
            let usage = json!({"input_tokens": reply.usage.0, "output_tokens": reply.usage.1});
            json!({"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"], "content": content,
                "stop_reason": reason, "stop_sequence": null, "usage": usage})
        }
    }
}

fn calls(reply: &Reply) -> Vec<(String, String, String)> {
    let mut calls: Vec<(String, String, String)> = Vec::new();
    for step in &reply.steps {
        match step {
            Step::CallStart { id, name } => calls.push((id.clone(), name.clone(), String::new())),
            Step::CallArguments { call, fragment } => calls[*call].2.push_str(fragment),
            _ => {}
        }
    }
    calls
}

fn finish_reason(api: Api, reply: &Reply) -> Json {
    let usual = match (api, reply.has_calls()) {
        (Api::OpenAi, false) => "stop",
        (Api::OpenAi, true) => "tool_calls",
        (Api::Anthropic, false) => "end_turn",
        (Api::Anthropic, true) => "tool_use",
    };
    reply.finish.as_deref().unwrap_or(usual).into()
}

fn openai_usage(reply: &Reply) -> Json {
    let (input, output) = reply.usage;
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": input / 2}, "completion_tokens_details": {"reasoning_tokens": 0}})
}

fn event(name: &str, data: &Json) -> Vec<u8> {
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}
