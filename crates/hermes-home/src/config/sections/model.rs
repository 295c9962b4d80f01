//! `model`, `providers`, `auxiliary` and `compression`: which model answers, and what it is sent.

use std::collections::BTreeMap;

use hermes_proto::Secret;
use serde_json::Value as Json;

settings! {
    /// The model that answers.
    pub struct Model short for default {
        /// The model's name
        default: String = String::new(), from "LLM_MODEL";
        /// The provider's name, auto for the first that has credentials
        provider: String = "auto".to_owned();
        /// The address of the provider's API, empty for its usual one
        base_url: String = String::new();
        /// The key of that address; better kept in .env
        api_key: Option<Secret> = None;
        /// The API's dialect, empty for the provider's usual one
        api_mode: String = String::new();
        /// Whether answers are streamed
        streaming: bool = true;
        /// Tokens the model can see, unset for what the provider says
        context_length: Option<u64> = None;
        /// Tokens an answer may have, unset for what the provider says
        max_tokens: Option<u64> = None;
        /// Short names for models
        aliases: BTreeMap<String, Json> = BTreeMap::new();
    }
}

settings! {
    /// One provider of models.
    pub struct Provider {
        /// The name people see
        name: String = String::new();
        /// The address of its API
        base_url: String = String::new();
        /// The variable that holds its key
        key_env: String = String::new();
        /// A command that prints its key
        key_cmd: String = String::new();
        /// Its key; better kept in .env
        api_key: Option<Secret> = None;
        /// The API's dialect
        api_mode: String = String::new();
        /// Seconds a request may take
        request_timeout_seconds: u64 = 1800;
        /// Seconds without a sign of life after which a request is given up
        stale_timeout_seconds: u64 = 90;
        /// Seconds to wait for a connection
        connect_timeout_seconds: u64 = 15;
        /// Seconds to wait for an answer to begin, unset for twice the stale timeout, or the whole request on one's own machine
        first_byte_timeout_seconds: Option<u64> = None;
        /// More headers of its requests
        extra_headers: BTreeMap<String, String> = BTreeMap::new();
        /// More fields of its requests
        extra_body: Json = Json::Null;
        /// The model used when none is named
        default_model: String = String::new();
        /// Its models and what is special about each
        models: Json = Json::Null;
    }
}

settings! {
    /// The model of one task besides answering.
    pub struct Auxiliary {
        /// The provider's name, auto for the one that answers
        provider: String = "auto".to_owned();
        /// The model's name, empty for the provider's choice
        model: String = String::new();
        /// The address of the provider's API
        base_url: String = String::new();
        /// The key of that API; better kept in .env
        api_key: Option<Secret> = None;
        /// Seconds a request may take, unset for the task's own limit
        timeout: Option<u64> = None;
        /// More fields of its requests
        extra_body: Json = Json::Null;
    }
}

settings! {
    /// Making room when a conversation outgrows the model's view.
    pub struct Compression {
        /// Whether it is done at all
        enabled: bool = true;
        /// The part of the view that has to be full before it is done
        threshold: f64 = 0.5;
        /// The part of what is compressed that remains
        target_ratio: f64 = 0.2;
        /// Messages at the end that stay as they are
        protect_last_n: u32 = 20;
        /// Messages at the start that stay as they are
        protect_first_n: u32 = 3;
        /// Attempts before the turn fails
        max_attempts: u32 = 3;
    }
}
