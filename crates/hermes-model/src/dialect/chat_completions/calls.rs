//! Tool calls out of fragments.
//!
//! OpenAI sends an index with every fragment and id and name with the first. Others leave out the index or the id, send
//! several whole calls under index 0, send arguments before the name, repeat the name with every fragment, or send the
//! arguments as an object. A call is told as soon as its name is certain: with its first argument, or when it is over.

use hermes_proto::message::{ToolCall, ToolCallId};
use serde_json::Value as Json;

use super::super::wire;
use crate::Event;

/// Calls one answer may have; a server that sends more is broken.
const MOST_CALLS: usize = 256;

/// More calls than an answer may have.
#[derive(Debug)]
pub(super) struct TooMany;

#[derive(Debug, Default)]
struct Call {
    wire_index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// What was told of the arguments; `None` before the call itself was.
    told: Option<usize>,
}

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Calls {
    calls: Vec<Call>,
    seed: u64,
}

impl Calls {
    pub(super) fn new(seed: u64) -> Self {
        Self { calls: Vec::new(), seed }
    }

    /// Takes one fragment.
    pub(super) fn fragment(&mut self, fragment: &Json, events: &mut Vec<Event>) -> Result<(), TooMany> {
        let function = fragment.get("function").unwrap_or(&Json::Null);
        let text = |value: &Json, field: &str| value.get(field).and_then(Json::as_str).unwrap_or_default().to_owned();
        let (id, name) = (text(fragment, "id"), text(function, "name"));
        let arguments = match function.get("arguments") {
            Some(Json::String(text)) => text.clone(),
            Some(object @ (Json::Object(_) | Json::Array(_))) => object.to_string(),
            _ => String::new(),
        };
        let place = match self.place(fragment.get("index").and_then(Json::as_u64), &id, &name) {
            Some(place) => place,
            None => {
                self.tell_all(events);
                self.begin(fragment.get("index").and_then(Json::as_u64))?
            }
        };
        let Some(call) = self.calls.get_mut(place) else { return Ok(()) };
        if call.id.is_empty() {
            call.id = id;
        }
        call.add_name(&name);
        call.arguments.push_str(&arguments);
        if !call.name.is_empty() && !call.arguments.is_empty() {
            self.tell(place, events);
        }
        Ok(())
    }

    /// Tells what was not told yet, and gives the calls.
    pub(super) fn finish(&mut self, events: &mut Vec<Event>) -> Vec<ToolCall> {
        self.tell_all(events);
        let calls = std::mem::take(&mut self.calls);
        calls
            .into_iter()
            .map(|call| ToolCall { id: call.id.into(), name: call.name, arguments: call.arguments })
            .collect()
    }

    /// The call a fragment belongs to; `None` if it begins one.
    fn place(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let last = self.calls.len().checked_sub(1);
        let place = match index {
            Some(_) => self.calls.iter().rposition(|call| call.wire_index == index),
            None if id.is_empty() => last,
            None => return self.calls.iter().rposition(|call| call.id == id),
        }?;
        let call = self.calls.get(place)?;
        let another_id = !id.is_empty() && !call.id.is_empty() && id != call.id;
        let is_whole = serde_json::from_str::<Json>(&call.arguments).is_ok_and(|json| json.is_object());
        // A name where there is one already begins the next call, unless it is the name itself once more.
        let begins = !name.is_empty() && !call.name.is_empty() && (another_id || (id.is_empty() && is_whole));
        (!begins).then_some(place)
    }

    fn begin(&mut self, wire_index: Option<u64>) -> Result<usize, TooMany> {
        if self.calls.len() >= MOST_CALLS {
            return Err(TooMany);
        }
        self.calls.push(Call { wire_index, ..Call::default() });
        Ok(self.calls.len() - 1)
    }

    fn tell_all(&mut self, events: &mut Vec<Event>) {
        for place in 0..self.calls.len() {
            self.tell(place, events);
        }
    }

    fn tell(&mut self, place: usize, events: &mut Vec<Event>) {
        let is_taken = |id: &str, calls: &[Call]| calls[..place].iter().any(|call| call.id == id);
        if let Some(id) = self.calls.get(place).map(|call| call.id.clone())
            && (id.is_empty() || is_taken(&id, &self.calls))
        {
            self.calls[place].id = wire::made_up_id(self.seed, place);
        }
        let Some(call) = self.calls.get_mut(place) else { return };
        let told = match call.told {
            Some(told) => told,
            None => {
                let id = ToolCallId::from(call.id.as_str());
                events.push(Event::ToolCallStarted { index: place, id, name: call.name.clone() });
                0
            }
        };
        if let Some(delta) = call.arguments.get(told..).filter(|delta| !delta.is_empty()) {
            events.push(Event::ToolCallArguments { index: place, delta: delta.to_owned() });
        }
        call.told = Some(call.arguments.len());
    }
}

