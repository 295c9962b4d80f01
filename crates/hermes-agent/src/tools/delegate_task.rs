//! `delegate_task`: gives work to agents that have nothing but the task.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::delegation::{ChildReport, ChildStatus, Delegation, Task};
use crate::event::ToolOutcome;
use crate::registry::Toolset;
use crate::tool::{Arguments, BadArguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

#[derive(Debug, Deserialize)]
struct Wanted {
    goal: Option<String>,
    context: Option<String>,
    toolsets: Option<Vec<String>>,
    #[serde(default)]
    tasks: Vec<WantedTask>,
}

#[derive(Debug, Deserialize)]
struct WantedTask {
    goal: String,
    context: Option<String>,
    toolsets: Option<Vec<String>>,
}

#[derive(Debug)]
pub struct DelegateTask;

impl DelegateTask {
    const NAME: &'static str = "delegate_task";
}

fn bad(detail: impl Into<String>) -> BadArguments {
    BadArguments { tool: DelegateTask::NAME, detail: detail.into() }
}

/// The tasks that are meant: a list, or one.
fn tasks(arguments: Arguments, delegation: &Delegation) -> Result<Vec<Task>, BadArguments> {
    let wanted: Wanted = arguments.read(DelegateTask::NAME)?;
    let named = match (wanted.tasks, wanted.goal) {
        (tasks, _) if !tasks.is_empty() => tasks,
        (_, Some(goal)) => vec![WantedTask { goal, context: wanted.context, toolsets: None }],
        (_, None) => return Err(bad("give a goal, or tasks that each have one")),
    };
    let most = delegation.most_children();
    if named.len() > most {
        return Err(bad(format!("{} tasks are more than the {most} that may run at once", named.len())));
    }
    let shared = wanted.toolsets.unwrap_or_default();
    named.into_iter().map(|task| checked(task, &shared, delegation)).collect()
}

fn checked(task: WantedTask, shared: &[String], delegation: &Delegation) -> Result<Task, BadArguments> {
    if task.goal.trim().is_empty() {
        return Err(bad("a goal is empty"));
    }
    let names = task.toolsets.as_deref().unwrap_or(shared);
    let toolsets = names.iter().map(|name| toolset(name, delegation)).collect::<Result<_, _>>()?;
    Ok(Task { goal: task.goal, context: task.context.unwrap_or_default(), toolsets })
}

fn toolset(name: &str, delegation: &Delegation) -> Result<Toolset, BadArguments> {
    let allowed = delegation.toolsets();
    allowed.iter().copied().find(|set| set.name() == name.trim()).ok_or_else(|| {
        let names: Vec<_> = allowed.iter().map(|set| set.name()).collect();
        bad(format!("toolset {name:?} cannot be given to a task; there are: {}", names.join(", ")))
    })
}

fn reply(reports: &[ChildReport], took: Duration) -> ToolReply {
    let count = |status| reports.iter().filter(|report| report.status == status).count();
    let completed = count(ChildStatus::Completed);
    let outcome = match completed {
        0 if count(ChildStatus::Interrupted) == reports.len() => ToolOutcome::Interrupted,
        0 if count(ChildStatus::Failed) == reports.len() => ToolOutcome::Failed,
        _ => ToolOutcome::Done,
    };
    let results: Vec<Value> = reports.iter().enumerate().map(|(index, report)| told(index, report)).collect();
    let content = json!({"results": results, "total_duration_seconds": took.as_secs_f64()});
    let summary = format!("{completed} of {} tasks completed", reports.len());
    ToolReply { outcome, content, summary, diff: None }
}

fn told(index: usize, report: &ChildReport) -> Value {
    json!({
        "task_index": index,
        "status": report.status.name(),
        "summary": report.summary,
        "api_calls": report.rounds,
        "duration_seconds": report.duration.as_secs_f64(),
        "tokens": {"input": report.usage.input, "output": report.usage.output},
    })
}

impl Tool for DelegateTask {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn toolset(&self) -> Toolset {
        Toolset::Delegation
    }

    fn description(&self) -> &'static str {
        "Give work to other agents that work beside each other, each with a fresh context, its own shell and fewer tools. They \
         see nothing of this conversation: put everything they need (paths, errors, constraints) into `context`. You get \
         their summaries only, so ask for what you need to know. Use it for work that is large, independent or would fill \
         your context; not for a single tool call. They cannot ask the user, remember or delegate. Their summaries are \
         claims: check what matters."
    }

    fn parameters(&self) -> Value {
        let names: Vec<_> = Toolset::ALL.into_iter().map(Toolset::name).collect();
        let toolsets = json!({
            "type": "array",
            "items": {"type": "string", "enum": names},
            "description": "Groups of tools the agent may use; leave out for all that can be given",
        });
        let goal = json!({"type": "string", "description": "What is to be achieved, in full sentences"});
        let context = json!({"type": "string", "description": "What the agent has to know to do it"});
        json!({
            "type": "object",
            "properties": {
                "goal": goal,
                "context": context,
                "toolsets": toolsets,
                "tasks": {
                    "type": "array",
                    "description": "Several tasks at once, instead of goal and context",
                    "items": {
                        "type": "object",
                        "properties": {"goal": goal, "context": context, "toolsets": toolsets},
                        "required": ["goal"],
                    },
                },
            },
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        // Several calls beside each other would be more children than may work at once.
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        match arguments["tasks"].as_array() {
            Some(tasks) if !tasks.is_empty() => format!("{} tasks", tasks.len()),
            _ => arguments["goal"].as_str().unwrap_or_default().to_owned(),
        }
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move {
            let Some(delegation) = &context.delegation else {
                return ToolReply::failed("no more agents can be started from here: do it yourself");
            };
            let tasks = match tasks(arguments, delegation) {
                Ok(tasks) => tasks,
                Err(error) => return ToolReply::failed(error),
            };
            let begun = std::time::Instant::now();
            let reports = delegation.run(context, tasks).await;
            reply(&reports, begun.elapsed())
        })
    }
}
