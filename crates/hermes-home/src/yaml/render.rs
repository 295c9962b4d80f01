//! Trees and scalars back to text.
//!
//! Text is written without quotes only where every reader, the one of YAML 1.1
//! included, takes it for text.

use std::fmt::Write;

use super::scalar::{self, Kind};
use super::{Content, Node, Scalar};

/// The scalar that a person means by typing this word: a number, a flag or null
/// where it looks like one, else text.
pub(crate) fn natural(word: &str) -> Scalar {
    if word.is_empty() { Scalar::text(word) } else { Scalar::plain(word) }
}

/// The tree in block style, one line per scalar, ending with a newline.
pub(crate) fn block(node: &Node) -> String {
    let mut out = String::new();
    lines(node, 0, &mut out);
    out
}

/// One scalar as it can stand anywhere in a document.
pub(super) fn scalar(scalar: &Scalar) -> String {
    match scalar.kind {
        Kind::Text => text(&scalar.text),
        Kind::Null if scalar.text.is_empty() => "null".to_owned(),
        _ => scalar.text.clone(),
    }
}

/// Text so that it is read back as text.
pub(super) fn text(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    if text.chars().all(|c| is_printable(c) && !is_break(c)) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) && !is_break(c) => out.push(c),
            c => escape(c, &mut out),
        }
    }
    out.push('"');
    out
}

fn lines(node: &Node, indent: usize, out: &mut String) {
    match &node.content {
        Content::Map(entries) if !entries.is_empty() => {
            for entry in entries {
                push_indent(indent, out);
                out.push_str(&text(&entry.key.text));
                out.push(':');
                value(&entry.value, indent, out);
            }
        }
        Content::List(items) if !items.is_empty() => {
            for item in items {
                push_indent(indent, out);
                out.push('-');
                value(item, indent, out);
            }
        }
        _ => {
            push_indent(indent, out);
            inline(node, out);
            out.push('\n');
        }
    }
}

/// What follows a `key:` or a dash.
fn value(node: &Node, indent: usize, out: &mut String) {
    let empty = match &node.content {
        Content::Scalar(_) => true,
        Content::List(items) => items.is_empty(),
        Content::Map(entries) => entries.is_empty(),
    };
    if empty {
        out.push(' ');
        inline(node, out);
        out.push('\n');
    } else {
        out.push('\n');
        lines(node, indent + 2, out);
    }
}

fn inline(node: &Node, out: &mut String) {
    match &node.content {
        Content::Scalar(value) => out.push_str(&scalar(value)),
        Content::List(_) => out.push_str("[]"),
        Content::Map(_) => out.push_str("{}"),
    }
}

fn push_indent(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Text that no reader of YAML takes for anything else, in a block or in braces.
fn is_plain(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '/');
    let inner = |c: char| c.is_ascii_alphanumeric() || "_-./+@ ".contains(c);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let colon = c == ':' && rest.peek().is_some_and(|next| next.is_ascii_alphanumeric() || *next == '/');
        if !inner(c) && !colon {
            return false;
        }
    }
    let word = matches!(text.to_ascii_lowercase().as_str(), "y" | "n" | "yes" | "no" | "on" | "off");
    first && !text.ends_with(' ') && !word && scalar::kind(text) == Kind::Text
}

/// The characters YAML lets stand for themselves.
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..) && c != '\u{feff}'
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn escape(c: char, out: &mut String) {
    let code = u32::from(c);
    // Writing to a String cannot fail.
    let _ = if code > 0xffff { write!(out, "\\U{code:08x}") } else { write!(out, "\\u{code:04x}") };
}
