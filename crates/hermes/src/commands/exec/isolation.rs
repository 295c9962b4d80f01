//! What does not keep the command in, said before it runs.

use hermes_proto::executor::{IsolationReport, LayerState};
use serde_json::{Value, json};

use crate::context::Context;

/// Says plainly that there is no confinement at all.
pub(super) fn warn_if_off(isolation: &IsolationReport, context: &Context) {
    if isolation.layers.iter().all(|layer| layer.state == LayerState::Off) {
        context.note("warning: commands are not confined (terminal.sandbox is off)");
    }
}

/// Names each layer that this machine does not have.
pub(super) fn tell_missing(isolation: &IsolationReport, context: &Context) {
    for (layer, reason) in isolation.missing() {
        context.note(format_args!("note: no {layer}: {reason}"));
    }
}

/// The same for programs.
pub(super) fn missing_as_json(isolation: &IsolationReport) -> Value {
    isolation.missing().map(|(layer, reason)| json!({"layer": layer, "reason": reason})).collect()
}
