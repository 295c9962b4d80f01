//! What came in.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use serde_json::Value as Json;
use tokio::sync::watch;

use super::Api;

/// One request.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    pub api: Api,
    pub path: String,
    /// With names in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: Json,
}

impl ModelRequest {
    /// The key that came with it, in whichever header.
    pub fn key(&self) -> Option<&str> {
        let bearer = self.headers.get("authorization").and_then(|value| value.strip_prefix("Bearer "));
        bearer.or(self.headers.get("x-api-key").map(String::as_str))
    }

    /// How many results of tools the conversation holds.
    pub fn tool_results(&self) -> usize {
        let messages = self.body["messages"].as_array().into_iter().flatten();
        messages
            .map(|message| match message["role"].as_str() {
                Some("tool") => 1,
                _ => message["content"].as_array().into_iter().flatten().filter(|b| b["type"] == "tool_result").count(),
            })
            .sum()
    }

    pub(super) fn wants_stream(&self) -> bool {
        self.body["stream"] == true
    }
}

/// Everything that came in.
#[derive(Debug)]
pub(super) struct Record {
    known: Mutex<Known>,
    received: watch::Sender<usize>,
    abandoned: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Known {
    requests: Vec<ModelRequest>,
    violations: Vec<String>,
    connections: usize,
}

impl Record {
    pub(super) fn new() -> Self {
        Self { known: Mutex::default(), received: watch::Sender::new(0), abandoned: watch::Sender::new(0) }
    }

    pub(super) fn connected(&self) {
        self.known().connections += 1;
    }

    pub(super) fn request(&self, request: ModelRequest) {
        self.known().requests.push(request);
        self.received.send_modify(|count| *count += 1);
    }

    pub(super) fn violation(&self, violation: String) {
        self.known().violations.push(violation);
    }

    pub(super) fn gone(&self) {
        self.abandoned.send_modify(|count| *count += 1);
    }

    pub(super) fn requests(&self) -> Vec<ModelRequest> {
        self.known().requests.clone()
    }

    pub(super) fn violations(&self) -> Vec<String> {
        self.known().violations.clone()
    }

    pub(super) fn forgive(&self) -> Vec<String> {
        std::mem::take(&mut self.known().violations)
    }

    pub(super) fn connections(&self) -> usize {
        self.known().connections
    }

    pub(super) fn received(&self) -> watch::Receiver<usize> {
        self.received.subscribe()
    }

    pub(super) fn abandoned(&self) -> watch::Receiver<usize> {
        self.abandoned.subscribe()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }
}
