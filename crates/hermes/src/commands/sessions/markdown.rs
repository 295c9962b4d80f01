//! A session as a document that people read.

use std::fmt::Write;

use hermes_proto::message::{ContentPart, ImageSource, Message};
use hermes_store::sessions::{Session, Standing, Stored};

use super::list::name;
use crate::commands::visible::{lines, one_line, second};

/// Writing to a string cannot fail, so its results are dropped here.
pub(super) fn document(session: &Session, messages: &[Stored]) -> String {
    let mut text = String::new();
    let title = name(session);
    let _ = writeln!(text, "# {}\n", if title.is_empty() { one_line(session.id.as_str()) } else { title });
    let _ = writeln!(text, "- session: {}", one_line(session.id.as_str()));
    for (name, value) in [("model", &session.model), ("folder", &session.folder), ("user", &session.user)] {
        if let Some(value) = value {
            let _ = writeln!(text, "- {name}: {}", one_line(value));
        }
    }
    let _ = writeln!(text, "- source: {}", one_line(&session.source));
    let _ = writeln!(text, "- started: {}, used: {}", second(session.started), second(session.updated));
    let usage = session.usage;
    let _ = writeln!(text, "- messages: {}, tool calls: {}", session.messages, session.tool_calls);
    let _ = writeln!(text, "- tokens: {} in ({} cached), {} out", usage.input, usage.cached_input, usage.output);
    for stored in messages {
        section(&mut text, stored);
    }
    text
}

fn section(text: &mut String, stored: &Stored) {
    let role = stored.message.role().as_str();
    let archived = if matches!(stored.standing, Standing::Archived(_)) { ", archived" } else { "" };
    let tool = match &stored.message {
        Message::Tool { name, .. } => format!(" {}", one_line(name)),
        _ => String::new(),
    };
    let _ = writeln!(text, "\n## {role}{tool} ({}{archived})\n", second(stored.time));
    match &stored.message {
        Message::System { text: said } => paragraph(text, said),
        Message::User { content } => content.iter().for_each(|content| part(text, content)),
        Message::Tool { content, .. } => fenced(text, &plain(content)),
        Message::Assistant { text: said, tool_calls, .. } => {
            paragraph(text, said);
            for call in tool_calls {
                let _ = writeln!(text, "- calls {}: `{}`", one_line(&call.name), one_line(&call.arguments));
            }
        }
    }
}

fn part(text: &mut String, content: &ContentPart) {
    match content {
        ContentPart::Text { text: said } => paragraph(text, said),
        other => paragraph(text, &described(other)),
    }
}

fn plain(content: &[ContentPart]) -> String {
    content.iter().map(described).collect::<Vec<_>>().join("\n")
}

fn described(content: &ContentPart) -> String {
    match content {
        ContentPart::Text { text } => text.clone(),
        ContentPart::Image { media_type, source: ImageSource::Path(path) } => format!("[image {media_type}: {path}]"),
        ContentPart::Image { media_type, source: ImageSource::Base64(data) } => {
            format!("[image {media_type}: {} bytes]", data.len() / 4 * 3)
        }
        ContentPart::Unknown => "[something that a newer version wrote]".to_owned(),
    }
}

fn paragraph(text: &mut String, said: &str) {
    if !said.trim().is_empty() {
        let _ = writeln!(text, "{}", lines(said).trim_end());
    }
}

/// Between fences that the text itself does not have.
fn fenced(text: &mut String, said: &str) {
    let longest = said.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(text, "{fence}\n{}\n{fence}", lines(said).trim_end());
}
