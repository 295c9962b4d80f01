//! `approvals` and `security`: who is asked before something dangerous happens.

choices! {
    /// Who decides about a dangerous command.
    pub enum ApprovalMode {
        /// A person, always.
        Manual = "manual" | "on" | "true" | "yes",
        /// A model first; a person where it is not sure.
        Smart = "smart",
        /// Nobody: dangerous commands run.
        Off = "off" | "false" | "no",
    }
}

choices! {
    /// What becomes of a dangerous command when nobody can be asked.
    pub enum UnattendedMode {
        Deny = "deny",
        Approve = "approve" | "off" | "allow" | "yes",
    }
}

settings! {
    /// Consent to dangerous commands.
    pub struct Approvals {
        /// Who decides: manual, smart or off
        mode: ApprovalMode = ApprovalMode::Smart;
        /// Seconds a question waits for its answer; silence is a refusal
        timeout: u64 = 300;
        /// The same for questions on chat platforms
        gateway_timeout: u64 = 300;
        /// Dangerous commands of scheduled jobs: deny or approve
        cron_mode: UnattendedMode = UnattendedMode::Deny;
        /// Dangerous commands of a single query: deny or approve
        single_query_mode: UnattendedMode = UnattendedMode::Deny;
        /// Dangerous commands of webhooks and the API: deny or approve
        unattended_mode: UnattendedMode = UnattendedMode::Deny;
        /// Dangerous commands where nobody is present at all: deny or approve
        headless_mode: UnattendedMode = UnattendedMode::Deny;
        /// Whether the kernel sandbox is enough, so that nothing in it is asked about
        trust_sandbox: bool = false;
        /// What the deciding model is told besides
        smart_policy: String = String::new();
        /// Refusals in a row after which the agent is told to stop, 0 for never
        denial_breaker_threshold: u32 = 3;
        /// Commands that never run, as shell patterns
        deny: Vec<String> = Vec::new();
        /// Commands that always need consent, as shell patterns
        command_approval_required: Vec<String> = Vec::new();
        /// Whether reloading MCP servers needs consent
        mcp_reload_confirm: bool = true;
        /// Whether slash commands that destroy something need consent
        destructive_slash_confirm: bool = true;
    }
}

settings! {
    /// Guards that are not about single commands.
    pub struct Security {
        /// Whether files that instruct agents are protected from agents
        protected_instruction_files: bool = true;
        /// Sites that are never fetched
        website_blocklist: serde_json::Value = serde_json::Value::Null;
        /// Whether addresses of private networks may be fetched
        allow_private_urls: bool = false;
        /// Whether values that look like secrets are removed from output
        redact_secrets: bool = true;
        /// Whether commands are scanned by tirith
        tirith_enabled: bool = true, from "TIRITH_ENABLED";
        /// The program tirith
        tirith_path: String = "tirith".to_owned(), from "TIRITH_BIN";
        /// Seconds a scan may take
        tirith_timeout: u64 = 5, from "TIRITH_TIMEOUT";
        /// Whether commands run when tirith cannot
        tirith_fail_open: bool = true, from "TIRITH_FAIL_OPEN";
        /// How questions reach a person
        approval: Approval = Approval::default();
    }
}

settings! {
    /// How questions reach a person.
    pub struct Approval {
        /// The way questions go
        transport: String = "builtin".to_owned();
        /// The way they go when the first one fails, empty for none
        transport_fallback: String = String::new();
    }
}
