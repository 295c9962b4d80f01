//! `execute_code`: a Python script that calls tools.
//!
//! The original gave the script's calls to a thread that had lost the turn: whose chat it was, and whom to ask. Here a
//! call is answered with a clone of this call's own context, so there is nothing to lose: the same turn, the
//! same guard, the same person as a direct call has.

mod questions;

use std::sync::Arc;

use hermes_environment::{RunningScript, Script, ScriptEvent};
use hermes_home::config::CodeExecutionMode;
use hermes_proto::executor::{CallId, ScriptLimits, ScriptMode, ScriptResult, ScriptStatus, ScriptTool};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use super::work::not_done;
use crate::clean::plain;
use crate::event::{ToolOutcome, TurnEvent};
use crate::registry::{Registry, Toolset};
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

#[derive(Debug, Deserialize)]
struct Wanted {
    code: String,
}

#[derive(Debug)]
pub struct ExecuteCode;

/// What a script may call: the tools that scripts know and this session has. None means none.
fn offered(tools: &Registry) -> Vec<ScriptTool> {
    ScriptTool::ALL.into_iter().filter(|tool| tools.get(tool.name()).is_some()).collect()
}

fn script(context: &ToolContext, code: String) -> Script {
    let config = &context.config.code_execution;
    let limits = ScriptLimits {
        timeout_ms: config.timeout.saturating_mul(1000),
        tool_calls: config.max_tool_calls,
        ..ScriptLimits::default()
    };
    Script {
        mode: match config.mode {
            CodeExecutionMode::Project => ScriptMode::Project,
            CodeExecutionMode::Strict => ScriptMode::Strict,
        },
        passthrough: context.config.terminal.env_passthrough.clone(),
        limits,
        ..Script::new(code, offered(&context.tools))
    }
}

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let Wanted { code } = arguments.read("execute_code").map_err(ToolReply::failed)?;
    if code.trim().is_empty() {
        return Err(not_started(ToolReply::failed("no code was given")));
    }
    let place = context.workplace().await.map_err(not_started)?;
    // Before anything is made: a refusal leaves nothing behind.
    let permit = context.permit(&place, script(context, code)).await.map_err(not_started)?;
    let begun = place.begin_script(&context.turn, permit).await;
    let (running, notes) = begun.map_err(|error| not_started(not_done(&error)))?;
    for text in notes {
        context.observer.saw(TurnEvent::Notice { text });
    }
    let result = follow(context, running).await.map_err(|error| not_started(ToolReply::failed(error)))?;
    Ok(finished(&result, context.config.code_execution.timeout))
}

/// Answers the script's calls until it has ended. Several of its threads may call at once.
async fn follow(
    context: &ToolContext,
    mut running: RunningScript,
) -> Result<ScriptResult, hermes_environment::link::LinkError> {
    let (turn, mut questions) = questions::counted(&context.turn);
    let context = ToolContext { turn, ..context.clone() };
    let mut calls = JoinSet::new();
    loop {
        tokio::select! {
            event = running.next() => match event? {
                ScriptEvent::Call { id, tool, arguments } => {
                    calls.spawn(call(context.clone(), id, tool, arguments));
                }
                ScriptEvent::Finished(result) => {
                    // What is still under way is given up with the script that asked for it: nothing of it goes on.
                    calls.shutdown().await;
                    return Ok(*result);
                }
            },
            // The time that a person takes is not the script's.
            () = questions.changed() => match questions.any() {
                true => running.hold(),
                false => running.resume(),
            },
            Some(answered) = calls.join_next() => match answered {
                Ok((id, result)) => running.answer(id, result),
                Err(error) => tracing::error!(%error, "a tool call of a script was lost"),
            },
        }
    }
}

/// One call of the script, as a direct call would be.
async fn call(context: ToolContext, id: CallId, tool: ScriptTool, arguments: Map<String, Value>) -> (CallId, String) {
    let Some(tool) = context.tools.get(tool.name()).cloned() else {
        return (id, json!({"error": "there is no such tool"}).to_string());
    };
    let arguments = Value::Object(arguments);
    context.output(format!("→ {} {}\n", tool.name(), tool.preview(&arguments)));
    let reply = run(&tool, &context, arguments).await;
    (id, reply.content.to_string())
}

async fn run(tool: &Arc<dyn Tool>, context: &ToolContext, arguments: Value) -> ToolReply {
    tool.run(context, Arguments(arguments)).await
}

/// The shape that a result always has, for a script that never ran.
fn not_started(reply: ToolReply) -> ToolReply {
    let mut content = reply.content;
    content["status"] = "error".into();
    content["tool_calls_made"] = 0.into();
    content["duration_seconds"] = 0.into();
    ToolReply { content, ..reply }
}

fn finished(result: &ScriptResult, limit: u64) -> ToolReply {
    let seconds = result.duration_ms as f64 / 1000.0;
    let mut output = plain(&result.output);
    let (outcome, error) = match result.status {
        ScriptStatus::Success => (ToolOutcome::Done, None),
        ScriptStatus::Error => {
            if !result.errors.is_empty() {
                output.push_str("\n--- stderr ---\n");
                output.push_str(&plain(&result.errors));
            }
            (ToolOutcome::Failed, Some(format!("the script ended with {}", result.exit_code)))
        }
        ScriptStatus::Timeout => {
            let error = format!("the script did not end within {limit} seconds, and was ended");
            output.push_str(&format!("\n[{error}]"));
            (ToolOutcome::Failed, Some(error))
        }
        ScriptStatus::Interrupted => {
            output.push_str("\n[interrupted]");
            (ToolOutcome::Interrupted, Some("interrupted".to_owned()))
        }
    };
    let mut content = json!({
        "status": result.status, "output": output, "tool_calls_made": result.tool_calls_made,
        "duration_seconds": seconds,
    });
    if let Some(error) = &error {
        content["error"] = error.clone().into();
    }
    if result.omitted_output_bytes > 0 {
        content["omitted_output_bytes"] = result.omitted_output_bytes.into();
    }
    if !result.notes.is_empty() {
        content["notes"] = json!(result.notes);
    }
    let summary = error.unwrap_or_else(|| format!("{} tool calls", result.tool_calls_made));
    ToolReply { outcome, content, summary, diff: None }
}

impl Tool for ExecuteCode {
    fn name(&self) -> &'static str {
        "execute_code"
    }

    fn toolset(&self) -> Toolset {
        Toolset::CodeExecution
    }

    fn description(&self) -> &'static str {
        "Run a Python script that can call tools: from hermes_tools import terminal, read_file, write_file, search_files, patch, \
         web_extract (those that this session has). Each returns a dict. Also json_parse, shell_quote, retry. Use it for three or more calls \
         with logic between them, for filtering large results, for loops. Print what you need: only standard output comes back \
         (50,000 bytes). 300 seconds, 50 tool calls. For a single command use terminal."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The script"}},
            "required": ["code"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        let code = arguments["code"].as_str().unwrap_or_default();
        let is_telling =
            |line: &&str| !line.is_empty() && !line.starts_with(['#', '"', '\'']) && !line.contains("import ");
        code.lines().map(str::trim).find(is_telling).or_else(|| code.lines().next()).unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}
