//! Scripts that call tools. The names of the modules are those of the report about the original's defect: its scripts'
//! calls were made by threads that had lost the turn, so nobody was asked.

mod blocks_before_spawning_on_denial;
mod check_execute_code_guard;
mod context_propagation;
mod env_scrub;
mod gateway_manual_approval_silently_bypassed;
mod results;
mod time;

use hermes_agent::ToolReply;
use hermes_proto::turn::TurnContext;
use serde_json::json;

use super::ground::Ground;

/// A command that needs consent: it deletes `data` in the working directory.
const DANGEROUS: &str = "rm -rf data";
/// A script that runs it and prints what came of it.
const DANGEROUS_SCRIPT: &str =
    "import json\nfrom hermes_tools import terminal\nprint(json.dumps(terminal('rm -rf data')))";

async fn execute(ground: &Ground, turn: &TurnContext, code: &str) -> ToolReply {
    ground.call(turn, "execute_code", json!({ "code": code })).await
}

/// What the script printed.
fn output(reply: &ToolReply) -> &str {
    reply.content["output"].as_str().unwrap_or_else(|| panic!("{reply:?}"))
}

fn status(reply: &ToolReply) -> &str {
    reply.content["status"].as_str().unwrap_or_else(|| panic!("{reply:?}"))
}

/// Puts something there that the dangerous command would delete.
fn put_data(ground: &Ground) -> std::path::PathBuf {
    let data = ground.work().join("data");
    std::fs::create_dir(&data).unwrap();
    data
}
