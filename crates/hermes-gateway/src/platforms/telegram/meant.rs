//! Whether a message in a group is meant for the bot, and what of it is said to the bot.

use super::wire::{Entity, Message, User};
use crate::commands;

/// The bot, as Telegram knows it.
#[derive(Debug, Clone)]
pub(super) struct Me {
    pub(super) id: i64,
    pub(super) username: String,
}

impl Me {
    pub(super) fn of(user: User) -> Self {
        Self { id: user.id, username: user.username.unwrap_or_default() }
    }

    fn is_called(&self, name: &str) -> bool {
        !self.username.is_empty() && name.eq_ignore_ascii_case(&self.username)
    }
}

/// Text or caption, and what Telegram has found in it.
pub(super) fn words(message: &Message) -> (&str, &[Entity]) {
    match (&message.text, &message.caption) {
        (Some(text), _) => (text, &message.entities),
        (None, Some(caption)) => (caption, &message.caption_entities),
        (None, None) => ("", &[]),
    }
}

/// Whether the bot is named, answered, or given a command.
pub(super) fn is_meant(message: &Message, me: &Me) -> bool {
    let (text, entities) = words(message);
    let is_named = entities.iter().any(|entity| match entity.kind.as_str() {
        "mention" => part(text, entity).strip_prefix('@').is_some_and(|name| me.is_called(name)),
        "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == me.id),
        "bot_command" => entity.offset == 0 && is_own_command(part(text, entity), me),
        _ => false,
    });
    is_named || is_answer(message, me)
}

/// Whether a command names another bot.
pub(super) fn is_for_another(message: &Message, me: &Me) -> bool {
    let (text, entities) = words(message);
    let command = entities.iter().find(|entity| entity.kind == "bot_command" && entity.offset == 0);
    command.is_some_and(|entity| part(text, entity).split_once('@').is_some_and(|(_, name)| !me.is_called(name)))
}

/// What is said, without the bot's name before or behind it.
pub(super) fn said(message: &Message, me: &Me) -> String {
    let (text, _) = words(message);
    let text = text.trim();
    let is_name =
        |word: &str| word.strip_prefix('@').is_some_and(|name| me.is_called(name.trim_end_matches([',', ':'])));
    let first = text.split(char::is_whitespace).next().unwrap_or_default();
    let text = if is_name(first) { text[first.len()..].trim_start() } else { text };
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let text = if is_name(last) { text[..text.len() - last.len()].trim_end() } else { text };
    text.to_owned()
}

fn is_own_command(command: &str, me: &Me) -> bool {
    let command = command.trim_start_matches('/');
    match command.split_once('@') {
        Some((_, name)) => me.is_called(name),
        // Several bots may hear it: only what is a command here is one of ours.
        None => commands::is_known(command),
    }
}

/// Whether it answers something that the bot said. Whatever stands in a topic answers, as Telegram has it, the topic's beginning.
fn is_answer(message: &Message, me: &Me) -> bool {
    message.reply_to_message.as_ref().is_some_and(|answered| {
        answered.forum_topic_created.is_none() && answered.from.as_ref().is_some_and(|from| from.id == me.id)
    })
}

/// A part of a text that is counted in units of UTF-16. Nothing if there is no such part.
fn part<'a>(text: &'a str, entity: &Entity) -> &'a str {
    let at = |units: usize| {
        let mut seen = 0;
        for (at, character) in text.char_indices() {
            if seen >= units {
                return (seen == units).then_some(at);
            }
            seen += character.len_utf16();
        }
        (seen == units).then_some(text.len())
    };
    let range = at(entity.offset).zip(entity.offset.checked_add(entity.length).and_then(at));
    range.and_then(|(start, end)| text.get(start..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Me, is_for_another, is_meant, said};
    use crate::platforms::telegram::wire::Message;

    fn me() -> Me {
        Me { id: 7, username: "Hermes_bot".to_owned() }
    }

    fn message(fields: &Value) -> Message {
        let mut message = json!({"message_id": 1, "chat": {"id": -1, "type": "supergroup"}, "from": {"id": 5}});
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(message).unwrap()
    }

    fn with(text: &str, kind: &str, offset: usize, length: usize) -> Message {
        message(&json!({"text": text, "entities": [{"type": kind, "offset": offset, "length": length}]}))
    }

    #[test]
    fn the_bot_is_meant_by_its_name_an_answer_or_a_command() {
        let check = |message: &Message, expected: bool| assert_eq!(is_meant(message, &me()), expected, "{message:?}");
        check(&message(&json!({"text": "hello"})), false);
        check(&with("hi @hermes_BOT!", "mention", 3, 11), true);
        check(&with("🦀🦀 @hermes_bot", "mention", 5, 11), true);
        check(&with("hi @hermes_bot_two", "mention", 3, 15), false);
        check(&with("hi", "mention", 700, 11), false);
        check(&with("hi", "mention", usize::MAX, 2), false);
        check(&with("/stop@hermes_bot", "bot_command", 0, 16), true);
        check(&with("/stop@other_bot", "bot_command", 0, 15), false);
        check(&with("/stop", "bot_command", 0, 5), true);
        check(&with("/frobnicate", "bot_command", 0, 11), false);
        check(&with("and then /stop", "bot_command", 9, 5), false);
        let answered = |fields: &Value| message(&json!({"text": "x", "reply_to_message": message_json(fields)}));
        check(&answered(&json!({"from": {"id": 7}})), true);
        check(&answered(&json!({"from": {"id": 8}})), false);
        check(&answered(&json!({"from": {"id": 7}, "forum_topic_created": {"name": "t"}})), false);
        let caption =
            json!({"caption": "@hermes_bot", "caption_entities": [{"type": "mention", "offset": 0, "length": 11}]});
        check(&message(&caption), true);
    }

    fn message_json(fields: &Value) -> Value {
        let mut message = json!({"message_id": 1, "chat": {"id": -1, "type": "supergroup"}});
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        message
    }

    #[test]
    fn a_command_for_another_bot_is_never_ours() {
        assert!(is_for_another(&with("/stop@other_bot", "bot_command", 0, 15), &me()));
        assert!(!is_for_another(&with("/stop@hermes_bot", "bot_command", 0, 16), &me()));
        assert!(!is_for_another(&with("/stop", "bot_command", 0, 5), &me()));
    }

    #[test]
    fn the_name_is_no_part_of_what_is_said() {
        for (text, expected) in [
            ("@hermes_bot do it", "do it"),
            ("@Hermes_Bot, do it", "do it"),
            ("do it @hermes_bot", "do it"),
            ("ask @hermes_bot now", "ask @hermes_bot now"),
            ("@hermes_bot", ""),
            ("/stop@hermes_bot", "/stop@hermes_bot"),
        ] {
            assert_eq!(said(&message(&json!({"text": text})), &me()), expected);
        }
    }
}
