//! `todo`: what the session wants to do next, kept where the model cannot lose it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::registry::Toolset;
use crate::tool::{Arguments, BadArguments, Schedule, Tool, ToolContext, ToolFuture, ToolReply};

/// Entries at most; a longer plan is no plan.
const MOST_ENTRIES: usize = 200;
/// Characters of one entry that are kept.
const LONGEST_ENTRY: usize = 2_000;

/// Where an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    id: String,
    content: String,
    status: Status,
}

/// The list of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TodoList {
    entries: Vec<Entry>,
}

/// A change to an entry; what is not said stays as it is.
#[derive(Debug, Deserialize)]
struct Change {
    id: String,
    content: Option<String>,
    status: Option<Status>,
}

#[derive(Debug, Deserialize)]
struct Wanted {
    todos: Option<Vec<Change>>,
    #[serde(default)]
    merge: bool,
}

impl TodoList {
    /// Changes entries by their id, and adds the ones that are new at the end.
    fn merge(&mut self, changes: Vec<Change>) -> Result<(), String> {
        for change in changes {
            match self.entries.iter_mut().find(|entry| entry.id == change.id) {
                Some(entry) => entry.apply(change),
                None => self.entries.push(Entry::new(change)?),
            }
        }
        if self.entries.len() > MOST_ENTRIES {
            return Err(format!("more than {MOST_ENTRIES} entries: drop what is done, or group them"));
        }
        Ok(())
    }

    /// The whole list with how far it is.
    fn report(&self) -> Value {
        let count = |status| self.entries.iter().filter(|entry| entry.status == status).count();
        json!({
            "todos": self.entries,
            "summary": {
                "total": self.entries.len(),
                "pending": count(Status::Pending),
                "in_progress": count(Status::InProgress),
                "completed": count(Status::Completed),
                "cancelled": count(Status::Cancelled),
            },
        })
    }

    /// The list as an earlier report told it, for a session that goes on.
    pub(crate) fn reported(report: &Value) -> Option<Self> {
        let mut entries: Vec<Entry> = serde_json::from_value(report.get("todos")?.clone()).ok()?;
        entries.truncate(MOST_ENTRIES);
        Some(Self { entries })
    }

    /// What is left to do, for the model after its context was shortened; `None` when nothing is.
    pub fn reminder(&self) -> Option<String> {
        let is_open = |entry: &&Entry| matches!(entry.status, Status::Pending | Status::InProgress);
        let lines: Vec<_> = self.entries.iter().filter(is_open).map(Entry::line).collect();
        (!lines.is_empty()).then(|| format!("Still to do:\n{}", lines.join("\n")))
    }

    fn progress(&self) -> String {
        let done = self.entries.iter().filter(|entry| entry.status == Status::Completed).count();
        format!("{done} of {} done", self.entries.len())
    }
}

impl Entry {
    fn new(change: Change) -> Result<Self, String> {
        let content = change.content.ok_or_else(|| format!("new entry {:?} needs a content", change.id))?;
        Ok(Self { id: change.id, content: cut(content), status: change.status.unwrap_or(Status::Pending) })
    }

    fn apply(&mut self, change: Change) {
        if let Some(content) = change.content {
            self.content = cut(content);
        }
        if let Some(status) = change.status {
            self.status = status;
        }
    }

    fn line(&self) -> String {
        let mark = if self.status == Status::InProgress { '>' } else { ' ' };
        format!("- [{mark}] {}. {}", self.id, self.content)
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST_ENTRY) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[derive(Debug)]
pub struct Todo;

impl Todo {
    const NAME: &'static str = "todo";

    fn reply(list: &std::sync::Mutex<TodoList>, arguments: Arguments) -> Result<ToolReply, BadArguments> {
        let wanted: Wanted = arguments.read(Self::NAME)?;
        let mut kept = list.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(changes) = wanted.todos {
            let mut changed = if wanted.merge { kept.clone() } else { TodoList::default() };
            changed.merge(changes).map_err(|detail| BadArguments { tool: Self::NAME, detail })?;
            *kept = changed;
        }
        Ok(ToolReply::done(kept.report(), kept.progress()))
    }
}

impl Tool for Todo {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn toolset(&self) -> Toolset {
        Toolset::Todo
    }

