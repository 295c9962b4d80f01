//! What a tool is: a name, a schema, a handler, and all it may know in one value.
//!
//! A tool gets everything through its [`ToolContext`]: there is no global to look a session up in.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use hermes_approval::{Guard, Refusal};
use hermes_home::Home;
use hermes_home::config::Config;
use hermes_proto::message::ToolCallId;
use hermes_proto::turn::TurnContext;
use hermes_store::Store;
use hermes_store::sessions::SessionId;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::delegation::Delegation;
use crate::event::{Observer, ToolOutcome, TurnEvent};
use crate::person::Person;
use crate::registry::{Registry, Toolset};
use crate::tools::TodoList;
use crate::workshop::Workshop;

/// A reply that is on its way.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = ToolReply> + Send + 'a>>;

/// Whether a call may run beside the other calls of the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Independent of its neighbours.
    Beside,
    /// After everything before it, and before everything after it.
    Alone,
}

/// One tool. A tool is one file: schema, what it needs, handler.
pub trait Tool: std::fmt::Debug + Send + Sync {
    fn name(&self) -> &'static str;

    fn toolset(&self) -> Toolset;

    /// For the model.
    fn description(&self) -> &'static str;

    /// JSON Schema of the arguments. The same bytes every time: prompt caches depend on it.
    fn parameters(&self) -> Value;

    fn schedule(&self, arguments: &Value) -> Schedule;

    /// One line for people: what this call is about.
    fn preview(&self, arguments: &Value) -> String;

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a>;
}

/// What a tool works with.
#[derive(Debug, Clone)]
pub struct ToolContext {
    pub turn: TurnContext,
    pub guard: Guard,
    /// Where commands run and files are.
    pub workshop: Arc<Workshop>,
    pub home: Home,
    pub config: Arc<Config>,
    pub observer: Arc<dyn Observer>,
    /// Who can be asked what was meant.
    pub person: Arc<dyn Person>,
    /// What the session wants to do next.
    pub todos: Arc<Mutex<TodoList>>,
    /// The call this is.
    pub call: ToolCallId,
    /// The conversation it belongs to.
    pub session: SessionId,
    /// Where conversations are kept.
    pub store: Store,
    /// The tools of the session, for those that call others.
    pub tools: Registry,
    /// The right to start other agents; `None` where that is not allowed.
    pub delegation: Option<Delegation>,
}

impl ToolContext {
    /// Shows output of the running tool.
    pub fn output(&self, text: impl Into<String>) {
        self.observer.saw(TurnEvent::ToolOutput { call: self.call.clone(), text: text.into() });
    }
}

/// The arguments of a call, checked to be a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments(pub Value);

/// Arguments that do not fit the tool; the text tells the model how to do better.
#[derive(Debug, thiserror::Error)]
#[error("arguments do not fit {tool}: {detail}")]
pub struct BadArguments {
    pub tool: &'static str,
    pub detail: String,
}

impl Arguments {
    /// The arguments as the type that the tool expects.
    pub fn read<T: DeserializeOwned>(self, tool: &'static str) -> Result<T, BadArguments> {
        serde_json::from_value(self.0).map_err(|error| BadArguments { tool, detail: error.to_string() })
    }
}

/// What goes back to the model, and what people see of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    pub outcome: ToolOutcome,
    /// For the model; bounded again before it enters the context.
    pub content: Value,
    /// One line for people.
    pub summary: String,
    /// Unified, for file changes.
    pub diff: Option<String>,
}

impl ToolReply {
    pub fn done(content: Value, summary: impl Into<String>) -> Self {
        Self { outcome: ToolOutcome::Done, content, summary: summary.into(), diff: None }
    }

    /// An error that the model can act on.
    pub fn failed(error: impl std::fmt::Display) -> Self {
        let error = error.to_string();
        let summary = error.lines().next().unwrap_or_default().to_owned();
        Self { outcome: ToolOutcome::Failed, content: json!({ "error": error }), summary, diff: None }
    }

    /// The turn was interrupted while the tool ran.
    pub fn interrupted() -> Self {
        Self { outcome: ToolOutcome::Interrupted, ..Self::failed("interrupted") }
    }

    /// No permit. The model is told what that means for whatever else it thinks of.
    pub fn refused(refusal: &Refusal) -> Self {
        let mut content = json!(refusal.fields());
        content["status"] = "blocked".into();
        content["error"] = refusal.for_model().into();
        Self { outcome: ToolOutcome::Refused, content, summary: refusal.to_string(), diff: None }
    }
}
