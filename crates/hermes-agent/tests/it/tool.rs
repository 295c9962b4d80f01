//! Tools that do what a test wants.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hermes_agent::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply, Toolset};
use serde_json::{Value, json};

type Work = dyn Fn(ToolContext, Value) -> Pin<Box<dyn Future<Output = ToolReply> + Send>> + Send + Sync;

pub(crate) struct Made {
    name: &'static str,
    toolset: Toolset,
    schedule: Schedule,
    work: Box<Work>,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

/// A tool that may run beside others.
pub(crate) fn beside<F: Future<Output = ToolReply> + Send + 'static>(
    name: &'static str,
    work: impl Fn(ToolContext, Value) -> F + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    made(name, Toolset::Terminal, Schedule::Beside, work)
}

pub(crate) fn made<F: Future<Output = ToolReply> + Send + 'static>(
    name: &'static str,
    toolset: Toolset,
    schedule: Schedule,
    work: impl Fn(ToolContext, Value) -> F + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let work: Box<Work> = Box::new(move |context, arguments| Box::pin(work(context, arguments)));
    Arc::new(Made { name, toolset, schedule, work })
}

/// Answers with its arguments.
pub(crate) fn echo() -> Arc<dyn Tool> {
    beside("echo", |_, arguments| async move { ToolReply::done(json!({ "heard": arguments }), "heard") })
}

/// Never works.
pub(crate) fn broken() -> Arc<dyn Tool> {
    beside("broken", |_, _| async { ToolReply::failed("it does not work") })
}

impl Tool for Made {
    fn name(&self) -> &'static str {
        self.name
    }

    fn toolset(&self) -> Toolset {
        self.toolset
    }

    fn description(&self) -> &'static str {
        "a tool of a test"
    }

    fn parameters(&self) -> Value {
        json!({"type": "object", "properties": {}})
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        self.schedule
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments.to_string()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        (self.work)(context.clone(), arguments.0)
    }
}
