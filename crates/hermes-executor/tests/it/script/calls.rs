//! Tool calls: what goes up, what comes back, how many, which.

use std::collections::BTreeSet;

use hermes_proto::executor::{ScriptLimits, ScriptStatus, ScriptTool};
use serde_json::json;

use super::support::{command, script};
use crate::client::Client;

#[test]
fn results_are_dicts_and_text_that_is_no_json_is_output() {
    let mut client = Client::start();
    let id = client.ask_script(script(
        "from hermes_tools import terminal\n\
         r = terminal('echo ä', timeout=5)\n\
         print(r['output'], r['exit_code'], sep='|')\n\
         print(terminal('plain', workdir='/tmp'))",
    ));
    let first = client.call(id);
    assert_eq!((first.call.0, first.tool), (1, ScriptTool::Terminal));
    assert_eq!(json!(first.arguments), json!({"command": "echo ä", "timeout": 5}), "what is not given is not sent");
    client.give(id, &first, r#"{"output": "ä\nx", "exit_code": 0}"#);
    let second = client.call(id);
    assert_eq!(json!(second.arguments), json!({"command": "plain", "workdir": "/tmp"}));
    client.give(id, &second, "just\ntext");
    let result = client.served(id, |call| panic!("{call:?}"));
    assert_eq!(result.status, ScriptStatus::Success, "{result:?}");
    assert_eq!(result.output, "ä\nx|0\n{'output': 'just\\ntext'}\n");
    assert_eq!((result.tool_calls_made, result.exit_code, result.notes.len()), (2, 0, 0));
}

#[test]
fn every_stub_sends_the_arguments_of_its_tool() {
    let mut client = Client::start();
    let code = "from hermes_tools import *\n\
        web_search('q'); web_extract(['u']); read_file('p'); write_file('p', 'c'); search_files('x')\n\
        patch('p', 'a', 'b'); terminal('c')";
    let id = client.ask_script(hermes_proto::executor::RunScript { tools: ScriptTool::ALL.to_vec(), ..script(code) });
    let mut seen = Vec::new();
    let result = client.served(id, |call| {
        seen.push((call.tool.name(), json!(call.arguments)));
        "{}".to_owned()
    });
    assert_eq!(result.status, ScriptStatus::Success, "{result:?}");
    let search = json!({"pattern": "x", "target": "content", "path": ".", "limit": 50, "offset": 0,
        "output_mode": "content", "context": 0});
    let patch = json!({"path": "p", "old_string": "a", "new_string": "b", "replace_all": false, "mode": "replace"});
    assert_eq!(
        seen,
        [
            ("web_search", json!({"query": "q", "limit": 5})),
            ("web_extract", json!({"urls": ["u"]})),
            ("read_file", json!({"path": "p", "offset": 1, "limit": 500})),
            ("write_file", json!({"path": "p", "content": "c"})),
            ("search_files", search),
            ("patch", patch),
            ("terminal", json!({"command": "c"})),
        ]
    );
}

/// All threads wait at the same moment, and the results come in another order.
#[test]
fn several_threads_call_at_once_and_each_gets_its_own_result() {
    let mut client = Client::start();
    let code = "import threading\nfrom hermes_tools import terminal\n\
        got = {}\n\
        def work(n): got[n] = terminal(f'command {n}')['output']\n\
        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]\n\
        [t.start() for t in threads]; [t.join() for t in threads]\n\
        print(all(got[n] == f'of command {n}' for n in range(8)), len(got))";
    let id = client.ask_script(script(code));
    let calls: Vec<_> = (0..8).map(|_| client.call(id)).collect();
    let commands: BTreeSet<_> = calls.iter().map(|call| command(call).to_owned()).collect();
    assert_eq!(commands.len(), 8);
    for call in calls.iter().rev() {
        client.give(id, call, &json!({"output": format!("of {}", command(call))}).to_string());
    }
    let result = client.served(id, |call| panic!("{call:?}"));
    assert_eq!((result.output.as_str(), result.tool_calls_made), ("True 8\n", 8), "{result:?}");
}

/// A child process has connections of its own.
#[test]
fn calls_from_a_fork_and_from_more_threads_than_connections_work() {
    let mut client = Client::start();
    let code = "import os\nfrom concurrent.futures import ThreadPoolExecutor\nfrom hermes_tools import terminal\n\
        terminal('before')\n\
        child = os.fork()\n\
        if child == 0:\n    ok = terminal('in child')['output'] == 'in child'; os._exit(0 if ok else 1)\n\
        with ThreadPoolExecutor(20) as pool:\n    outs = list(pool.map(lambda n: terminal(str(n))['output'], range(20)))\n\
        print(outs == [str(n) for n in range(20)], os.waitpid(child, 0)[1])";
    let id = client.ask_script(script(code));
    let result = client.served(id, |call| json!({"output": command(call)}).to_string());
    assert_eq!((result.output.as_str(), result.tool_calls_made), ("True 0\n", 22), "{result:?}");
}

#[test]
fn the_budget_ends_and_refused_calls_cost_nothing() {
    let mut client = Client::start();
    let code = "import hermes_tools\n\
        print(hermes_tools._call('read_file', {})['error'])\n\
        for _ in range(3): print(hermes_tools.terminal('x'))";
    let limits = ScriptLimits { tool_calls: 2, ..script("").limits };
    let id = client.ask_script(hermes_proto::executor::RunScript { limits, ..script(code) });
    let result = client.served(id, |_| r#"{"error": "it failed"}"#.to_owned());
    assert_eq!(
        result.output,
        "tool \"read_file\" is not available to this script; available: terminal\n\
         {'error': 'it failed'}\n{'error': 'it failed'}\n\
         {'error': 'limit of 2 tool calls is reached; no more are made in this run'}\n"
    );
    assert_eq!((result.tool_calls_made, result.status), (2, ScriptStatus::Success));
}

#[test]
fn an_empty_list_offers_nothing_at_all() {
    let mut client = Client::start();
    let code = "import hermes_tools\n\
        print([n for n in ('terminal', 'read_file', 'web_search') if hasattr(hermes_tools, n)])\n\
        print(hermes_tools._call('terminal', {'command': 'ls'}))\n\
        print(hermes_tools.shell_quote('a b'), hermes_tools.json_parse('{}'))";
    let script = hermes_proto::executor::RunScript { tools: Vec::new(), ..script(code) };
    let result = client.run_script(script);
    assert_eq!(result.output, "[]\n{'error': 'no tool is available to this script'}\n'a b' {}\n", "{result:?}");
    assert_eq!(result.tool_calls_made, 0);
}

#[test]
fn the_helpers_are_lenient_quote_and_try_again() {
    let mut client = Client::start();
    let code = r#"
import time
from hermes_tools import json_parse, shell_quote, retry
print(json_parse('\ufeff{"a": "x\ty\nz"}'), json_parse(b'\xef\xbb\xbf[1]'))
print(shell_quote("it's $HOME"), shell_quote(7))
waits, tries = [], []
time.sleep = waits.append
def fails():
    tries.append(1)
    if len(tries) < 3: raise ValueError(len(tries))
    return "done"
print(retry(fails), waits)
try: retry(lambda: 1 / 0, max_attempts=2, delay=1)
except ZeroDivisionError as error: print(error, waits)
"#;
    let result = client.run_script(script(code));
    assert_eq!(
        result.output, "{'a': 'x\\ty\\nz'} [1]\n'it'\"'\"'s $HOME' 7\ndone [2, 4]\ndivision by zero [2, 4, 1]\n",
        "{result:?}"
    );
}

#[test]
fn a_long_argument_and_a_long_result_come_whole_and_a_longer_one_is_refused() {
    let mut client = Client::start();
    let code = "from hermes_tools import terminal\n\
        print(len(terminal('ä' * 400_000)['output']))\n\
        print(terminal('x' * 2_000_000))";
    let id = client.ask_script(script(code));
    let call = client.call(id);
    assert_eq!(command(&call).chars().count(), 400_000);
    client.give(id, &call, &json!({"output": "y".repeat(900_000)}).to_string());
    let result = client.served(id, |call| panic!("{call:?}"));
    assert!(result.output.starts_with("900000\n{'error': 'tool call of 2000"), "{result:?}");
}
