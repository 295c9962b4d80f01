//! Streams as real servers sent them, replayed in every kind of piece.

use hermes_proto::message::Message;
use proptest::prelude::*;

use super::body::{Body, BodyError};
use crate::dialect::decoder;
use crate::{Dialect, Event, ModelId};

use Dialect::{AnthropicMessages, ChatCompletions};

struct Recording {
    dialect: Dialect,
    stream: &'static str,
    expected: &'static str,
}

macro_rules! recordings {
    ($($dialect:ident $name:literal => $expected:expr;)+) => {
        &[$(Recording { dialect: $dialect, stream: include_str!(concat!("recorded/", $name, ".txt")), expected: $expected },)+]
    };
}

const RECORDINGS: &[Recording] = recordings! {
    ChatCompletions "openai_parallel_calls" => "ToolCalls  [call_DdmO9pD3xa9XTPNJ32zg2hcA get_weather {\"location\": \"Zürich 🌧\"}] [call_e1KrMwKtdGFtlxJYv4DrQPbC get_time {}] 149+60 cached 128";
    ChatCompletions "openrouter_reasoning" => "Stop <The user greets.> Hello 👋🏽! {\"data\":{\"reasoning_details\":[{\"format\":\"anthropic-claude-v1\",\"index\":0,\"signature\":\"EqQBsig\",\"text\":\"The user greets.\",\"type\":\"reasoning.text\"}]},\"model\":\"lab/m\"} 20+9 cached 0";
    ChatCompletions "deepseek_interleaved" => "Stop <First, then> One. Two. {\"data\":{\"field\":\"reasoning_content\"},\"model\":\"lab/m\"} 7+4 cached 5";
    ChatCompletions "local_without_done" => "Stop Only text 0+0 cached 0";
    ChatCompletions "gemini_whole_calls" => "ToolCalls  [call_000000000000000100 one {\"a\":1}] [call_000000000000000101 two {\"b\":2}] 30+8 cached 0";
    ChatCompletions "ollama_same_index" => "ToolCalls  [call_a one {\"a\":1}] [call_b two {}] 0+0 cached 0";
    ChatCompletions "azure_filters" => "ContentFilter So far 0+0 cached 0";
    ChatCompletions "mistral_parts" => "ToolCalls <Hm.> Bien sûr [VvvODy9mT one {}] 1+2 cached 0";
    ChatCompletions "cut_off" => "CutOff";
    ChatCompletions "openai_error" => "Told({\"error\":{\"code\":null,\"message\":\"The server had an error while processing your request. Sorry about that!\",\"param\":null,\"type\":\"server_error\"}})";
    ChatCompletions "openrouter_error" => "Told({\"error\":{\"code\":429,\"message\":\"Rate limit exceeded upstream\"}})";
    AnthropicMessages "anthropic_thinking_and_calls" => "ToolCalls <Let me look…> I'll 看看. [toolu_01A terminal {\"command\": \"ls\"}] [toolu_01B nothing ] {\"data\":[{\"signature\":\"EqQBxyz==\",\"thinking\":\"Let me look…\",\"type\":\"thinking\"},{\"data\":\"Emo=\",\"type\":\"redacted_thinking\"}],\"model\":\"lab/m\"} 912+88 cached 900";
    AnthropicMessages "anthropic_overloaded" => "Told({\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"},\"type\":\"error\"})";
};

/// The outcome in one line: reason, thoughts, text, calls, what is sent back, tokens.
fn replay<'a>(dialect: Dialect, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut body = Body::new(decoder(dialect, &ModelId::new("lab", "m"), 1));
    let mut told = Told::default();
    let outcome = (|| {
        for piece in pieces {
            told.add(body.push(piece)?);
        }
        told.add(body.finish()?);
        Ok::<_, BodyError>(body.decoder().end()?)
    })();
    let (last, reason, answer) = match outcome {
        Ok(ended) => ended,
        Err(BodyError::Wrong(crate::dialect::Wrong::Told(body))) => return format!("Told({})", sorted(&body)),
        Err(BodyError::Wrong(wrong)) => return format!("{wrong:?}"),
        Err(error) => return format!("{error:?}"),
    };
    told.add(last);
    let (message, usage) = answer.into_message();
    let Message::Assistant { text, reasoning, tool_calls } = &message else { panic!() };
    let thoughts = reasoning.as_ref().map_or(String::new(), |reasoning| reasoning.text.clone());
    let calls: Vec<_> =
        tool_calls.iter().map(|call| format!("[{} {} {}]", call.id, call.name, call.arguments)).collect();
    assert_eq!(
        (&told.text, &told.reasoning, &told.calls),
        (text, &thoughts, &calls),
        "events tell what the message is"
    );
    let sent_back = reasoning.as_ref().and_then(|reasoning| reasoning.replay.as_deref()).map(sorted);
    let shown_thoughts = (!thoughts.is_empty()).then(|| format!("<{thoughts}>"));
    let tokens = format!("{}+{} cached {}", usage.input, usage.output, usage.cached_input);
    let parts = [Some(format!("{reason:?}")), shown_thoughts, Some(text.clone())];
    parts.into_iter().flatten().chain(calls).chain(sent_back).chain([tokens]).collect::<Vec<_>>().join(" ")
}

