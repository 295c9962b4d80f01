//! `memory`: what is worth knowing in later sessions.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::memory::{MemoryChange, MemoryFile, characters};
use crate::registry::Toolset;
use crate::tool::{Arguments, BadArguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Add,
    Replace,
    Remove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Target {
    Memory,
    User,
}

#[derive(Debug, Deserialize)]
struct Wanted {
    action: Action,
    target: Target,
    content: Option<String>,
    old_text: Option<String>,
}

impl Wanted {
    fn file(&self) -> MemoryFile {
        match self.target {
            Target::Memory => MemoryFile::Notes,
            Target::User => MemoryFile::User,
        }
    }

    fn change(self) -> Result<MemoryChange, BadArguments> {
        let needed = |value: Option<String>, name| {
            let detail = || format!("{:?} needs {name}", self.action).to_lowercase();
            value.ok_or_else(|| BadArguments { tool: Memory::NAME, detail: detail() })
        };
        Ok(match self.action {
            Action::Add => MemoryChange::Add { content: needed(self.content, "content")? },
            Action::Replace => MemoryChange::Replace {
                old: needed(self.old_text, "old_text")?,
                content: needed(self.content, "content")?,
            },
            Action::Remove => MemoryChange::Remove { old: needed(self.old_text, "old_text")? },
        })
    }
}

#[derive(Debug)]
pub struct Memory;

impl Memory {
    const NAME: &'static str = "memory";

    async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
        let wanted: Wanted = arguments.read(Self::NAME).map_err(ToolReply::failed)?;
        let file = wanted.file();
        if !file.is_enabled(&context.config.memory) {
            return Err(ToolReply::failed(format_args!("{} memory is switched off in config.yaml", file.kind())));
        }
        let change = wanted.change().map_err(ToolReply::failed)?;
        let (home, limit) = (context.home.clone(), file.limit(&context.config.memory));
        // Its lock may be held by another process.
        let changed = tokio::task::spawn_blocking(move || file.change(&home, limit, change)).await;
        let entries = changed.map_err(ToolReply::failed)?.map_err(ToolReply::failed)?;
        let used = characters(&entries);
        let content = json!({
            "success": true, "target": file.kind(), "entries": entries, "usage": format!("{used}/{limit} characters"),
            "note": "later sessions see this from their start; this one goes on with what it saw",
        });
        Ok(ToolReply::done(content, format!("{} memory: {used} of {limit} characters", file.kind())))
    }
}

impl Tool for Memory {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn toolset(&self) -> Toolset {
        Toolset::Memory
    }

    fn description(&self) -> &'static str {
        "Keep facts that later sessions need. `target` user: who the user is, preferences, how they want things done; \
         `target` memory: the environment, conventions of projects, lessons learned. Not for progress of a task or for what \
         is quickly found again. Short, dense entries: the room is small. replace and remove find the entry by `old_text`, a \
         piece of it that only it has."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["add", "replace", "remove"]},
                "target": {"type": "string", "enum": ["memory", "user"]},
                "content": {"type": "string", "description": "The entry, for add and replace"},
                "old_text": {"type": "string", "description": "A piece of the entry that is meant, for replace and remove"},
            },
            "required": ["action", "target"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let about = if arguments["content"].is_string() { text("content") } else { text("old_text") };
        format!("{} {}: {about}", text("action"), text("target"))
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { Self::reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}
