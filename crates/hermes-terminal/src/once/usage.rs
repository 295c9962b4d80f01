//! `--usage-file`: what a turn cost, for scripts.

use std::path::Path;

use serde::Serialize;

use super::OnceError;
use crate::conversation::{Ending, TurnEnd};

#[derive(Serialize)]
struct UsageFile<'a> {
    outcome: &'static str,
    model: &'a str,
    session_id: &'a str,
    rounds: u32,
    input_tokens: u64,
    output_tokens: u64,
    cached_input_tokens: u64,
    cache_write_tokens: u64,
    reasoning_tokens: u64,
    total_tokens: u64,
}

/// Writes what the turn cost as one JSON object, in place of what the file held.
pub fn write_usage_file(path: &Path, end: &TurnEnd) -> Result<(), OnceError> {
    let failed = |error| OnceError::UsageFile { path: path.to_owned(), error };
    let text = serde_json::to_string_pretty(&usage(end)).map_err(|error| failed(error.into()))?;
    std::fs::write(path, text + "\n").map_err(failed)
}

fn usage(end: &TurnEnd) -> UsageFile<'_> {
    UsageFile {
        outcome: match end.ending {
            Ending::Answered => "answered",
            Ending::Interrupted => "interrupted",
            Ending::OutOfRounds => "out_of_turns",
            Ending::Failed { .. } => "failed",
        },
        model: &end.model,
        session_id: &end.session,
        rounds: end.rounds,
        input_tokens: end.usage.input,
        output_tokens: end.usage.output,
        cached_input_tokens: end.usage.cached_input,
        cache_write_tokens: end.usage.cache_write,
        reasoning_tokens: end.usage.reasoning,
        total_tokens: end.usage.total(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_proto::message::Usage;

    #[test]
    fn a_script_finds_what_a_turn_cost() {
        let usage = Usage { input: 10, output: 5, cached_input: 3, cache_write: 2, reasoning: 1 };
        let end = TurnEnd {
            ending: Ending::Answered,
            answer: "x".to_owned(),
            usage,
            model: "m".to_owned(),
            session: "s".to_owned(),
            rounds: 2,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("usage.json");
        write_usage_file(&path, &end).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(
            value,
            serde_json::json!({
                "outcome": "answered", "model": "m", "session_id": "s", "rounds": 2,
                "input_tokens": 10, "output_tokens": 5, "cached_input_tokens": 3, "cache_write_tokens": 2,
                "reasoning_tokens": 1, "total_tokens": 15
            })
        );
        let error = write_usage_file(&folder.path().join("none/usage.json"), &end).unwrap_err();
        assert!(error.to_string().contains("none/usage.json"), "{error}");
    }
}
