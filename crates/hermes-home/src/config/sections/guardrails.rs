//! `tool_loop_guardrails`: what happens when a model repeats what does not work.

settings! {
    /// Loops of failing tool calls.
    pub struct ToolLoopGuardrails {
        /// Whether the model is told
        warnings_enabled: bool = true;
        /// Whether the turn is stopped, also where somebody watches
        hard_stop_enabled: bool = false;
        /// Whether the turn is stopped where nobody watches
        non_interactive_hard_stop_enabled: bool = true;
        /// Failures before the model is told
        warn_after: WarnAfter = WarnAfter::default();
        /// Failures before the turn is stopped
        hard_stop_after: HardStopAfter = HardStopAfter::default();
    }
    opaque { loop_caps }
}

settings! {
    /// Failures before the model is told.
    pub struct WarnAfter {
        /// Of the very same call
        exact_failure: u32 = 2;
        /// Of the same tool
        same_tool_failure: u32 = 3;
    }
    opaque { idempotent_no_progress, repeat_target }
}

settings! {
    /// Failures before the turn is stopped.
    pub struct HardStopAfter {
        /// Of the very same call
        exact_failure: u32 = 5;
        /// Of the same tool
        same_tool_failure: u32 = 8;
    }
    opaque { idempotent_no_progress, repeat_target }
}
