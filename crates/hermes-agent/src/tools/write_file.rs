//! `write_file`: a whole file.

use hermes_proto::executor::{FileAnswer, FileRequest, ReadFile, WriteFile as Write};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::registry::Toolset;
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

/// Lines of the old file that are read for the difference people see.
const MOST_LINES: usize = 2_000;

#[derive(Debug, Deserialize)]
struct Wanted {
    path: String,
    content: String,
}

#[derive(Debug)]
pub struct WriteFile;

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let Wanted { path, content } = arguments.read("write_file").map_err(ToolReply::failed)?;
    let Written { path, bytes, created, diff, notes } = write(context, path, content).await?;
    let reply = json!({"path": path, "bytes_written": bytes, "created": created, "notes": notes});
    let summary = if created { format!("{bytes} bytes, new") } else { format!("{bytes} bytes") };
    Ok(ToolReply { diff, ..ToolReply::done(reply, summary) })
}

/// A file that was written.
pub(super) struct Written {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) created: bool,
    /// What changed, if that can be shown.
    pub(super) diff: Option<String>,
    pub(super) notes: Vec<String>,
}

/// Writes the file, and finds out what changed.
pub(super) async fn write(context: &ToolContext, path: String, content: String) -> Result<Written, ToolReply> {
    let old = old_content(context, &path).await;
    let request = FileRequest::Write(Write { path, content: content.clone() });
    match context.file(request).await? {
        FileAnswer::Written { path, bytes, created, notes } => {
            let old = if created { Some(String::new()) } else { old };
            let diff = old.map(|old| difference(&path, &old, &content));
            Ok(Written { path, bytes, created, diff, notes })
        }
        _ => Err(ToolReply::failed("the executor answered something else")),
    }
}

/// What is in the file now, if that can be shown.
async fn old_content(context: &ToolContext, path: &str) -> Option<String> {
    let request = FileRequest::Read(ReadFile { path: path.to_owned(), offset: 1, limit: MOST_LINES });
    match context.file(request).await {
        Ok(FileAnswer::Text { content, is_cut: false, .. }) => Some(content),
        _ => None,
    }
}

fn difference(path: &str, old: &str, new: &str) -> String {
    let difference = similar::TextDiff::from_lines(old, new);
    difference.unified_diff().context_radius(3).header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}

impl Tool for WriteFile {
    fn name(&self) -> &'static str {
        "write_file"
    }

    fn toolset(&self) -> Toolset {
        Toolset::File
    }

    fn description(&self) -> &'static str {
        "Write a file; folders are made as needed. It replaces the whole file: use patch to change a part."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Absolute, relative to the working directory, or below ~/"},
                "content": {"type": "string", "description": "The whole content"},
            },
            "required": ["path", "content"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments["path"].as_str().unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}