    fn description(&self) -> &'static str {
        "Your list of tasks for this session. Use it for work of three or more steps. Without `todos` it returns the \
         list. With `todos` it writes: `merge` false replaces the list, `merge` true changes entries by id and adds new \
         ones. The order is the priority; one entry at a time is in_progress; mark an entry completed as soon as it is done."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "todos": {
                    "type": "array",
                    "description": "Entries to write; leave out to read the list",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string", "description": "Identifies the entry"},
                            "content": {"type": "string", "description": "What is to be done"},
                            "status": {"type": "string", "enum": ["pending", "in_progress", "completed", "cancelled"]},
                        },
                        "required": ["id", "content", "status"],
                    },
                },
                "merge": {
                    "type": "boolean",
                    "description": "true: change entries by id and add new ones; false: replace the list",
                    "default": false,
                },
            },
        })
    }

    fn schedule(&self, _arguments: &Value) -> Schedule {
        Schedule::Alone
    }

    fn preview(&self, arguments: &Value) -> String {
        match arguments["todos"].as_array() {
            Some(todos) => format!("writing {} tasks", todos.len()),
            None => "reading the tasks".to_owned(),
        }
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: Arguments) -> ToolFuture<'a> {
        let reply = Self::reply(&context.todos, arguments).unwrap_or_else(ToolReply::failed);
        Box::pin(std::future::ready(reply))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::{Value, json};

    use super::{MOST_ENTRIES, Todo, TodoList};
    use crate::tool::Arguments;

    fn write(list: &Mutex<TodoList>, arguments: Value) -> Result<Value, String> {
        Todo::reply(list, Arguments(arguments)).map(|reply| reply.content).map_err(|error| error.to_string())
    }

    fn statuses(report: &Value) -> Vec<(&str, &str, &str)> {
        let entries = report["todos"].as_array().unwrap().iter();
        let text = |entry: &'_ Value, key: &str| entry[key].as_str().unwrap().to_owned().leak() as &str;
        entries.map(|entry| (text(entry, "id"), text(entry, "content"), text(entry, "status"))).collect()
    }

    #[test]
    fn a_list_is_written_merged_read_and_replaced() {
        let list = Mutex::default();
        let first =
            json!({"todos": [{"id": "1", "content": "look", "status": "in_progress"}, {"id": "2", "content": "do"}]});
        write(&list, first).unwrap();
        let merged =
            json!({"merge": true, "todos": [{"id": "1", "status": "completed"}, {"id": "3", "content": "tell"}]});
        let report = write(&list, merged).unwrap();
        let expected = [("1", "look", "completed"), ("2", "do", "pending"), ("3", "tell", "pending")];
        assert_eq!(statuses(&report), expected);
        assert_eq!(report["summary"]["completed"], 1);
        assert_eq!(statuses(&write(&list, json!({})).unwrap()), expected);
        assert_eq!(list.lock().unwrap().reminder().unwrap(), "Still to do:\n- [ ] 2. do\n- [ ] 3. tell");
        let report = write(&list, json!({"todos": []})).unwrap();
        assert_eq!(statuses(&report), []);
        assert_eq!(list.lock().unwrap().reminder(), None);
    }

    #[test]
    fn what_does_not_fit_changes_nothing_and_says_why() {
        let list = Mutex::default();
        write(&list, json!({"todos": [{"id": "1", "content": "stays"}]})).unwrap();
        let many: Vec<_> = (0..=MOST_ENTRIES).map(|id| json!({"id": id.to_string(), "content": "x"})).collect();
        for (arguments, expected) in [
            (json!({"todos": [{"id": "1", "content": "x", "status": "someday"}]}), "unknown variant `someday`"),
            (json!({"todos": [{"id": "9", "status": "pending"}], "merge": true}), "new entry \"9\" needs a content"),
            (json!({"todos": many}), "more than 200 entries"),
            (json!({"todos": "all"}), "invalid type"),
        ] {
            let error = write(&list, arguments).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert_eq!(statuses(&write(&list, json!({})).unwrap()), [("1", "stays", "pending")]);
        }
    }
}
