//! `patch`: changes in the middle of files.

mod envelope;

use hermes_proto::executor::{CommandText, FileAnswer, FileRequest, PatchFile, PatchMode};
use serde::Deserialize;
use serde_json::{Value, json};

use self::envelope::{Operation, parse};
use super::work::not_done;
use super::write_file::write;
use crate::registry::Toolset;
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Replace,
    Patch,
}

#[derive(Debug, Deserialize)]
struct Wanted {
    #[serde(default)]
    mode: Mode,
    path: Option<String>,
    old_string: Option<String>,
    new_string: Option<String>,
    #[serde(default)]
    replace_all: bool,
    patch: Option<String>,
}

#[derive(Debug)]
pub struct Patch;

/// What a change did.
struct Changed {
    path: String,
    diff: String,
    notes: Vec<String>,
}

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted: Wanted = arguments.read("patch").map_err(ToolReply::failed)?;
    let missing = |name: &str| ToolReply::failed(format_args!("arguments do not fit patch: {name} is missing"));
    match wanted.mode {
        Mode::Replace => {
            let request = PatchFile {
                path: wanted.path.ok_or_else(|| missing("path"))?,
                old: wanted.old_string.ok_or_else(|| missing("old_string"))?,
                new: wanted.new_string.ok_or_else(|| missing("new_string"))?,
                mode: if wanted.replace_all { PatchMode::All } else { PatchMode::Unique },
            };
            let changed = replace(context, request).await?;
            Ok(done(&[changed.path], &changed.diff, &changed.notes))
        }
        Mode::Patch => {
            let text = wanted.patch.ok_or_else(|| missing("patch"))?;
            apply(context, parse(&text).map_err(ToolReply::failed)?).await
        }
    }
}

async fn replace(context: &ToolContext, request: PatchFile) -> Result<Changed, ToolReply> {
    match context.file(FileRequest::Patch(request)).await? {
        FileAnswer::Patched { path, diff, notes, .. } => Ok(Changed { path, diff, notes }),
        _ => Err(ToolReply::failed("the executor answered something else")),
    }
}

fn done(paths: &[String], diff: &str, notes: &[String]) -> ToolReply {
    let mut content = json!({"success": true, "files": paths, "diff": diff});
    if !notes.is_empty() {
        content["notes"] = json!(notes);
    }
    ToolReply { diff: Some(diff.to_owned()), ..ToolReply::done(content, paths.join(" ")) }
}

/// One operation after the other. The first that cannot be done ends it, and the reply tells what was done before.
async fn apply(context: &ToolContext, operations: Vec<Operation>) -> Result<ToolReply, ToolReply> {
    let (mut paths, mut diffs, mut notes) = (Vec::new(), String::new(), Vec::new());
    for operation in operations {
        match one(context, operation).await {
            Ok(changed) => {
                paths.push(changed.path);
                diffs.push_str(&changed.diff);
                notes.extend(changed.notes);
            }
            Err(mut failed) => {
                failed.content["already_changed"] = json!(paths);
                failed.diff = (!diffs.is_empty()).then_some(diffs);
                return Err(failed);
            }
        }
    }
    Ok(done(&paths, &diffs, &notes))
}

async fn one(context: &ToolContext, operation: Operation) -> Result<Changed, ToolReply> {
    match operation {
        Operation::Add { path, content } => {
            let reply = write(context, path.clone(), content).await?;
            Ok(Changed { path, diff: reply.diff.unwrap_or_default(), notes: Vec::new() })
        }
        Operation::Update { path, hunks } => {
            let mut all = Changed { path: path.clone(), diff: String::new(), notes: Vec::new() };
            for hunk in hunks {
                let request = PatchFile { path: path.clone(), old: hunk.old, new: hunk.new, mode: PatchMode::Unique };
                let changed = replace(context, request).await?;
                all.diff.push_str(&changed.diff);
                all.notes.extend(changed.notes);
            }
            Ok(all)
        }
        Operation::Delete { path } => shell(context, format!("rm -- {}", quoted(&path)), path).await,
        Operation::Move { from, to } => shell(context, format!("mv -n -- {} {}", quoted(&from), quoted(&to)), to).await,
    }
}

/// Through the shell, and so through its rules.
async fn shell(context: &ToolContext, text: String, path: String) -> Result<Changed, ToolReply> {
    let place = context.workplace().await?;
    let diff = format!("{text}\n");
    let permit = context.permit(&place, CommandText::new(text)).await?;
    let result = place.run(&context.turn, permit, &mut |_| ()).await.map_err(|error| not_done(&error))?;
    match result.exit_code {
        0 => Ok(Changed { path, diff, notes: result.notes }),
        _ => Err(ToolReply::failed(result.output.trim())),
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Tool for Patch {
    fn name(&self) -> &'static str {
        "patch"
    }

    fn toolset(&self) -> Toolset {
        Toolset::File
    }

    fn description(&self) -> &'static str {
        "Change parts of files. mode replace: old_string becomes new_string; old_string has to be in the file once (or use \
         replace_all), small differences in white space are forgiven. mode patch: several changes at once, as\n\
         *** Begin Patch\n*** Update File: path\n@@ hint @@\n context\n-old\n+new\n*** Add File: path\n+line\n*** Delete File: path\n\
         *** Move File: from -> to\n*** End Patch"
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "mode": {"type": "string", "enum": ["replace", "patch"], "default": "replace"},
                "path": {"type": "string", "description": "For replace: the file"},
                "old_string": {"type": "string", "description": "For replace: the text to be replaced, with enough around it to be unique"},
                "new_string": {"type": "string", "description": "For replace: the text that takes its place"},
                "replace_all": {"type": "boolean", "default": false, "description": "For replace: every occurrence"},
                "patch": {"type": "string", "description": "For patch: the changes"},
            },
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        let named = arguments["path"].as_str().map(str::to_owned);
        let patched = || arguments["patch"].as_str().and_then(|text| parse(text).ok());
        let paths = || patched().map(|all| all.iter().map(Operation::path).collect::<Vec<_>>().join(" "));
        named.or_else(paths).unwrap_or_default()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}
