//! Makes a conversation whole that was cut off anywhere. Only what the model is told: the store keeps what happened.

use hermes_proto::message::{Message, ToolCall, ToolCallId};
use hermes_store::sessions::INTERRUPTED;

use super::Entry;

/// The same conversation with a result for each call and a call for each result.
pub(crate) fn repaired(entries: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    let mut mending = Mending { out: Vec::new(), open: Vec::new() };
    for entry in entries {
        mending.take(entry);
    }
    mending.close();
    mending.out
}

struct Mending {
    out: Vec<Entry>,
    /// Calls without a result yet, in their order.
    open: Vec<ToolCall>,
}

impl Mending {
    fn take(&mut self, entry: Entry) {
        if let Message::Tool { call_id, .. } = &entry.message {
            if self.answered(call_id) {
                self.out.push(entry);
            }
            return;
        }
        self.close();
        if !is_hollow(&entry.message) {
            self.open = entry.message.tool_calls().to_vec();
            self.out.push(entry);
        }
    }

    /// Whether a call waits for this result. Only the answer just before counts: ids come again in later ones.
    fn answered(&mut self, id: &ToolCallId) -> bool {
        let Some(index) = self.open.iter().position(|call| &call.id == id) else { return false };
        self.open.remove(index);
        true
    }

    fn close(&mut self) {
        let result = |call: ToolCall| Entry { message: Message::tool_result(&call, INTERRUPTED), position: None };
        self.out.extend(self.open.drain(..).map(result));
    }
}

/// An answer without words and calls, which providers refuse to be told.
fn is_hollow(message: &Message) -> bool {
    matches!(message, Message::Assistant { text, tool_calls, .. } if text.trim().is_empty() && tool_calls.is_empty())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Entry;
    use hermes_proto::message::{Message, ToolCall};
    use proptest::prelude::*;

    pub(crate) fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| ToolCall { id: (*id).into(), name: "terminal".to_owned(), arguments: "{}".to_owned() };
        let tool_calls = ids.iter().map(call).collect();
        Message::Assistant { text: String::new(), reasoning: None, tool_calls }
    }

    pub(crate) fn result(id: &str) -> Message {
        Message::Tool { call_id: id.into(), name: "terminal".to_owned(), content: Vec::new() }
    }

    pub(crate) fn repaired(messages: Vec<Message>) -> Vec<Message> {
        let entries = messages.into_iter().map(|message| Entry { message, position: None });
        super::repaired(entries).into_iter().map(|entry| entry.message).collect()
    }

    /// Whether each call has its result right behind it and each result its call.
    pub(crate) fn is_whole(messages: &[Message]) -> bool {
        let mut open: Vec<&str> = Vec::new();
        for message in messages {
            match message {
                Message::Tool { call_id, .. } => {
                    let Some(index) = open.iter().position(|id| *id == call_id.as_str()) else { return false };
                    open.remove(index);
                }
                other => {
                    if !open.is_empty() {
                        return false;
                    }
                    open = other.tool_calls().iter().map(|call| call.id.as_str()).collect();
                }
            }
        }
        open.is_empty()
    }

    #[test]
    fn only_what_is_torn_is_changed() {
        let user = || Message::user("x");
        let check = |messages: Vec<Message>, length: usize| {
            let mended = repaired(messages);
            assert_eq!(mended.len(), length, "{mended:?}");
            assert!(is_whole(&mended));
        };
        check(vec![], 0);
        check(vec![user(), calls(&["a", "b"]), result("b"), result("a"), user()], 5);
        check(vec![user(), calls(&["a"])], 3);
        check(vec![user(), calls(&["a", "b"]), result("a")], 4);
        check(vec![user(), calls(&["a"]), user()], 4);
        check(vec![result("a"), user()], 1);
        check(vec![user(), calls(&["a"]), result("a"), result("a")], 3);
        check(vec![user(), Message::assistant(" "), user()], 2);
        check(vec![calls(&["a"]), result("a"), calls(&["a"]), result("a")], 4);
    }

    pub(crate) fn any_messages() -> impl Strategy<Value = Vec<Message>> {
        let id = || prop::sample::select(vec!["a", "b", "c", "d"]);
        let one = prop_oneof![
            Just(Message::user("question")),
            Just(Message::assistant("answer")),
            Just(Message::assistant("")),
            prop::collection::vec(id(), 1..4).prop_map(|ids| calls(&ids)),
            id().prop_map(result),
        ];
        prop::collection::vec(one, 0..40)
    }

    proptest! {
        #[test]
        fn whatever_was_kept_becomes_whole_and_stays_as_it_is(messages in any_messages()) {
            let mended = repaired(messages);
            prop_assert!(is_whole(&mended));
            prop_assert_eq!(repaired(mended.clone()), mended);
        }
    }
}
