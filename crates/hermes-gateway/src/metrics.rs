//! What a gateway counts. Labels are of small, fixed sets: no id, name or text of anybody is ever one.

use std::time::Instant;

use hermes_agent::EndReason;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use crate::TurnFailure;

/// How something went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Outcome {
    pub(crate) outcome: &'static str,
}

/// The counters of one gateway.
#[derive(Debug)]
pub(crate) struct Metrics {
    pub(crate) begun: Instant,
    pub(crate) turns_started: Counter,
    turns_ended: Family<Outcome, Counter>,
    deliveries: Family<Outcome, Counter>,
}

/// What came of one attempt to deliver something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivered {
    Arrived,
    /// It is tried again.
    Postponed,
    GivenUp,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            begun: Instant::now(),
            turns_started: Counter::default(),
            turns_ended: Family::default(),
            deliveries: Family::default(),
        }
    }

    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register("hermes_turns_started", "Turns that began", self.turns_started.clone());
        registry.register("hermes_turns_ended", "Turns that ended, by how", self.turns_ended.clone());
        registry.register(
            "hermes_deliveries",
            "Attempts to deliver something, by what came of it",
            self.deliveries.clone(),
        );
    }

    pub(crate) fn turn_ended(&self, outcome: &'static str) {
        self.turns_ended.get_or_create(&Outcome { outcome }).inc();
    }

    pub(crate) fn delivered(&self, delivered: Delivered) {
        let outcome = match delivered {
            Delivered::Arrived => "arrived",
            Delivered::Postponed => "postponed",
            Delivered::GivenUp => "given_up",
        };
        self.deliveries.get_or_create(&Outcome { outcome }).inc();
    }
}

/// The name of an end.
pub(crate) const fn end_name(reason: &EndReason) -> &'static str {
    match reason {
        EndReason::Answered => "answered",
        EndReason::MaxTurns => "max_turns",
        EndReason::Interrupted => "interrupted",
        EndReason::TimedOut => "timed_out",
        EndReason::Stuck { .. } => "stuck",
        EndReason::Empty => "empty",
        EndReason::Filtered => "filtered",
    }
}

pub(crate) const fn failure_name(failure: &TurnFailure) -> &'static str {
    match failure {
        TurnFailure::Failed { .. } => "failed",
        TurnFailure::Stalled => "stalled",
        TurnFailure::Crashed => "crashed",
        TurnFailure::Stopping => "stopping",
    }
}
