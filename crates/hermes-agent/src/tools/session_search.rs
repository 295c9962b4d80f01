//! `session_search`: what was said in earlier sessions.
//!
//! A home holds the conversations of many people. A chat finds its own; only who sits at the home's own
//! terminal finds all of them.

use hermes_proto::message::Role;
use hermes_proto::session::{Binding, SessionVariable};
use hermes_proto::turn::{Surface, TurnContext};
use hermes_store::sessions::{Hit, SearchFilter, Sessions};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::registry::Toolset;
use crate::tool::{Arguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

const HITS: usize = 10;
const MOST_HITS: usize = 50;

#[derive(Debug, Deserialize)]
struct Wanted {
    query: String,
    role_filter: Option<Role>,
    limit: Option<usize>,
}

#[derive(Debug)]
pub struct SessionSearch;

async fn reply(context: &ToolContext, arguments: Arguments) -> Result<ToolReply, ToolReply> {
    let wanted: Wanted = arguments.read("session_search").map_err(ToolReply::failed)?;
    if wanted.query.trim().is_empty() {
        return Err(ToolReply::failed("arguments do not fit session_search: query is empty"));
    }
    let key = whose(&context.turn).map_err(ToolReply::failed)?;
    let limit = wanted.limit.unwrap_or(HITS).clamp(1, MOST_HITS);
    let filter = SearchFilter { role: wanted.role_filter, key, ..SearchFilter::everywhere(limit) };
    let (sessions, query) = (Sessions::open(&context.store), wanted.query);
    let found = tokio::task::spawn_blocking(move || sessions.search(&query, &filter)).await;
    let hits = found.map_err(ToolReply::failed)?.map_err(ToolReply::failed)?;
    let summary = format!("{} messages found", hits.len());
    Ok(ToolReply::done(json!({"results": hits.iter().map(shown).collect::<Vec<_>>(), "count": hits.len()}), summary))
}

/// Nobody knows whose conversations a turn may see.
#[derive(Debug, thiserror::Error)]
#[error("earlier sessions cannot be searched here: this turn belongs to no conversation")]
struct Nobodys;

/// The key whose sessions may be searched; `None` is everybody's.
fn whose(turn: &TurnContext) -> Result<Option<String>, Nobodys> {
    match turn.surface() {
        // Whoever sits at the home's own terminal can read all of it anyway.
        Surface::Interactive | Surface::SingleQuery => Ok(None),
        Surface::Gateway | Surface::Ask | Surface::Cron | Surface::Unattended | Surface::Headless => {
            match turn.variables().get(SessionVariable::Key) {
                Binding::Set(key) if !key.is_empty() => Ok(Some(key.clone())),
                Binding::Set(_) | Binding::Cleared | Binding::Unset => Err(Nobodys),
            }
        }
    }
}

fn shown(hit: &Hit) -> Value {
    json!({
        "session_id": hit.session, "title": hit.title, "source": hit.source, "role": hit.role, "time": hit.time,
        "snippet": hit.snippet,
    })
}

impl Tool for SessionSearch {
    fn name(&self) -> &'static str {
        "session_search"
    }

    fn toolset(&self) -> Toolset {
        Toolset::SessionSearch
    }

    fn description(&self) -> &'static str {
        "Search what was said in earlier sessions, by words that all have to occur. Use it when the user refers to something from before, \
         before you ask them to repeat it."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words to find"},
                "role_filter": {"type": "string", "enum": ["user", "assistant", "tool"], "description": "Only what this one said"},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": HITS},
            },
            "required": ["query"],
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Beside
    }

    fn preview(&self, arguments: &Value) -> String {
        arguments["query"].as_str().unwrap_or_default().to_owned()
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        Box::pin(async move { reply(context, arguments).await.unwrap_or_else(|failed| failed) })
    }
}
