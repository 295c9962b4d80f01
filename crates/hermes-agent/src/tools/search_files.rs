//! `search_files`: text in files, or files by name.

use std::collections::BTreeMap;

use hermes_proto::executor::{FileAnswer, FileRequest, FoundLine, LineRole, SearchFiles as Search, SearchTarget};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::registry::Toolset;
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

const MATCHES: usize = 50;
const MOST_MATCHES: usize = 1_000;
const MOST_CONTEXT: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Target {
    #[serde(alias = "grep")]
    Content,
    #[serde(alias = "find")]
    Files,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Output {
    Content,
    FilesOnly,
    Count,
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Wanted {
    pattern: String,
    target: Target,
    path: String,
    file_glob: Option<String>,
    limit: usize,
    offset: usize,
    output_mode: Output,
    context: usize,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            pattern: String::new(),
            target: Target::Content,
            path: ".".to_owned(),
            file_glob: None,
            limit: MATCHES,
            offset: 0,
            output_mode: Output::Content,
            context: 0,
        }
    }
}

#[derive(Debug)]
pub struct SearchFiles;

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted: Wanted = arguments.read("search_files").map_err(ToolReply::failed)?;
    if wanted.pattern.is_empty() {
        return Err(ToolReply::failed("arguments do not fit search_files: pattern is empty"));
    }
    let request = Search {
        pattern: wanted.pattern,
        target: match wanted.target {
            Target::Content => SearchTarget::Content,
            Target::Files => SearchTarget::Names,
        },
        path: wanted.path,
        file_glob: wanted.file_glob,
        context: if wanted.output_mode == Output::Content { wanted.context.min(MOST_CONTEXT) } else { 0 },
        offset: wanted.offset,
        limit: wanted.limit.clamp(1, MOST_MATCHES),
    };
    match context.file(FileRequest::Search(request)).await? {
        FileAnswer::Matches { lines, total, is_cut, notes } => {
            let mut content = matches(&lines, wanted.output_mode);
            finish(&mut content, total, is_cut, &notes);
            Ok(ToolReply::done(content, format!("{total} matches")))
        }
        FileAnswer::Names { paths, total, is_cut, notes } => {
            let mut content = json!({"files": paths});
            finish(&mut content, total, is_cut, &notes);
            Ok(ToolReply::done(content, format!("{total} files")))
        }
        _ => Err(ToolReply::failed("the executor answered something else")),
    }
}

fn finish(content: &mut Value, total: usize, is_cut: bool, notes: &[String]) {
    content["total_count"] = total.into();
    content["truncated"] = is_cut.into();
    if !notes.is_empty() {
        content["notes"] = json!(notes);
    }
}

/// What was found, in the shape that was asked for.
fn matches(lines: &[FoundLine], output: Output) -> Value {
    let is_match = |line: &&FoundLine| line.role == LineRole::Match;
    let mut counts = BTreeMap::<&str, usize>::new();
    for line in lines.iter().filter(is_match) {
        *counts.entry(&line.path).or_default() += 1;
    }
    match output {
        Output::FilesOnly => json!({"files": counts.keys().collect::<Vec<_>>()}),
        Output::Count => json!({"counts": counts}),
        Output::Content => {
            let shown = |line: &FoundLine| {
                let mut shown = json!({"path": line.path, "line": line.line, "content": line.text});
                if line.role == LineRole::Context {
                    shown["context"] = true.into();
                }
                shown
            };
            json!({"matches": lines.iter().map(shown).collect::<Vec<_>>()})
        }
    }
}

impl Tool for SearchFiles {
    fn name(&self) -> &'static str {
        "search_files"
    }

    fn toolset(&self) -> Toolset {
        Toolset::File
    }

    fn description(&self) -> &'static str {
        "Search text in files (target content, a regular expression) or files by name (target files, a glob such as *.py, newest \
         first). Faster than grep, find and ls in the terminal, and leaves out what git ignores."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "A regular expression for content, a glob for files"},
                "target": {"type": "string", "enum": ["content", "files"], "default": "content"},
                "path": {"type": "string", "default": ".", "description": "Folder to search, or for content one file"},
                "file_glob": {"type": "string", "description": "For content: only files of this name, such as *.py"},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_MATCHES, "default": MATCHES},
                "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Results to leave out at the beginning"},
                "output_mode": {"type": "string", "enum": ["content", "files_only", "count"], "default": "content"},
                "context": {"type": "integer", "minimum": 0, "maximum": MOST_CONTEXT, "default": 0, "description": "Lines around each match"},
            },
            "required": ["pattern"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Beside
    }

    fn preview(&self, arguments: &Value) -> String {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default();
        format!("{} {}", text("pattern"), text("path")).trim_end().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}

#[cfg(test)]
mod tests {
    use hermes_proto::executor::{FoundLine, LineRole};
    use serde_json::json;

    use super::{Output, matches};

    #[test]
    fn what_was_found_has_the_shape_that_was_asked_for() {
        let line = |path: &str, line, role| FoundLine { path: path.to_owned(), line, text: "x".to_owned(), role };
        let lines = [line("a", 1, LineRole::Match), line("a", 2, LineRole::Context), line("b", 3, LineRole::Match)];
        assert_eq!(matches(&lines, Output::FilesOnly), json!({"files": ["a", "b"]}));
        assert_eq!(matches(&lines, Output::Count), json!({"counts": {"a": 1, "b": 1}}));
        let content = matches(&lines, Output::Content);
        assert_eq!(content["matches"][1], json!({"path": "a", "line": 2, "content": "x", "context": true}));
    }
}
