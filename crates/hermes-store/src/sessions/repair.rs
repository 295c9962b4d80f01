//! Making a transcript valid for a provider.
//!
//! A process that is killed between a tool call and its result leaves a call that nobody will answer, and providers refuse the
//! whole conversation for it. Nothing is written: what really happened stays as it is.

use std::collections::HashSet;

use hermes_proto::message::{Message, ToolCall, ToolCallId};

/// What the model is told about a call whose result is not known.
pub const INTERRUPTED: &str = "interrupted: this call did not finish, and its result is not known";

/// Gives every call a result right behind the message that made it, and leaves out results that answer no call, second
/// results of one call, and answers that are empty.
pub(super) fn repaired<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<Message> {
    let mut repaired = Vec::new();
    let mut waiting: Vec<ToolCall> = Vec::new();
    for message in messages {
        if let Message::Tool { call_id, .. } = message {
            if let Some(index) = waiting.iter().position(|call| call.id == *call_id) {
                waiting.remove(index);
                repaired.push(message.clone());
            }
            continue;
        }
        settle(&mut waiting, &mut repaired);
        match message {
            Message::Assistant { text, tool_calls, .. } if text.trim().is_empty() && tool_calls.is_empty() => {}
            Message::Assistant { text, reasoning, tool_calls } => {
                let tool_calls = distinct(tool_calls);
                waiting.clone_from(&tool_calls);
                repaired.push(Message::Assistant { text: text.clone(), reasoning: reasoning.clone(), tool_calls });
            }
            Message::System { .. } | Message::User { .. } | Message::Tool { .. } => repaired.push(message.clone()),
        }
    }
    settle(&mut waiting, &mut repaired);
    repaired
}

fn settle(waiting: &mut Vec<ToolCall>, repaired: &mut Vec<Message>) {
    repaired.extend(waiting.drain(..).map(|call| Message::tool_result(&call, INTERRUPTED)));
}

/// Of two calls with one id only the first can be answered.
fn distinct(calls: &[ToolCall]) -> Vec<ToolCall> {
    let mut seen: HashSet<&ToolCallId> = HashSet::new();
    calls.iter().filter(|call| seen.insert(&call.id)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "terminal".to_owned(), arguments: "{}".to_owned() }
    }

    fn calling(ids: &[&str]) -> Message {
        let tool_calls = ids.iter().map(|id| call(id)).collect();
        Message::Assistant { text: String::new(), reasoning: None, tool_calls }
    }

    fn result(id: &str) -> Message {
        Message::tool_result(&call(id), "done")
    }

    fn interrupted(id: &str) -> Message {
        Message::tool_result(&call(id), INTERRUPTED)
    }

    #[track_caller]
    fn check(given: &[Message], expected: &[Message]) {
        assert_eq!(repaired(given), expected);
    }

    #[test]
    fn every_call_gets_a_result() {
        let hello = Message::user("hello");
        check(
            &[hello.clone(), calling(&["a", "b"])],
            &[hello, calling(&["a", "b"]), interrupted("a"), interrupted("b")],
        );
        check(&[calling(&["a", "b"]), result("b")], &[calling(&["a", "b"]), result("b"), interrupted("a")]);
        // The person went on before the tool did.
        check(
            &[calling(&["a"]), Message::user("never mind"), result("a")],
            &[calling(&["a"]), interrupted("a"), Message::user("never mind")],
        );
        // Some providers count from zero again in every message.
        check(
            &[calling(&["0"]), calling(&["0"]), result("0")],
            &[calling(&["0"]), interrupted("0"), calling(&["0"]), result("0")],
        );
    }

    #[test]
    fn what_answers_nothing_is_left_out() {
        check(&[result("a"), Message::user("hi")], &[Message::user("hi")]);
        check(&[calling(&["a"]), result("a"), result("a"), result("x")], &[calling(&["a"]), result("a")]);
        check(&[calling(&["a", "a"]), result("a")], &[calling(&["a"]), result("a")]);
        check(&[Message::user("hi"), Message::assistant(" ")], &[Message::user("hi")]);
    }

    fn any_message() -> impl Strategy<Value = Message> {
        let id = prop::sample::select(vec!["a", "b", "c"]);
        prop_oneof![
            Just(Message::user("u")),
            Just(Message::assistant("t")),
            Just(Message::assistant("")),
            prop::collection::vec(id.clone(), 1..3).prop_map(|ids| calling(&ids)),
            id.prop_map(result),
        ]
    }

    /// As a provider checks it: behind a message with calls stand exactly their results.
    fn is_valid(messages: &[Message]) -> bool {
        let mut waiting: Vec<&str> = Vec::new();
        for message in messages {
            match message {
                Message::Tool { call_id, .. } => match waiting.iter().position(|id| *id == call_id.as_str()) {
                    Some(index) => drop(waiting.remove(index)),
                    None => return false,
                },
                _ if !waiting.is_empty() => return false,
                other => waiting = other.tool_calls().iter().map(|call| call.id.as_str()).collect(),
            }
        }
        waiting.is_empty()
    }

    proptest! {
        #[test]
        fn the_result_is_valid_and_needs_no_second_repair(messages in prop::collection::vec(any_message(), 0..20)) {
            let once = repaired(&messages);
            prop_assert!(is_valid(&once), "{once:?}");
            prop_assert_eq!(&repaired(&once), &once);
            let said = |messages: &[Message]| messages.iter().filter(|m| !m.text().is_empty() && !matches!(m, Message::Tool { .. })).cloned().collect::<Vec<_>>();
            prop_assert_eq!(said(&once), said(&messages));
        }
    }
}
