//! `read_file`: lines of a text file, numbered.

use hermes_proto::executor::{FileAnswer, FileRequest, ReadFile as Read};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::registry::Toolset;
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

/// Lines of one call, unless others are asked for.
const LINES: usize = 500;
const MOST_LINES: usize = 2_000;

#[derive(Debug, Deserialize)]
struct Wanted {
    path: String,
    #[serde(default = "first_line")]
    offset: usize,
    #[serde(default = "lines")]
    limit: usize,
}

const fn first_line() -> usize {
    1
}

const fn lines() -> usize {
    LINES
}

#[derive(Debug)]
pub struct ReadFile;

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted: Wanted = arguments.read("read_file").map_err(ToolReply::failed)?;
    let request = Read { path: wanted.path, offset: wanted.offset.max(1), limit: wanted.limit.clamp(1, MOST_LINES) };
    match context.file(FileRequest::Read(request)).await? {
        FileAnswer::Text { content, first_line, lines, total_lines, size, is_cut, notes } => {
            let mut reply = json!({
                "content": numbered(&content, first_line), "total_lines": total_lines, "file_size": size,
                "truncated": is_cut,
            });
            if is_cut {
                reply["hint"] = format!("go on with offset {}", first_line + lines).into();
            }
            if !notes.is_empty() {
                reply["notes"] = json!(notes);
            }
            Ok(ToolReply::done(reply, format!("{lines} lines")))
        }
        _ => Err(ToolReply::failed("the executor answered something else")),
    }
}

/// Each line with its number before it.
fn numbered(content: &str, first_line: usize) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(content.len() + content.len() / 8);
    for (index, line) in content.split_inclusive('\n').enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:>6}|{line}", first_line + index);
    }
    text
}

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }

    fn toolset(&self) -> Toolset {
        Toolset::File
    }

    fn description(&self) -> &'static str {
        "Read a text file, with line numbers as NUMBER|LINE. Use offset and limit for parts of large files. Suggests similar names if \
         the file is missing. Not for images or binary files."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Absolute, relative to the working directory, or below ~/"},
                "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "First line"},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_LINES, "default": LINES, "description": "Lines at most"},
            },
            "required": ["path"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Beside
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments["path"].as_str().unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn lines_have_their_numbers() {
        assert_eq!(numbered("a\nb", 9), "     9|a\n    10|b");
        assert_eq!(numbered("", 1), "");
    }
}
