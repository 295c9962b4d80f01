//! Which reply a request gets.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Mutex;

use super::{ModelRequest, Reply};

/// A server's script.
pub struct Script {
    pub(super) models: Vec<String>,
    next: Next,
}

enum Next {
    List(Mutex<VecDeque<Reply>>),
    Rule(Box<dyn Fn(&ModelRequest) -> Reply + Send + Sync>),
}

impl Script {
    /// One reply per request, in this order.
    pub fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { models: Vec::new(), next: Next::List(Mutex::new(replies.into_iter().collect())) }
    }

    /// The reply that this rule makes of each request.
    pub fn rule(rule: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self { models: Vec::new(), next: Next::Rule(Box::new(rule)) }
    }

    /// Calls of the terminal, one after another, and then an answer: the same for every conversation.
    pub fn terminal_calls(count: usize, command: &str) -> Self {
        let command = command.to_owned();
        Self::rule(move |request| match request.tool_results() {
            done if done < count => {
                let arguments = serde_json::json!({ "command": command }).to_string();
                Reply::new().call(&format!("call_{done}"), "terminal", [arguments.as_str()])
            }
            done => Reply::text(&format!("All {done} commands have been run.")),
        })
    }

    /// The models that `GET /models` lists.
    #[must_use]
    pub fn with_models<'a>(mut self, models: impl IntoIterator<Item = &'a str>) -> Self {
        self.models = models.into_iter().map(str::to_owned).collect();
        self
    }

    /// The reply to this request; `None` when the script is over.
    pub(super) fn next(&self, request: &ModelRequest) -> Option<Reply> {
        match &self.next {
            Next::List(replies) => replies.lock().unwrap().pop_front(),
            Next::Rule(rule) => Some(rule(request)),
        }
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Script")
    }
}
