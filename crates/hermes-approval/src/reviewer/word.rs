//! The reviewer's one word.

use super::Review;

/// Reads an answer. Only a clean APPROVE approves: with anything around it, it may be a quotation.
pub fn parse_review(answer: &str) -> Review {
    let word = answer.trim();
    let word = word.strip_suffix('.').unwrap_or(word);
    match word.to_ascii_uppercase().as_str() {
        "APPROVE" => Review::Approve,
        "DENY" => Review::Deny { reason: None },
        _ => Review::Escalate,
    }
}

#[cfg(test)]
mod tests {
    use super::{Review, parse_review};

    #[test]
    fn only_a_clean_word_counts() {
        for (answer, expected) in [
            ("APPROVE", Review::Approve),
            (" approve\n", Review::Approve),
            ("Approve.", Review::Approve),
            ("DENY", Review::Deny { reason: None }),
            ("ESCALATE", Review::Escalate),
            ("", Review::Escalate),
            ("APPROVED", Review::Escalate),
            ("APPROVE DENY", Review::Escalate),
            ("I would APPROVE", Review::Escalate),
            ("APPROVE\nbecause it is harmless", Review::Escalate),
            ("\"APPROVE\"", Review::Escalate),
            ("not APPROVE", Review::Escalate),
            ("DENY: harmful", Review::Escalate),
            ("АPPROVE", Review::Escalate),
        ] {
            assert_eq!(parse_review(answer), expected, "{answer:?}");
        }
    }
}
