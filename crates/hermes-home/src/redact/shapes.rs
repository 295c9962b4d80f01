//! What secrets look like when nobody knows their value.
//!
//! Each shape is a pattern whose one group is the secret; what it matches around
//! that stays. One pass over the text with all patterns at once tells which of them
//! are worth applying, so that a line without any costs that pass and nothing else.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{RegexSet, RegexSetBuilder};
use regex::{Captures, Match, Regex};

use super::{MASK, pair};

/// A kind of secret.
struct Shape {
    pattern: &'static str,
    /// Whether a match is one: what a pattern alone cannot tell.
    is_secret: fn(&Captures<'_>) -> bool,
}

/// In the order of their application: what a later one would cut in half comes first.
const SHAPES: &[Shape] = &[
    // A private key, to its end or to the end of the text.
    Shape {
        pattern: r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(.+?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)",
        is_secret: always,
    },
    // Authorization: Bearer x, with its scheme kept and its parameters removed.
    Shape {
        pattern: r#"(?i-u:\bauthorization)[\\"']*[ ]*[:=][ ]*[\\"']*(?:[A-Za-z][A-Za-z0-9-]*[ ]+)?([^ \t\r\n"'\\,]+(?:,[ ]*[^ \t\r\n"'\\,]+)*)"#,
        is_secret: not_masked,
    },
    // All of a cookie header.
    Shape { pattern: r#"(?i-u:\bcookie)[\\"']*[ ]*:[ ]*[\\"']*([^\r\n"'\\]+)"#, is_secret: not_masked },
    Shape { pattern: r"(?i-u:\bbearer)[ ]+([A-Za-z0-9._~+/=-]{8,})", is_secret: looks_random },
    // A JSON web token.
    Shape { pattern: r"(?-u:\b)eyJ([A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)", is_secret: always },
    // Keys with a maker's prefix: OpenAI, Anthropic, OpenRouter and those that copied them.
    Shape {
        pattern: r"(?-u:\b)sk-(?:ant-|or-|proj-|svcacct-|lf-|kimi-)?([A-Za-z0-9_.-]{14,}[A-Za-z0-9_-])",
        is_secret: looks_random,
    },
    // GitHub, Slack, Stripe, Hugging Face, Groq, GitLab, npm, PyPI, Replicate, Notion, xAI …
    Shape {
        pattern: r"(?-u:\b)(?:gh[pousr]_|github_pat_|xox[abeoprs]-|xapp-|[sr]k_(?:live|test)_|hf_|gsk_|gl(?:pat|oas|dt|rt|cbt|ptt|ft|agent)-|npm_|pypi-|r8_|ntn_|xai-|pplx-|tvly-|dop_v1_|fw_)([A-Za-z0-9_.-]{9,}[A-Za-z0-9_-])",
        is_secret: looks_random,
    },
    // AWS key ids, Google keys, SendGrid keys, age identities.
    Shape { pattern: r"(?-u:\b)(?:AKIA|ASIA)([A-Z0-9]{16})(?-u:\b)", is_secret: always },
    Shape { pattern: r"(?-u:\b)AIza([A-Za-z0-9_-]{30,})", is_secret: always },
    Shape { pattern: r"(?-u:\b)SG\.([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})", is_secret: always },
    Shape { pattern: r"(?-u:\b)AGE-SECRET-KEY-1([A-Z0-9]{20,})", is_secret: always },
    // A Telegram bot's token, also in a URL as bot<token>.
    Shape { pattern: r"(?-u:\b)(?:bot)?[0-9]{8,}:([A-Za-z0-9_-]{35,})", is_secret: is_bot_token },
    // The password of a URL, up to the last @ before its path.
    Shape { pattern: r#"[A-Za-z][A-Za-z0-9+.-]*://[^ \t\r\n/@:"']*:([^ \t\r\n/"']+)@"#, is_secret: not_masked },
    // Parameters of a URL whose names are too short to be secrets anywhere else.
    Shape {
        pattern: r#"[?&](?i-u:key|sig|signature|code|auth|x-amz-signature|x-goog-signature)=([^ \t\r\n&#"'<>]{6,})"#,
        is_secret: not_masked,
    },
    Shape { pattern: pair::PATTERN, is_secret: pair::is_secret },
];

/// How often a match that was no secret is looked into.
const DEEPEST: u8 = 3;

/// Tells which shapes may be in a text. It looks at bytes, which makes it much smaller: no pattern names a letter beyond ASCII, so it
/// finds all that the pattern itself finds. The tests prove that every pattern compiles: none is dropped here.
static ANY: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSetBuilder::new(SHAPES.iter().map(|shape| shape.pattern)).unicode(false).build().unwrap_or_default()
});

/// Each shape by itself, compiled when one was found: most programs that run for a moment never meet any.
static EACH: [OnceLock<Option<Regex>>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];

fn each(index: usize) -> Option<(&'static Shape, &'static Regex)> {
    let (shape, compiled) = (SHAPES.get(index)?, EACH.get(index)?);
    Some((shape, compiled.get_or_init(|| Regex::new(shape.pattern).ok()).as_ref()?))
}

/// Compiles the patterns, and looks with them at a text of the kind that commands, paths and logs are made of: what they learn from it
/// they know for the first real one.
pub(super) fn prepare() {
    const USUAL: &[u8] =
        b"2026-01-01T00:00:00.000Z WARN hermes: run /usr/bin/env NAME=value --option=\"some text\" 0123456789abcdef";
    ANY.is_match(USUAL);
}

/// The text without anything that looks like a secret.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    let mut redacted = Cow::Borrowed(text);
    for index in ANY.matches(text.as_bytes()) {
        let Some((shape, regex)) = each(index) else { continue };
        let replaced = apply(shape, regex, &redacted, DEEPEST);
        // A match that turned out to be no secret is replaced by itself.
        if replaced != redacted {
            redacted = Cow::Owned(replaced.into_owned());
        }
    }
    redacted
}

