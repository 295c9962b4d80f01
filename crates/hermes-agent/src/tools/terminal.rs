//! `terminal`: one command in the session's shell, to its end or in the background.

use std::time::Duration;

use hermes_proto::executor::{CommandEnd, CommandResult, CommandText, JobSnapshot, StartJob};
use serde::Deserialize;
use serde_json::{Value, json};

use super::work::not_done;
use crate::clean::plain;
use crate::event::ToolOutcome;
use crate::registry::Toolset;
use crate::tool::{Arguments, BadArguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

/// Seconds that a command in the foreground may take at most.
const LONGEST: u64 = 600;
/// Rows and columns of a pseudo-terminal.
const SCREEN: (u16, u16) = (30, 120);

#[derive(Debug, Deserialize)]
struct Wanted {
    command: String,
    #[serde(default)]
    background: bool,
    timeout: Option<u64>,
    workdir: Option<String>,
    #[serde(default)]
    pty: bool,
    #[serde(default)]
    notify_on_complete: bool,
    #[serde(default)]
    watch_patterns: Vec<String>,
}

#[derive(Debug)]
pub struct Terminal;

impl Terminal {
    const NAME: &'static str = "terminal";

    fn wanted(arguments: Arguments) -> Result<Wanted, BadArguments> {
        let wanted: Wanted = arguments.read(Self::NAME)?;
        let bad = |detail: String| Err(BadArguments { tool: Self::NAME, detail });
        if wanted.command.trim().is_empty() {
            return bad("command is empty".to_owned());
        }
        match wanted.timeout {
            Some(0) => bad("timeout is 0 seconds".to_owned()),
            Some(seconds @ LONGEST..) if seconds > LONGEST && !wanted.background => bad(format!(
                "timeout of {seconds} seconds is over {LONGEST}: run it with background true, and wait with process"
            )),
            _ => Ok(wanted),
        }
    }
}

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted = Terminal::wanted(arguments).map_err(ToolReply::failed)?;
    // A pseudo-terminal is a job's: a program that wants one wants to be talked to.
    if wanted.background || wanted.pty {
        in_background(context, wanted).await
    } else {
        in_foreground(context, wanted).await
    }
}

async fn in_foreground(context: &ToolContext, wanted: Wanted) -> Result<ToolReply, ToolReply> {
    let place = context.workplace().await?;
    let timeout = Duration::from_secs(wanted.timeout.unwrap_or(context.config.terminal.timeout));
    let command =
        CommandText { working_directory: wanted.workdir, timeout: Some(timeout), ..CommandText::new(wanted.command) };
    let permit = context.permit(&place, command).await?;
    let mut show = |bytes: &[u8]| context.output(String::from_utf8_lossy(bytes));
    let result = place.run(&context.turn, permit, &mut show).await.map_err(|error| not_done(&error))?;
    Ok(finished(&result, timeout))
}

fn finished(result: &CommandResult, timeout: Duration) -> ToolReply {
    let mut content = json!({"output": plain(&result.output), "exit_code": result.exit_code, "error": null});
    let (outcome, summary) = match result.end {
        CommandEnd::TimedOut => {
            content["error"] = format!("timed out after {} seconds, and was ended", timeout.as_secs()).into();
            (ToolOutcome::Failed, "timed out".to_owned())
        }
        CommandEnd::Interrupted => {
            content["error"] = "interrupted".into();
            (ToolOutcome::Interrupted, "interrupted".to_owned())
        }
        CommandEnd::Signalled { signal } => {
            content["error"] = format!("ended by signal {signal}").into();
            (ToolOutcome::Failed, format!("ended by signal {signal}"))
        }
        CommandEnd::Exited if result.exit_code == 0 => (ToolOutcome::Done, "exit 0".to_owned()),
        CommandEnd::Exited => (ToolOutcome::Failed, format!("exit {}", result.exit_code)),
    };
    if result.omitted_characters > 0 {
        content["omitted_characters"] = result.omitted_characters.into();
        content["full_output"] = json!(result.spill_path);
    }
    content["cwd"] = result.working_directory.clone().into();
    if !result.notes.is_empty() {
        content["notes"] = json!(result.notes);
    }
    ToolReply { outcome, content, summary, diff: None }
}

async fn in_background(context: &ToolContext, wanted: Wanted) -> Result<ToolReply, ToolReply> {
    let place = context.workplace().await?;
    let job = StartJob {
        command: wanted.command,
        environment: Vec::new(),
        working_directory: wanted.workdir,
        terminal: wanted.pty.then_some(SCREEN),
        notify_on_complete: wanted.notify_on_complete,
        watch_patterns: wanted.watch_patterns,
        persists: false,
    };
    let permit = context.permit(&place, job).await?;
    let job = place.start_job(&context.turn, permit).await.map_err(|error| not_done(&error))?;
    Ok(started(&job))
}

fn started(job: &JobSnapshot) -> ToolReply {
    let content = json!({
        "output": plain(&job.output), "session_id": job.id, "pid": job.pid, "exit_code": job.exit_code.unwrap_or(0),
        "error": null, "status": job.state, "notes": job.notes,
        "hint": "process(action=\"poll\", session_id=…) tells how it goes",
    });
    ToolReply::done(content, format!("started as {}", job.id))
}

impl Tool for Terminal {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn toolset(&self) -> Toolset {
        Toolset::Terminal
    }

    fn description(&self) -> &'static str {
        "Run a command in bash. The working directory, exported variables and functions stay from one command to the next. \
         Prefer read_file, search_files, write_file and patch for files. In the foreground it returns when the command ends \
         (timeout 180 seconds, at most 600). With background true it returns at once with a session_id for process: for \
         servers and long work; notify_on_complete tells you when it ends. pty true gives a program a terminal and starts it \
         in the background. Never use & or nohup."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command"},
                "background": {"type": "boolean", "description": "Return at once, and go on running", "default": false},
                "timeout": {"type": "integer", "minimum": 1, "description": "Seconds to wait in the foreground (default 180, at most 600)"},
                "workdir": {"type": "string", "description": "Folder for this command only"},
                "pty": {"type": "boolean", "description": "Give it a terminal, for programs that ask", "default": false},
                "notify_on_complete": {"type": "boolean", "description": "Tell when a background command ends", "default": false},
                "watch_patterns": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Tell when a line of a background command contains one of these",
                },
            },
            "required": ["command"],
        })
    }

    /// Commands share a working directory: each sees what the one before it left.
    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments["command"].as_str().unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}