impl Call {
    fn add_name(&mut self, name: &str) {
        if name.is_empty() || self.told.is_some() || name == self.name {
            return;
        }
        if name.starts_with(&self.name) {
            // Also the first one: everything starts with nothing.
            self.name = name.to_owned();
        } else {
            self.name.push_str(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gather(fragments: &[Json]) -> (Vec<String>, Vec<Event>) {
        let mut calls = Calls::new(7);
        let mut events = Vec::new();
        for fragment in fragments {
            calls.fragment(fragment, &mut events).unwrap();
        }
        let gathered = calls.finish(&mut events);
        (gathered.iter().map(|call| format!("{} {} {}", call.id, call.name, call.arguments)).collect(), events)
    }

    /// What the events tell must be what the calls are.
    #[track_caller]
    fn check(fragments: &[Json], expected: &[&str]) {
        let (calls, events) = gather(fragments);
        assert_eq!(calls, expected);
        let mut told: Vec<String> = Vec::new();
        for event in events {
            match event {
                Event::ToolCallStarted { index, id, name } => {
                    assert_eq!(index, told.len());
                    told.push(format!("{id} {name} "));
                }
                Event::ToolCallArguments { index, delta } => told[index].push_str(&delta),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(told, expected);
    }

    #[test]
    fn fragments_of_several_calls_come_interleaved() {
        check(
            &[
                json!({"index": 0, "id": "a", "type": "function", "function": {"name": "one", "arguments": ""}}),
                json!({"index": 1, "id": "b", "function": {"name": "two", "arguments": "{"}}),
                json!({"index": 0, "function": {"arguments": "{\"x\":"}}),
                json!({"index": 1, "function": {"arguments": "}"}}),
                json!({"index": 0, "id": null, "function": {"name": null, "arguments": "1}"}}),
                json!({"index": 0, "function": {"arguments": null}}),
            ],
            &[r#"a one {"x":1}"#, "b two {}"],
        );
    }

    #[test]
    fn servers_that_leave_something_out() {
        let whole = |id: Json, name: &str| json!({"id": id, "function": {"name": name, "arguments": "{}"}});
        // No index, with ids.
        check(&[whole(json!("a"), "one"), whole(json!("b"), "one")], &["a one {}", "b one {}"]);
        // Neither index nor id.
        check(
            &[whole(Json::Null, "one"), whole(Json::Null, "two")],
            &["call_000000000000000700 one {}", "call_000000000000000701 two {}"],
        );
        // All under index 0.
        let zero = |id: &str| json!({"index": 0, "id": id, "function": {"name": "one", "arguments": "{}"}});
        check(&[zero("a"), zero("b")], &["a one {}", "b one {}"]);
        // The same id twice.
        let at = |index: u64| json!({"index": index, "id": "same", "function": {"name": "one", "arguments": "{}"}});
        check(&[at(0), at(1)], &["same one {}", "call_000000000000000701 one {}"]);
        // Arguments as an object, and none at all.
        check(
            &[json!({"index": 0, "id": "a", "function": {"name": "one", "arguments": {"x": 1}}})],
            &[r#"a one {"x":1}"#],
        );
        check(&[json!({"index": 0, "id": "a", "function": {"name": "one"}})], &["a one "]);
    }

    #[test]
    fn names_late_repeated_and_in_pieces() {
        check(
            &[
                json!({"index": 0, "function": {"arguments": "{\"x\""}}),
                json!({"index": 0, "id": "a", "function": {"name": "one", "arguments": ":1}"}}),
            ],
            &[r#"a one {"x":1}"#],
        );
        let repeated =
            |arguments: &str| json!({"index": 0, "id": "a", "function": {"name": "one", "arguments": arguments}});
        check(&[repeated("{\"x\""), repeated(":1"), repeated("}")], &[r#"a one {"x":1}"#]);
        check(
            &[
                json!({"index": 0, "id": "a", "function": {"name": "ter"}}),
                json!({"index": 0, "function": {"name": "minal"}}),
                json!({"index": 0, "function": {"arguments": "{}"}}),
            ],
            &["a terminal {}"],
        );
        check(&[json!({"index": 0, "id": "a", "function": {"arguments": "{}"}})], &["a  {}"]);
        check(&[json!({"index": 0})], &["call_000000000000000700  "]);
    }

    #[test]
    fn a_flood_of_calls_ends() {
        let mut calls = Calls::new(0);
        let mut events = Vec::new();
        let outcome = (0..1000u64).try_for_each(|index| {
            calls.fragment(&json!({"index": index, "id": index.to_string(), "function": {"name": "x"}}), &mut events)
        });
        assert!(outcome.is_err());
    }
}
