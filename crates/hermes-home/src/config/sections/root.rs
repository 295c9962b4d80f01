//! The whole of config.yaml.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{
    Agent, Approvals, Auxiliary, CodeExecution, Compression, Delegation, Gateway, Memory, Model, Provider, Security,
    Skills, Terminal, ToolLoopGuardrails,
};

settings! {
    /// The whole configuration.
    pub struct Config {
        /// The model that answers
        model: Model = Model::default();
        /// Providers of models by name
        providers: BTreeMap<String, Provider> = BTreeMap::new();
        /// Providers to try when the first one fails, in order
        fallback_providers: Json = Json::Null;
        /// The model to try when the first one fails, as older files have it
        fallback_model: Json = Json::Null;
        /// Providers of models as older files have them
        custom_providers: Json = Json::Null;
        /// Short names for models
        model_aliases: BTreeMap<String, Json> = BTreeMap::new();
        /// The models of other tasks by task
        auxiliary: BTreeMap<String, Auxiliary> = BTreeMap::new();
        /// Where commands run
        terminal: Terminal = Terminal::default();
        /// Consent to dangerous commands
        approvals: Approvals = Approvals::default();
        /// Commands that need no consent: text, shell patterns, or the name of a danger
        command_allowlist: Vec<String> = Vec::new();
        /// Guards that are not about single commands
        security: Security = Security::default();
        /// Scripts that call tools
        code_execution: CodeExecution = CodeExecution::default();
        /// The turn loop
        agent: Agent = Agent::default();
        /// Agents that agents start
        delegation: Delegation = Delegation::default();
        /// What agents remember between sessions
        memory: Memory = Memory::default();
        /// Instructions that agents load when they need them
        skills: Skills = Skills::default();
        /// Making room when a conversation outgrows the model's view
        compression: Compression = Compression::default();
        /// The program behind chat platforms and the API
        gateway: Gateway = Gateway::default();
        /// Conversations that are worked on at once, unset for 256
        max_concurrent_sessions: Option<u32> = None;
        /// Whether each person in a group has a session of their own
        group_sessions_per_user: bool = true;
        /// Whether each person in a thread has a session of their own
        thread_sessions_per_user: bool = false;
        /// What happens to a private message of somebody unknown
        unauthorized_dm_behavior: String = "pair".to_owned();
        /// Streaming to chat platforms
        streaming: Streaming = Streaming::default();
        /// How things are shown, read by those who show them
        display: Json = Json::Null;
        /// Chat platforms by name, read by their adapters
        platforms: Json = Json::Null;
        /// Telegram as older files have it, read by its adapter
        telegram: Json = Json::Null;
        /// Which tools conversations on a platform have, by its name
        platform_toolsets: Json = Json::Null;
        /// The store
        database: Database = Database::default();
        /// Old sessions
        sessions: Sessions = Sessions::default();
        /// Limits of the process
        runtime: Runtime = Runtime::default();
        /// Limits of what tools answer
        tool_output: ToolOutput = ToolOutput::default();
        /// Loops of failing tool calls
        tool_loop_guardrails: ToolLoopGuardrails = ToolLoopGuardrails::default();
        /// Goals that agents pursue over turns
        goals: Goals = Goals::default();
    }
    opaque {
        _config_version, browser, checkpoints, cron, dashboard, discord, email,
        file_read_max_chars, hooks, hooks_auto_accept, human_delay, kanban, logging, lsp, matrix, mcp, mcp_servers,
        moa, network, onboarding, openrouter, personalities, plugins, prefill_messages_file,
        privacy, prompt_caching, proxy, quick_commands, secrets, session_reset, signal, slack, smart_model_routing,
        stt, timezone, tools, toolsets, tts, updates, voice, web, whatsapp, x_search,
    }
}

settings! {
    /// Streaming to chat platforms.
    pub struct Streaming {
        /// Whether messages grow while they are written
        enabled: bool = false;
        /// How they are sent
        transport: Json = Json::Null;
        /// Seconds between two edits of a message
        edit_interval: Option<f64> = None;
        /// Characters that are gathered before an edit
        buffer_threshold: Option<u64> = None;
        /// What marks an unfinished message
        cursor: Json = Json::Null;
    }
}

settings! {
    /// The store.
    pub struct Database {
        /// SQLite's journal mode
        journal_mode: String = "wal".to_owned();
        /// SQLite's synchronous setting, empty for its own choice
        synchronous: String = String::new();
    }
}

settings! {
    /// Old sessions.
    pub struct Sessions {
        /// Whether they are removed
        auto_prune: bool = true;
        /// Days after which they are
        retention_days: u32 = 90;
        /// Whether the store is compacted after that
        vacuum_after_prune: bool = true;
        /// Hours between two looks
        min_interval_hours: u32 = 24;
    }
}

settings! {
    /// Limits of the process.
    pub struct Runtime {
        /// Open files
        nofile_soft_limit: u64 = 4096;
    }
}

settings! {
    /// Limits of what tools answer.
    pub struct ToolOutput {
        /// Characters of a command's output
        max_bytes: u64 = 50_000;
        /// Lines of a file
        max_lines: Option<u64> = None;
        /// Characters of a line
        max_line_length: Option<u64> = None;
    }
}

settings! {
    /// Goals that agents pursue over turns.
    pub struct Goals {
        /// Turns a goal may take
        max_turns: u32 = 20;
    }
}
