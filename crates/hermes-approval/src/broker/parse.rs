//! What people type in a chat to answer: `/approve` and `/deny`. A plain "yes" is conversation, never consent.

use hermes_proto::consent::Scope;

use super::{Answer, PromptId, Which};

/// Characters of a person's reason that are passed on.
pub const LONGEST_REASON: usize = 280;

/// A message that begins with `/approve` or `/deny`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedAnswer {
    Answer {
        which: Which,
        answer: Answer,
    },
    /// Meant as an answer, but this word cannot be part of one. Nothing is approved by half.
    NotUnderstood {
        word: String,
    },
}

/// Reads `/approve [all|ID] [once|session|always]` and `/deny [all|ID] [reason…]`; `None` for any other message.
pub fn parse_answer(text: &str) -> Option<TypedAnswer> {
    let text = text.trim();
    let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    // In groups, platforms add the name of the bot that is meant.
    let command = command.split_once('@').map_or(command, |(command, _)| command);
    match command.to_ascii_lowercase().as_str() {
        "/approve" => Some(approve(rest)),
        "/deny" => Some(deny(rest.trim())),
        _ => None,
    }
}

fn approve(words: &str) -> TypedAnswer {
    let mut scope = Scope::Once;
    let mut which = None;
    for word in words.split_whitespace() {
        let lower = word.to_ascii_lowercase();
        match Scope::ALL.into_iter().find(|scope| scope.name() == lower) {
            // The wider one of two wins.
            Some(named) => scope = scope.max(named),
            None => match target(&lower) {
                Some(target) if which.is_none() => which = Some(target),
                _ => return TypedAnswer::NotUnderstood { word: word.to_owned() },
            },
        }
    }
    TypedAnswer::Answer { which: which.unwrap_or(Which::Oldest), answer: Answer::Approve(scope) }
}

fn deny(rest: &str) -> TypedAnswer {
    let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (which, reason) = match target(&first.to_ascii_lowercase()) {
        Some(which) => (which, after.trim()),
        None => (Which::Oldest, rest),
    };
    let reason: String = reason.chars().take(LONGEST_REASON).collect();
    TypedAnswer::Answer { which, answer: Answer::Deny { reason: (!reason.is_empty()).then_some(reason) } }
}

fn target(word: &str) -> Option<Which> {
    if word == "all" { Some(Which::All) } else { PromptId::parse(word).map(Which::Id) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: impl Into<Option<TypedAnswer>>) {
        assert_eq!(parse_answer(text), expected.into(), "{text:?}");
    }

    fn approved(which: Which, scope: Scope) -> Option<TypedAnswer> {
        Some(TypedAnswer::Answer { which, answer: Answer::Approve(scope) })
    }

    fn denied(which: Which, reason: Option<&str>) -> Option<TypedAnswer> {
        let reason = reason.map(str::to_owned);
        Some(TypedAnswer::Answer { which, answer: Answer::Deny { reason } })
    }

    fn id() -> Which {
        Which::Id(PromptId::parse("0badcafe").unwrap())
    }

    #[test]
    fn approvals_name_which_and_how_far() {
        check("/approve", approved(Which::Oldest, Scope::Once));
        check("  /APPROVE  ", approved(Which::Oldest, Scope::Once));
        check("/approve@hermes_bot session", approved(Which::Oldest, Scope::Session));
        check("/approve all", approved(Which::All, Scope::Once));
        check("/approve session all", approved(Which::All, Scope::Session));
        check("/approve always session", approved(Which::Oldest, Scope::Always));
        check("/approve session always", approved(Which::Oldest, Scope::Always));
        check("/approve 0badCAFE always", approved(id(), Scope::Always));
        check("/approve once", approved(Which::Oldest, Scope::Once));
    }

    #[test]
    fn denials_carry_a_bounded_reason() {
        check("/deny", denied(Which::Oldest, None));
        check("/deny all", denied(Which::All, None));
        check("/deny all  too risky \n", denied(Which::All, Some("too risky")));
        check("/deny 0badcafe not today", denied(id(), Some("not today")));
        check("/deny all of it is wrong", denied(Which::All, Some("of it is wrong")));
        check("/deny wrong folder", denied(Which::Oldest, Some("wrong folder")));
        let long = "ä".repeat(LONGEST_REASON + 50);
        check(&format!("/deny {long}"), denied(Which::Oldest, Some(&"ä".repeat(LONGEST_REASON))));
    }

    #[test]
    fn nothing_else_is_an_answer() {
        for text in
            ["", "yes", "y", "ok", "approve", "approve all", "please /approve", "/approved", "/denying", "//approve"]
        {
            check(text, None);
        }
        for (text, word) in [
            ("/approve please", "please"),
            ("/approve all 0badcafe", "0badcafe"),
            ("/approve 0badcafe 0badcafe", "0badcafe"),
            ("/approve 0bad", "0bad"),
        ] {
            check(text, Some(TypedAnswer::NotUnderstood { word: word.to_owned() }));
        }
    }
}
