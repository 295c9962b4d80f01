//! `agent`, `delegation` and `code_execution`: how long and how far an agent may go.

settings! {
    /// The turn loop.
    pub struct Agent {
        /// Model calls a turn may take
        max_turns: u32 = 500;
        /// Seconds without activity after which a turn on a platform ends
        gateway_timeout: u64 = 1800;
        /// Seconds a message waits for the turn before it
        gateway_turn_lease_timeout: u64 = 5;
        /// Seconds after which a session that does nothing counts as stuck
        session_stall_timeout: u64 = 300;
        /// Seconds a restart waits for running turns
        restart_drain_timeout: u64 = 0;
    }
}

settings! {
    /// Agents that agents start.
    pub struct Delegation {
        /// Model calls a delegated task may take
        max_iterations: u32 = 250;
        /// Delegated tasks at once
        max_concurrent_children: u32 = 10;
        /// How deep agents may start agents
        max_spawn_depth: u32 = 1;
        /// Whether dangerous commands of delegated tasks run without asking
        subagent_auto_approve: bool = false;
        /// The model of delegated tasks, empty for the one that answers
        model: String = String::new();
        /// The provider of that model
        provider: String = String::new();
    }
}

choices! {
    /// Where scripts run.
    pub enum CodeExecutionMode {
        /// In the session's directory with the project's interpreter.
        Project = "project",
        /// In a directory of their own with our interpreter.
        Strict = "strict",
    }
}

settings! {
    /// Scripts that call tools.
    pub struct CodeExecution {
        /// Where scripts run: project or strict
        mode: CodeExecutionMode = CodeExecutionMode::Project;
        /// Seconds a script may take
        timeout: u64 = 300;
        /// Tool calls a script may make
        max_tool_calls: u32 = 50;
        /// Seconds an unused interpreter is kept
        kernel_idle_timeout: u64 = 1800;
        /// Interpreters kept per session
        max_session_kernels: u32 = 4;
    }
}

settings! {
    /// What agents remember between sessions.
    pub struct Memory {
        /// Whether agents keep notes
        memory_enabled: bool = true;
        /// Whether agents keep what they know about the user
        user_profile_enabled: bool = true;
        /// Characters of notes at most
        memory_char_limit: u32 = 2200;
        /// Characters about the user at most
        user_char_limit: u32 = 1375;
        /// Messages after which an agent is reminded to remember, 0 for never
        nudge_interval: u32 = 10;
        /// Another place for memories, empty for the home
        provider: String = String::new();
    }
}

settings! {
    /// Instructions that agents load when they need them.
    pub struct Skills {
        /// Folders of skills besides the home's
        external_dirs: Vec<String> = Vec::new();
        /// Tool calls after which an agent is reminded to write a skill, 0 for never
        creation_nudge_interval: u32 = 15;
    }
}
