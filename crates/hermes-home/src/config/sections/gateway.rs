//! `gateway`: many sessions at once, and the HTTP API.

use hermes_proto::Secret;
use serde_json::Value as Json;

settings! {
    /// The program behind chat platforms and the API.
    pub struct Gateway {
        /// Whether one gateway serves all profiles
        multiplex_profiles: bool = false, from "GATEWAY_MULTIPLEX_PROFILES";
        /// The profiles it serves, empty for all
        multiplex_profile_allowlist: Vec<String> = Vec::new();
        /// Which chats belong to which profile
        profile_routes: Json = Json::Null;
        /// The HTTP API
        api_server: ApiServer = ApiServer::default();
        /// Whether deliveries are recorded so that none is lost or made twice
        delivery_ledger: bool = true;
        /// Seconds between signs of life for systemd, 0 for none
        systemd_watchdog_seconds: u64 = 0;
    }
}

settings! {
    /// The HTTP API.
    pub struct ApiServer from "API_SERVER_" {
        /// Whether it is served
        enabled: bool = false;
        /// Its port
        port: u16 = 8642;
        /// The address it listens on
        host: String = "127.0.0.1".to_owned();
        /// What callers prove themselves with; kept in `.env`
        key: Option<Secret> = None;
        /// The web pages that may call it, as a list or with commas between; none if empty
        cors_origins: Json = Json::Null;
        /// The name under which it offers the agent as a model
        model_name: String = String::new();
        /// Runs at once
        max_concurrent_runs: u32 = 10;
    }
}
