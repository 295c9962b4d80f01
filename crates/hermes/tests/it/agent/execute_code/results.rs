//! How a script can end, what its calls cost and what they may ask for.

use std::sync::Arc;

use hermes_agent::{ToolContext, ToolOutcome, Toolset};
use hermes_proto::consent::{ActionKind, NobodyToAsk};
use hermes_proto::turn::TurnContext;
use serde_json::json;

use super::super::ground::{Ground, Made, call, interactive};
use super::super::people::Scripted;
use super::{DANGEROUS_SCRIPT, execute, output, put_data, status};

fn nobody() -> TurnContext {
    interactive(Arc::new(NobodyToAsk))
}

#[tokio::test]
async fn success_and_error() {
    let ground = Ground::new();
    let reply = execute(&ground, &nobody(), "import sys\nprint('out')\nprint('err', file=sys.stderr)").await;
    assert_eq!((status(&reply), output(&reply), reply.outcome), ("success", "out\n", ToolOutcome::Done));
    let reply = execute(&ground, &nobody(), "print('out')\nraise SystemExit(3)").await;
    assert_eq!((status(&reply), output(&reply)), ("error", "out\n"));
    assert_eq!(reply.content["error"], "the script ended with 3");
    let reply = execute(&ground, &nobody(), "print('out')\n1/0").await;
    assert_eq!((status(&reply), reply.outcome), ("error", ToolOutcome::Failed));
    assert!(output(&reply).starts_with("out\n\n--- stderr ---\n"), "{reply:?}");
    assert!(output(&reply).contains("ZeroDivisionError"), "{reply:?}");
    ground.workshop.close().await;
}