fn apply<'t>(shape: &Shape, regex: &Regex, text: &'t str, depth: u8) -> Cow<'t, str> {
    regex.replace_all(text, |found: &Captures<'_>| replacement(shape, regex, found, depth))
}

/// A match without its secret. One that is no secret may have one inside: it is
/// looked at again, but only so deep that the time stays linear.
fn replacement(shape: &Shape, regex: &Regex, found: &Captures<'_>, depth: u8) -> String {
    let whole = found.get_match();
    let Some(secret) = secret_match(found) else { return MASK.to_owned() };
    let before = whole.as_str().get(..secret.start() - whole.start()).unwrap_or_default();
    let after = whole.as_str().get(secret.end() - whole.start()..).unwrap_or_default();
    let instead = match depth.checked_sub(1) {
        _ if (shape.is_secret)(found) => Cow::Borrowed(MASK),
        Some(depth) => apply(shape, regex, secret.as_str(), depth),
        None => Cow::Borrowed(secret.as_str()),
    };
    format!("{before}{instead}{after}")
}

/// The one group that took part; a pattern with several offers them as alternatives.
fn secret_match<'t>(found: &Captures<'t>) -> Option<Match<'t>> {
    found.iter().skip(1).flatten().next()
}

pub(super) fn secret<'t>(found: &Captures<'t>) -> &'t str {
    secret_match(found).map_or("", |secret| secret.as_str())
}

fn always(_: &Captures<'_>) -> bool {
    true
}

pub(super) fn not_masked(found: &Captures<'_>) -> bool {
    !secret(found).starts_with(MASK)
}

/// Made of more than the letters of a word: prose has hyphens too.
fn looks_random(found: &Captures<'_>) -> bool {
    let text = secret(found);
    let mixed = text.contains(|c: char| c.is_ascii_lowercase()) && text.contains(|c: char| c.is_ascii_uppercase());
    text.contains(|c: char| c.is_ascii_digit()) || (mixed && text.len() >= 20)
}

/// A token has exactly this length; a hash behind a number is longer.
fn is_bot_token(found: &Captures<'_>) -> bool {
    secret(found).len() == 35
}

#[cfg(test)]
pub(super) fn all_patterns_compile() -> bool {
    (0..SHAPES.len()).all(|index| each(index).is_some()) && ANY.len() == SHAPES.len()
}
