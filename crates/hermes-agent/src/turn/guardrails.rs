//! Notices a model that does the same thing again and again although it does not work.
//!
//! A loop of failing calls looks like progress from outside and costs as much. The model is told first; where nobody
//! watches, the turn is stopped.

use std::collections::HashMap;

use hermes_home::config::ToolLoopGuardrails;
use hermes_proto::turn::Surface;
use serde_json::Value;

use crate::event::ToolOutcome;

/// The failures of one turn.
#[derive(Debug)]
pub(super) struct Guardrails {
    settings: ToolLoopGuardrails,
    stops: Stops,
    /// Failures of the very same call, without a success between.
    exact: HashMap<(String, String), u32>,
    /// Failures of a tool, without a success between.
    by_tool: HashMap<String, u32>,
    stuck: Option<Stuck>,
}

/// Whether a loop ends the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stops {
    Yes,
    No,
}

/// A loop that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stuck {
    pub(super) tool: String,
    pub(super) failures: u32,
    pub(super) kind: Sameness,
}

/// What was the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sameness {
    Call,
    Tool,
}

impl Stuck {
    /// What is said instead of an answer.
    pub(super) fn message(&self) -> String {
        let Self { tool, failures, kind } = self;
        let what = match kind {
            Sameness::Call => "with the same arguments",
            Sameness::Tool => "in a row",
        };
        format!("I stopped: {tool} failed {failures} times {what}, and going on would not have helped.")
    }
}

impl Guardrails {
    pub(super) fn new(settings: &ToolLoopGuardrails, surface: Surface) -> Self {
        let is_stopping = match surface {
            Surface::Interactive => settings.hard_stop_enabled,
            _ => settings.hard_stop_enabled || settings.non_interactive_hard_stop_enabled,
        };
        let stops = if is_stopping { Stops::Yes } else { Stops::No };
        Self { settings: settings.clone(), stops, exact: HashMap::new(), by_tool: HashMap::new(), stuck: None }
    }

    /// Takes note of how a call went; a warning goes to the model with the result.
    pub(super) fn saw(&mut self, tool: &str, arguments: &Value, outcome: ToolOutcome) -> Option<String> {
        let call = (tool.to_owned(), arguments.to_string());
        match outcome {
            ToolOutcome::Interrupted => return None,
            ToolOutcome::Done => {
                self.exact.remove(&call);
                self.by_tool.remove(tool);
                return None;
            }
            ToolOutcome::Failed | ToolOutcome::Refused => {}
        }
        let exact = count(&mut self.exact, call);
        let by_tool = count(&mut self.by_tool, tool.to_owned());
        self.judge(tool, exact, by_tool)
    }

    fn judge(&mut self, tool: &str, exact: u32, by_tool: u32) -> Option<String> {
        let (warn, stop) = (&self.settings.warn_after, &self.settings.hard_stop_after);
        let found = |failures, kind| Some(Stuck { tool: tool.to_owned(), failures, kind });
        if self.stops == Stops::Yes && exact >= stop.exact_failure.max(1) {
            self.stuck = found(exact, Sameness::Call);
        } else if self.stops == Stops::Yes && by_tool >= stop.same_tool_failure.max(1) {
            self.stuck = found(by_tool, Sameness::Tool);
        }
        if !self.settings.warnings_enabled {
            return None;
        }
        if exact >= warn.exact_failure.max(1) && exact > 1 {
            return Some(format!("this exact call has now failed {exact} times: change it, or do without it"));
        }
        (by_tool >= warn.same_tool_failure.max(1) && by_tool > 1)
            .then(|| format!("{tool} has now failed {by_tool} times in a row: look at why before calling it again"))
    }

    /// The loop that ends the turn.
    pub(super) fn stuck(&mut self) -> Option<Stuck> {
        self.stuck.take()
    }
}

fn count<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, u32>, key: K) -> u32 {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
    *count
}

#[cfg(test)]
mod tests {
    use super::{Guardrails, Sameness, Stuck};
    use crate::event::ToolOutcome::{Done, Failed, Interrupted};
    use hermes_home::config::ToolLoopGuardrails;
    use hermes_proto::turn::Surface;
    use serde_json::json;

    fn guardrails(surface: Surface) -> Guardrails {
        Guardrails::new(&ToolLoopGuardrails::default(), surface)
    }

    #[test]
    fn the_same_failing_call_is_warned_about_and_then_ends_an_unwatched_turn() {
        let mut guardrails = guardrails(Surface::Gateway);
        let fail = |guardrails: &mut Guardrails| guardrails.saw("terminal", &json!({"command": "make"}), Failed);
        assert_eq!(fail(&mut guardrails), None);
        for failures in 2..=4 {
            assert!(fail(&mut guardrails).unwrap().contains(&format!("failed {failures} times")));
            assert_eq!(guardrails.stuck(), None);
        }
        fail(&mut guardrails);
        let stuck = Stuck { tool: "terminal".to_owned(), failures: 5, kind: Sameness::Call };
        assert_eq!(guardrails.stuck(), Some(stuck));
    }

    #[test]
    fn different_calls_of_one_tool_count_together_and_a_success_clears_both() {
        let mut guardrails = guardrails(Surface::Cron);
        for index in 0..7 {
            guardrails.saw("patch", &json!({ "index": index }), Failed);
            guardrails.saw("read_file", &json!({}), Done);
        }
        assert_eq!(guardrails.stuck(), None);
        assert!(guardrails.saw("patch", &json!({"index": 7}), Failed).unwrap().contains("8 times in a row"));
        assert_eq!(guardrails.stuck().map(|stuck| stuck.kind), Some(Sameness::Tool));
        guardrails.saw("patch", &json!({"index": 8}), Done);
        assert_eq!(guardrails.saw("patch", &json!({"index": 9}), Failed), None);
        assert_eq!(guardrails.saw("patch", &json!({"index": 9}), Interrupted), None);
    }

    #[test]
    fn somebody_who_watches_is_left_to_decide() {
        let mut guardrails = guardrails(Surface::Interactive);
        for _ in 0..20 {
            guardrails.saw("terminal", &json!({}), Failed);
        }
        assert_eq!(guardrails.stuck(), None);
    }
}