/// JSON with its keys in order, whatever order they came in.
fn sorted(text: &str) -> String {
    fn sort(value: serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Object(fields) => {
                let ordered: std::collections::BTreeMap<_, _> =
                    fields.into_iter().map(|(key, value)| (key, sort(value))).collect();
                ordered.into_iter().collect()
            }
            serde_json::Value::Array(items) => items.into_iter().map(sort).collect(),
            other => other,
        }
    }
    serde_json::from_str(text).map(sort).unwrap().to_string()
}

/// What the events add up to.
#[derive(Default)]
struct Told {
    text: String,
    reasoning: String,
    calls: Vec<String>,
}

impl Told {
    fn add(&mut self, events: Vec<Event>) {
        for event in events {
            match event {
                Event::Text(delta) => self.text.push_str(&delta),
                Event::Reasoning(delta) => self.reasoning.push_str(&delta),
                Event::ToolCallStarted { index, id, name } => {
                    assert_eq!(index, self.calls.len());
                    self.calls.push(format!("[{id} {name} ]"));
                }
                Event::ToolCallArguments { index, delta } => {
                    let end = self.calls[index].len() - 1;
                    self.calls[index].insert_str(end, &delta);
                }
                Event::Usage(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

fn with_line_ends(stream: &str, line_end: &str) -> String {
    stream.replace('\n', line_end)
}

#[test]
fn recorded_streams_mean_what_they_mean() {
    for recording in RECORDINGS {
        assert_eq!(replay(recording.dialect, [recording.stream.as_bytes()]), recording.expected);
    }
}

#[test]
fn byte_by_byte_and_with_any_line_end_they_mean_the_same() {
    for recording in RECORDINGS {
        for line_end in ["\n", "\r\n", "\r"] {
            let stream = with_line_ends(recording.stream, line_end);
            assert_eq!(replay(recording.dialect, stream.as_bytes().chunks(1)), recording.expected, "{line_end:?}");
        }
    }
}

#[test]
fn keep_alives_anywhere_between_events_change_nothing() {
    for recording in RECORDINGS {
        let stream = recording.stream.replace("\n\n", "\n\n: keep-alive\n\n:\n\nretry: 10\n\n");
        assert_eq!(replay(recording.dialect, stream.as_bytes().chunks(7)), recording.expected);
    }
}

proptest! {
    #[test]
    fn in_any_pieces_they_mean_the_same(
        which in 0..RECORDINGS.len(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..30),
        carriage in any::<bool>(),
    ) {
        let recording = &RECORDINGS[which];
        let stream = with_line_ends(recording.stream, if carriage { "\r\n" } else { "\n" });
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &stream.as_bytes()[cut[0]..cut[1]]);
        prop_assert_eq!(replay(recording.dialect, pieces), recording.expected);
    }

    /// A stream that stops anywhere is never taken for a complete answer that it is not, and never breaks anything.
    #[test]
    fn stopped_anywhere_it_is_cut_off_or_complete(which in 0..RECORDINGS.len(), at in any::<proptest::sample::Index>()) {
        let recording = &RECORDINGS[which];
        let stop = at.index(recording.stream.len());
        let bytes = &recording.stream.as_bytes()[..stop];
        let outcome = replay(recording.dialect, [bytes]);
        let has_reason = String::from_utf8_lossy(bytes).contains("_reason\":\"");
        prop_assert!(has_reason || outcome == "CutOff" || outcome.starts_with("Malformed") || outcome.starts_with("Told"), "{}", outcome);
    }

    #[test]
    fn any_json_in_a_stream_does_no_harm(bodies in proptest::collection::vec("[\\[\\]{}:,\"a-z0-9 ]{0,40}", 0..5)) {
        for dialect in [ChatCompletions, AnthropicMessages] {
            let stream: String = bodies.iter().map(|body| format!("data: {body}\n\n")).collect();
            replay(dialect, [stream.as_bytes()]);
        }
    }
}
