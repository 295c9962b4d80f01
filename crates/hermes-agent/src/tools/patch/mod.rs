//! `patch`: changes in the middle of files.

mod envelope;

use hermes_proto::executor::{CommandText, FileAnswer, FileRequest, PatchFile, PatchMode};
use serde::Deserialize;
use serde_json::{Value, json};

use self::envelope::{Hunk, Operation, parse};
use super::work::not_done;
use super::write_file::{Written, write};
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

/// What was changed so far.
#[derive(Debug, Default)]
struct Changes {
    paths: Vec<String>,
    diff: String,
    notes: Vec<String>,
}

impl Changes {
    fn add(&mut self, path: String, diff: &str, notes: Vec<String>) {
        if self.paths.last() != Some(&path) {
            self.paths.push(path);
        }
        self.diff.push_str(diff);
        self.notes.extend(notes);
    }

    fn done(self) -> ToolReply {
        let mut content = json!({"success": true, "files": self.paths, "diff": self.diff});
        if !self.notes.is_empty() {
            content["notes"] = json!(self.notes);
        }
        ToolReply { diff: Some(self.diff), ..ToolReply::done(content, self.paths.join(" ")) }
    }

    /// What the model has to know after a change that could not be made: these were.
    fn then_failed(self, mut failed: ToolReply) -> ToolReply {
        failed.content["already_changed"] = json!(self.paths);
        failed.diff = (!self.diff.is_empty()).then_some(self.diff);
        failed
    }
}

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted: Wanted = arguments.read("patch").map_err(ToolReply::failed)?;
    let missing = |name: &str| ToolReply::failed(format_args!("arguments do not fit patch: {name} is missing"));
    let mut changes = Changes::default();
    match wanted.mode {
        Mode::Replace => {
            let request = PatchFile {
                path: wanted.path.ok_or_else(|| missing("path"))?,
                old: wanted.old_string.ok_or_else(|| missing("old_string"))?,
                new: wanted.new_string.ok_or_else(|| missing("new_string"))?,
                mode: if wanted.replace_all { PatchMode::All } else { PatchMode::Unique },
            };
            replace(context, request, &mut changes).await?;
        }
        Mode::Patch => {
            let text = wanted.patch.ok_or_else(|| missing("patch"))?;
            // One after the other: the first that cannot be done ends it.
            for operation in parse(&text).map_err(ToolReply::failed)? {
                if let Err(failed) = apply(context, operation, &mut changes).await {
                    return Err(changes.then_failed(failed));
                }
            }
        }
    }
    Ok(changes.done())
}

async fn replace(context: &ToolContext, request: PatchFile, changes: &mut Changes) -> Result<(), ToolReply> {
    match context.file(FileRequest::Patch(request)).await? {
        FileAnswer::Patched { path, diff, notes, .. } => {
            changes.add(path, &diff, notes);
            Ok(())
        }
        _ => Err(ToolReply::failed("the executor answered something else")),
    }
}

async fn apply(context: &ToolContext, operation: Operation, changes: &mut Changes) -> Result<(), ToolReply> {
    match operation {
        Operation::Add { path, content } => {
            let Written { path, diff, notes, .. } = write(context, path, content).await?;
            changes.add(path, &diff.unwrap_or_default(), notes);
            Ok(())
        }
        Operation::Update { path, hunks } => {
            for Hunk { old, new } in hunks {
                let request = PatchFile { path: path.clone(), old, new, mode: PatchMode::Unique };
                replace(context, request, changes).await?;
            }
            Ok(())
        }
        Operation::Delete { path } => {
            let notes = shell(context, format!("rm -- {}", word(&path)), "it cannot be deleted").await?;
            let diff = format!("--- a/{path}\n+++ /dev/null\n");
            changes.add(path, &diff, notes);
            Ok(())
        }
        Operation::Move { from, to } => {
            // mv itself is content when it leaves a target alone, and moves into one that is a folder.
            let (old, new) = (word(&from), word(&to));
            let text = format!("test ! -e {new} && test ! -L {new} && mv -- {old} {new}");
            let notes = shell(context, text, "there is something in its new place already").await?;
            let diff = format!("rename from {from}\nrename to {to}\n");
            changes.add(to, &diff, notes);
            Ok(())
        }
    }
}

/// Through the shell, and so through its rules. `otherwise` is the problem of a command that failed without a word.
async fn shell(context: &ToolContext, text: String, otherwise: &str) -> Result<Vec<String>, ToolReply> {
    let place = context.workplace().await?;
    let permit = context.permit(&place, CommandText::new(text)).await?;
    let result = place.run(&context.turn, permit, &mut |_| ()).await.map_err(|error| not_done(&error))?;
    match (result.exit_code, result.output.trim()) {
        (0, _) => Ok(result.notes),
        (_, "") => Err(ToolReply::failed(otherwise)),
        (_, said) => Err(ToolReply::failed(said)),
    }
}

/// The path as one word of the shell, which means by it what the file tools do.
fn word(path: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    match path.strip_prefix("~/") {
        Some(below) => format!("~/{}", quoted(below)),
        None => quoted(path),
    }
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