#[tokio::test]
async fn every_offered_tool_works_from_a_script() {
    let ground = Ground::new();
    let code = "import json\nfrom hermes_tools import *\n\
        print(write_file('a.txt', 'one\\ntwo\\n')['bytes_written'])\n\
        print(patch(path='a.txt', old_string='two', new_string='2')['success'])\n\
        print(read_file('a.txt')['total_lines'], search_files('2')['total_count'])\n\
        print(terminal('cat a.txt')['output'], end='')\n\
        print(json_parse('{\"a\": 1}'), shell_quote('a b'))";
    let reply = execute(&ground, &nobody(), code).await;
    assert_eq!(output(&reply), "8\nTrue\n2 1\none\n2\n{'a': 1} 'a b'\n", "{reply:?}");
    assert_eq!(reply.content["tool_calls_made"], 5);
    assert!(ground.seen.output().contains("→ terminal cat a.txt"), "{}", ground.seen.output());
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_flood_is_cut_and_said() {
    let ground = Ground::new();
    let reply = execute(&ground, &nobody(), "print('a' * 200000 + 'end')").await;
    assert!(output(&reply).len() < 51_000 && output(&reply).ends_with("end\n"), "{}", output(&reply).len());
    assert!(reply.content["omitted_output_bytes"].as_u64().unwrap() > 140_000);
    ground.workshop.close().await;
}

#[tokio::test]
async fn the_budget_of_calls_is_exact() {
    let ground = Ground::of(Made::with(|config| config.code_execution.max_tool_calls = 2));
    let code = "from hermes_tools import terminal\n\
        for number in range(4):\n\
        \x20   told = terminal(f'echo {number}'); print((told.get('output') or told['error']).strip())";
    let reply = execute(&ground, &nobody(), code).await;
    let said = "limit of 2 tool calls is reached; no more are made in this run\n";
    assert_eq!(output(&reply), format!("0\n1\n{said}{said}"), "{reply:?}");
    assert_eq!((reply.content["tool_calls_made"].as_u64(), ground.starts(ActionKind::Command)), (Some(2), 2));
    ground.workshop.close().await;
}

/// What would outlive the call, or go past the script to a person, is not a script's to ask for, however it asks.
#[tokio::test]
async fn parameters_that_outlive_a_call_are_stripped() {
    let ground = Ground::new();
    let code = "import json, os, socket\n\
        s = socket.socket(socket.AF_UNIX); s.connect(os.environ['HERMES_RPC_SOCKET'])\n\
        args = {'command': 'echo here', 'background': True, 'pty': True, 'notify_on_complete': True, 'watch_patterns': ['h']}\n\
        s.sendall(json.dumps({'id': 1, 'token': os.environ['HERMES_RPC_TOKEN'], 'tool': 'terminal', 'args': args}).encode() + b'\\n')\n\
        print(json.loads(json.loads(s.makefile().readline())['result'])['output'], end='')";
    let reply = execute(&ground, &nobody(), code).await;
    assert_eq!(output(&reply), "here\n", "{reply:?}");
    assert_eq!((ground.starts(ActionKind::BackgroundJob), ground.starts(ActionKind::Command)), (0, 1));
    ground.workshop.close().await;
}

fn with_tools(ground: &Ground, keeps: &[Toolset]) -> ToolContext {
    let context = ground.context(&nobody());
    let tools = context.tools.narrowed(|tool| keeps.contains(&tool.toolset()));
    ToolContext { tools, ..context }
}

/// The original offered all of them when a session had none.
#[tokio::test]
async fn an_empty_intersection_offers_none() {
    let ground = Ground::new();
    let context = with_tools(&ground, &[Toolset::CodeExecution, Toolset::Todo]);
    let code = "import hermes_tools, json, os, socket\n\
        print([name for name in ('terminal', 'read_file', 'write_file', 'patch') if hasattr(hermes_tools, name)])\n\
        s = socket.socket(socket.AF_UNIX); s.connect(os.environ['HERMES_RPC_SOCKET'])\n\
        s.sendall(json.dumps({'id': 1, 'token': os.environ['HERMES_RPC_TOKEN'], 'tool': 'terminal', 'args': {'command': 'id'}}).encode() + b'\\n')\n\
        print(json.loads(s.makefile().readline())['error'])";
    let reply = call(&context, "execute_code", json!({ "code": code })).await;
    assert_eq!(output(&reply), "[]\nno tool is available to this script\n", "{reply:?}");
    assert_eq!(ground.starts(ActionKind::Command), 0);
    ground.workshop.close().await;
}

#[tokio::test]
async fn a_script_has_only_the_sessions_tools_and_never_itself() {
    let ground = Ground::new();
    let context = with_tools(&ground, &[Toolset::CodeExecution, Toolset::File, Toolset::Memory, Toolset::Delegation]);
    let code = "import hermes_tools, json, os, socket\n\
        print([name for name in ('terminal', 'execute_code', 'delegate_task', 'memory') if hasattr(hermes_tools, name)])\n\
        print(hasattr(hermes_tools, 'read_file'))\n\
        for tool in ('terminal', 'execute_code', 'delegate_task', 'memory'):\n\
        \x20   s = socket.socket(socket.AF_UNIX); s.connect(os.environ['HERMES_RPC_SOCKET'])\n\
        \x20   s.sendall(json.dumps({'id': 1, 'token': os.environ['HERMES_RPC_TOKEN'], 'tool': tool, 'args': {'code': '1'}}).encode() + b'\\n')\n\
        \x20   print('not available' in json.loads(s.makefile().readline())['error'])";
    let reply = call(&context, "execute_code", json!({ "code": code })).await;
    assert_eq!(output(&reply), "[]\nTrue\nTrue\nTrue\nTrue\nTrue\n", "{reply:?}");
    assert_eq!(ground.starts(ActionKind::Script), 1);
    ground.workshop.close().await;
}

#[tokio::test]
async fn interrupted_during_a_nested_call() {
    let ground = Ground::new();
    let data = put_data(&ground);
    // The question about the command is never answered.
    let person = Scripted::new([]);
    let turn = interactive(person.clone());
    let interrupting = async {
        person.was_asked().await;
        turn.cancellation().cancel();
    };
    let (reply, ()) = tokio::join!(execute(&ground, &turn, DANGEROUS_SCRIPT), interrupting);
    assert_eq!((status(&reply), reply.outcome), ("interrupted", ToolOutcome::Interrupted), "{reply:?}");
    assert!(output(&reply).ends_with("[interrupted]"), "{reply:?}");
    assert!(data.exists());
    ground.workshop.close().await;
}

#[tokio::test]
async fn several_threads_call_at_once() {
    let ground = Ground::new();
    let code = "import threading\nfrom hermes_tools import terminal, read_file, write_file\n\
        got = {}\n\
        def work(n):\n\
        \x20   write_file(f'f{n}', str(n)); got[n] = (terminal(f'echo {n}')['output'].strip(), read_file(f'f{n}')['content'].split('|')[1])\n\
        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]\n\
        [t.start() for t in threads]; [t.join() for t in threads]\n\
        print(all(got[n] == (str(n), str(n)) for n in range(8)))";
    let reply = execute(&ground, &nobody(), code).await;
    assert_eq!(output(&reply), "True\n", "{reply:?}");
    assert_eq!(reply.content["tool_calls_made"], 24);
    ground.workshop.close().await;
}
