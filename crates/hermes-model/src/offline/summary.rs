//! What became of the calls, in a few words.
//!
//! Results are the agent's texts: usually a JSON object with the output, an exit code, an error or a status, but any text can
//! come. Nothing of it is trusted to be short.

use hermes_proto::message::Message;
use serde_json::Value as Json;

/// Lines and characters of an output that are repeated.
const MOST_LINES: usize = 20;
const MOST_CHARACTERS: usize = 2000;
/// Characters of a command that are repeated.
const LONGEST_LABEL: usize = 120;

/// The words in a result's `status` that mean that it was not run.
const REFUSED: &[&str] = &["blocked", "denied", "refused", "rejected", "approval_required", "cancelled", "interrupted"];

/// How every refusal begins; what follows its first line is for a model that might try again.
const NOT_RUN: &str = "This was not run";

/// One call and its result.
#[derive(Debug)]
pub(super) struct Outcome {
    label: String,
    output: String,
    error: Option<String>,
    exit_code: Option<i64>,
    is_refused: bool,
}

impl Outcome {
    fn of(arguments: &str, name: &str, result: &str) -> Self {
        let told: Json = serde_json::from_str(result).ok().filter(Json::is_object).unwrap_or_default();
        let text = |field: &str| told[field].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let error = text("error");
        let is_not_run = error.as_ref().is_some_and(|error| error.starts_with(NOT_RUN));
        let is_refused =
            is_not_run || text("status").is_some_and(|status| REFUSED.contains(&status.to_ascii_lowercase().as_str()));
        let error = error.map(|error| if is_not_run { reason(&error) } else { error });
        let output = match told.is_object() {
            true => text("output").or(text("stdout")).or(text("result")).unwrap_or_default(),
            false => result.to_owned(),
        };
        Self { label: label(arguments, name), output, error, exit_code: told["exit_code"].as_i64(), is_refused }
    }

    /// Whether somebody did not want it to be run.
    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    fn text(&self) -> String {
        let label = &self.label;
        let failed = self.exit_code.is_some_and(|code| code != 0);
        let head = match (self.is_refused, &self.error, self.exit_code) {
            (true, Some(error), _) => format!("{label} was not run: {}", shortened(error)),
            (true, None, _) => format!("{label} was not run."),
            (false, Some(error), _) => format!("{label} failed: {}", shortened(error)),
            (false, None, Some(code)) if failed => format!("{label} ended with exit code {code}."),
            (false, None, _) if self.output.trim().is_empty() => format!("{label} succeeded without output."),
            (false, None, _) => format!("{label} succeeded:"),
        };
        match self.output.trim().is_empty() {
            true => head,
            false => format!("{head}\n\n{}", fenced(&shortened(&self.output))),
        }
    }
}

/// Why something was not run, without the beginning that every refusal has.
fn reason(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    line.strip_prefix(NOT_RUN).unwrap_or(line).trim_start_matches([':', '.', ' ']).to_owned()
}

/// The calls of these messages that have a result, in order.
pub(super) fn outcomes(messages: &[Message]) -> Vec<Outcome> {
    let calls = messages.iter().flat_map(Message::tool_calls);
    let result_of = |call: &hermes_proto::message::ToolCall| {
        messages.iter().find(|message| matches!(message, Message::Tool { call_id, .. } if *call_id == call.id))
    };
    calls.filter_map(|call| Some(Outcome::of(&call.arguments, &call.name, &result_of(call)?.text()))).collect()
}

/// All of them.
pub(super) fn text(outcomes: &[Outcome]) -> String {
    outcomes.iter().map(Outcome::text).collect::<Vec<_>>().join("\n\n")
}

fn label(arguments: &str, name: &str) -> String {
    let arguments: Json = serde_json::from_str(arguments).unwrap_or_default();
    match arguments["command"].as_str() {
        Some(command) => {
            let line = command.lines().next().unwrap_or_default();
            let cut = line.chars().count() > LONGEST_LABEL || command.lines().count() > 1;
            let shown: String = line.chars().take(LONGEST_LABEL).collect();
            format!("`{shown}{}`", if cut { "…" } else { "" })
        }
        None if name == "execute_code" => "The script".to_owned(),
        None => format!("`{name}`"),
    }
}

fn shortened(text: &str) -> String {
    let text = text.trim_end();
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let shown: String = lines.join("\n").chars().take(MOST_CHARACTERS).collect();
    let left = text.lines().count().saturating_sub(lines.len());
    match (left, shown.len() < lines.join("\n").len()) {
        (0, false) => shown,
        (0, true) => format!("{shown}…"),
        (left, _) => format!("{shown}\n… and {left} more lines"),
    }
}

/// A fence that is longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}
