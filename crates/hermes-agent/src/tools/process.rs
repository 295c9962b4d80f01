//! `process`: the background commands of this session.

use std::time::Duration;

use hermes_approval::JobInput;
use hermes_environment::JobQuery;
use hermes_proto::executor::{JobId, JobSnapshot, JobState};
use serde::Deserialize;
use serde_json::{Value, json};

use super::work::not_done;
use crate::clean::plain;
use crate::registry::Toolset;
use crate::tool::{Arguments, BadArguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

/// Lines of a log that are shown at once.
const LINES: usize = 200;
/// Seconds that one wait may take.
const LONGEST_WAIT: u64 = 600;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    List,
    Poll,
    Log,
    Wait,
    Kill,
    Write,
    Submit,
    Close,
}

#[derive(Debug, Deserialize)]
struct Wanted {
    action: Action,
    session_id: Option<String>,
    data: Option<String>,
    timeout: Option<u64>,
    offset: Option<usize>,
    limit: Option<usize>,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Ask(JobQuery),
    Type(JobInput),
}

#[derive(Debug)]
pub struct Process;

impl Process {
    const NAME: &'static str = "process";

    fn step(arguments: Arguments, default_wait: u64) -> Result<Step, BadArguments> {
        let wanted: Wanted = arguments.read(Self::NAME)?;
        let needs = |name: &str| BadArguments {
            tool: Self::NAME,
            detail: format!("{:?} needs {name}", wanted.action).to_lowercase(),
        };
        if wanted.action == Action::List {
            return Ok(Step::Ask(JobQuery::List));
        }
        let id = JobId::from(wanted.session_id.clone().ok_or_else(|| needs("session_id"))?);
        let data = || wanted.data.clone().ok_or_else(|| needs("data"));
        let seconds = wanted.timeout.unwrap_or(default_wait).clamp(1, LONGEST_WAIT);
        let lines = wanted.limit.unwrap_or(LINES).clamp(1, LINES);
        Ok(match wanted.action {
            Action::List => Step::Ask(JobQuery::List),
            Action::Poll => Step::Ask(JobQuery::Poll(id)),
            Action::Log => Step::Ask(JobQuery::Log { id, offset: wanted.offset, lines }),
            Action::Wait => Step::Ask(JobQuery::Wait { id, time: Duration::from_secs(seconds) }),
            Action::Kill => Step::Ask(JobQuery::Kill(id)),
            Action::Close => Step::Ask(JobQuery::CloseInput(id)),
            Action::Write => Step::Type(JobInput::bytes(id, data()?)),
            Action::Submit => Step::Type(JobInput::line(id, data()?)),
        })
    }
}

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let step = Process::step(arguments, context.config.terminal.timeout).map_err(ToolReply::failed)?;
    let place = context.workplace().await?;
    let is_list = step == Step::Ask(JobQuery::List);
    let jobs = match step {
        Step::Ask(query) => place.job(&context.turn, query).await,
        Step::Type(input) => {
            let permit = context.permit(&place, input).await?;
            place.job_input(&context.turn, permit).await
        }
    };
    let jobs = jobs.map_err(|error| not_done(&error))?;
    Ok(match jobs.as_slice() {
        [job] if !is_list => ToolReply::done(shown(job), summary(job)),
        jobs => {
            let list: Vec<_> = jobs.iter().map(shown).collect();
            ToolReply::done(json!({"processes": list}), format!("{} background commands", list.len()))
        }
    })
}

fn shown(job: &JobSnapshot) -> Value {
    let mut content = json!({
        "session_id": job.id, "command": job.command, "status": job.state, "pid": job.pid,
        "uptime_seconds": job.runtime_ms / 1000, "output": plain(&job.output),
    });
    if let Some(code) = job.exit_code {
        content["exit_code"] = code.into();
    }
    if job.dropped_characters > 0 {
        content["dropped_characters"] = job.dropped_characters.into();
    }
    if !job.notes.is_empty() {
        content["notes"] = json!(job.notes);
    }
    content
}

fn summary(job: &JobSnapshot) -> String {
    match (job.state, job.exit_code) {
        (JobState::Running, _) => format!("{} is running", job.id),
        (JobState::Exited, Some(code)) => format!("{} ended with {code}", job.id),
        (JobState::Exited, None) => format!("{} ended", job.id),
        (JobState::Killed, _) => format!("{} was ended", job.id),
        (JobState::FailedStart, _) => format!("{} did not start", job.id),
    }
}

impl Tool for Process {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn toolset(&self) -> Toolset {
        Toolset::Terminal
    }

    fn description(&self) -> &'static str {
        "The commands that terminal started in the background. list: all of them; poll: state and newest output; log: its output \
         by lines; wait: until it ends or the timeout; kill: end it; write: text to its input as it is; submit: a line to its \
         input; close: end of its input."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["list", "poll", "log", "wait", "kill", "write", "submit", "close"]},
                "session_id": {"type": "string", "description": "The command, as terminal named it; not for list"},
                "data": {"type": "string", "description": "Text for write and submit"},
                "timeout": {"type": "integer", "minimum": 1, "description": "Seconds that wait waits at most"},
                "offset": {"type": "integer", "minimum": 0, "description": "First line of log; the last lines without it"},
                "limit": {"type": "integer", "minimum": 1, "description": "Lines of log at most"},
            },
            "required": ["action"],
        })
    }

    fn schedule(&self, arguments: &Value) -> Schedule {
        match arguments["action"].as_str() {
            Some("list" | "poll" | "log" | "wait") => Schedule::Beside,
            _ => Schedule::Alone,
        }
    }

    fn preview(&self, arguments: &Value) -> String {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default();
        format!("{} {} {}", text("action"), text("session_id"), text("data")).trim_end().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hermes_approval::JobInput;
    use hermes_environment::JobQuery;
    use hermes_proto::executor::JobId;
    use serde_json::{Value, json};

    use super::{Process, Step};
    use crate::tool::Arguments;

    fn step(arguments: Value) -> Result<Step, String> {
        Process::step(Arguments(arguments), 180).map_err(|error| error.to_string())
    }

    #[test]
    fn each_action_asks_for_what_it_says() {
        let id = || JobId::from("proc_1".to_owned());
        let wait = |seconds| JobQuery::Wait { id: id(), time: Duration::from_secs(seconds) };
        for (arguments, expected) in [
            (json!({"action": "list"}), Step::Ask(JobQuery::List)),
            (json!({"action": "poll", "session_id": "proc_1"}), Step::Ask(JobQuery::Poll(id()))),
            (json!({"action": "wait", "session_id": "proc_1"}), Step::Ask(wait(180))),
            (json!({"action": "wait", "session_id": "proc_1", "timeout": 9999}), Step::Ask(wait(600))),
            (
                json!({"action": "log", "session_id": "proc_1", "offset": 3, "limit": 9999}),
                Step::Ask(JobQuery::Log { id: id(), offset: Some(3), lines: 200 }),
            ),
            (json!({"action": "submit", "session_id": "proc_1", "data": "y"}), Step::Type(JobInput::line(id(), "y"))),
        ] {
            assert_eq!(step(arguments), Ok(expected));
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (arguments, expected) in [
            (json!({"action": "poll"}), "arguments do not fit process: poll needs session_id"),
            (json!({"action": "write", "session_id": "x"}), "arguments do not fit process: write needs data"),
        ] {
            assert_eq!(step(arguments).unwrap_err(), expected);
        }
    }
}
