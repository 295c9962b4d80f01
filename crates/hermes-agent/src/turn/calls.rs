//! What a model asked for, checked before anything runs.
//!
//! Models call tools that do not exist, with arguments that are no JSON, under ids they have used already. Each such call
//! gets a result that says how to do better. What is kept of it is made fit to be sent again: a provider that is
//! once told a name or arguments it cannot read refuses the whole conversation for good.

use std::collections::HashSet;
use std::sync::Arc;

use hermes_model::FinishReason;
use hermes_proto::message::ToolCall;
use serde_json::Value;

use super::bound::shorten;
use crate::registry::Registry;
use crate::tool::{Schedule, Tool};

/// The name that is kept for a call whose own cannot be.
const NAMELESS: &str = "invalid_tool";
/// Characters a name may have.
const LONGEST_NAME: usize = 64;
/// Characters of wrong arguments that are repeated to the model.
const SHOWN_ARGUMENTS: usize = 400;
/// Calls of one answer that are run.
const MOST_CALLS: usize = 128;

/// One call.
#[derive(Debug)]
pub(super) struct Checked {
    /// As it is kept.
    pub(super) call: ToolCall,
    pub(super) plan: Plan,
}

/// What is done about it.
#[derive(Debug)]
pub(super) enum Plan {
    Run {
        tool: Arc<dyn Tool>,
        arguments: Value,
    },
    /// Nothing; the model is told why.
    Reject {
        error: String,
    },
}

impl Checked {
    pub(super) fn schedule(&self) -> Schedule {
        match &self.plan {
            Plan::Run { tool, arguments } => tool.schedule(arguments),
            Plan::Reject { .. } => Schedule::Beside,
        }
    }

    /// The arguments, as far as they are any.
    pub(super) fn arguments(&self) -> &Value {
        match &self.plan {
            Plan::Run { arguments, .. } => arguments,
            Plan::Reject { .. } => &Value::Null,
        }
    }
}

/// Checks the calls of one answer, which ended for `reason`.
pub(super) fn check(tools: &Registry, calls: &[ToolCall], reason: FinishReason) -> Vec<Checked> {
    let mut used = HashSet::new();
    let mut seen = HashSet::new();
    let mut checked = Vec::with_capacity(calls.len());
    for (index, call) in calls.iter().enumerate() {
        let is_last = index + 1 == calls.len();
        let plan = if !seen.insert((call.id.as_str(), call.name.as_str(), call.arguments.as_str())) {
            Plan::Reject { error: "this call came twice under one id, and was run once".to_owned() }
        } else if index >= MOST_CALLS {
            Plan::Reject { error: format!("only {MOST_CALLS} calls of one answer are run: ask for the others next") }
        } else {
            plan(tools, call, is_last && reason == FinishReason::Length)
        };
        checked.push(Checked { call: kept(call, &plan, &mut used), plan });
    }
    checked
}

fn plan(tools: &Registry, call: &ToolCall, is_cut_off: bool) -> Plan {
    let name = call.name.trim();
    let Some(tool) = tools.resolve(name) else { return Plan::Reject { error: unknown(tools, name) } };
    match arguments(&call.arguments) {
        Ok(arguments) => Plan::Run { tool: tool.clone(), arguments },
        Err(_) if is_cut_off => Plan::Reject {
            error:
                "the arguments were cut off: the answer became too long. Do it in smaller steps, for example several \
                    writes or patches"
                    .to_owned(),
        },
        Err(problem) => Plan::Reject { error: wrong_arguments(tool.as_ref(), &problem, &call.arguments) },
    }
}

/// Nothing at all means no arguments: some models leave them out.
fn arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_str(text) {
        Ok(arguments @ Value::Object(_)) => Ok(arguments),
        // Some models encode the object a second time.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(arguments @ Value::Object(_)) => Ok(arguments),
            _ => Err("they are a text and not a JSON object".to_owned()),
        },
        Ok(_) => Err("they are not a JSON object".to_owned()),
        Err(error) => Err(format!("they are not JSON: {error}")),
    }
}

fn wrong_arguments(tool: &dyn Tool, problem: &str, sent: &str) -> String {
    let mut shown = sent.to_owned();
    shorten(&mut shown, SHOWN_ARGUMENTS);
    format!("the arguments of {} cannot be used: {problem}. Sent was: {shown}", tool.name())
}

fn unknown(tools: &Registry, name: &str) -> String {
    if name.is_empty() {
        return "the call names no tool".to_owned();
    }
    let mut shown = name.to_owned();
    shorten(&mut shown, LONGEST_NAME);
    match tools.nearest(name) {
        Some(nearest) => format!("there is no tool {shown:?}; did you mean {nearest}?"),
        None => {
            let names: Vec<_> = tools.iter().map(|tool| tool.name()).collect();
            format!("there is no tool {shown:?}; there are: {}", names.join(", "))
        }
    }
}

/// The call as it may be sent again: a usable name, an id of its own, arguments that are an object.
fn kept(call: &ToolCall, plan: &Plan, used: &mut HashSet<String>) -> ToolCall {
    let name = match plan {
        Plan::Run { tool, .. } => tool.name().to_owned(),
        Plan::Reject { .. } if is_name(call.name.trim()) => call.name.trim().to_owned(),
        Plan::Reject { .. } => NAMELESS.to_owned(),
    };
    let arguments = match plan {
        Plan::Run { arguments, .. }
            if serde_json::from_str::<Value>(&call.arguments).ok().as_ref() != Some(arguments) =>
        {
            arguments.to_string()
        }
        Plan::Reject { .. } if !matches!(serde_json::from_str(&call.arguments), Ok(Value::Object(_))) => {
            "{}".to_owned()
        }
        _ => call.arguments.clone(),
    };
    ToolCall { id: own_id(call.id.as_str(), used).into(), name, arguments }
}

fn is_name(name: &str) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(is_fit)
}

/// The id, or one like it that no other call of this answer has.
fn own_id(id: &str, used: &mut HashSet<String>) -> String {
    let base = if id.trim().is_empty() { "call" } else { id };
    let mut own = base.to_owned();
    let mut number = 2_usize;
    while !used.insert(own.clone()) {
        own = format!("{base}_{number}");
        number += 1;
    }
    own
}
