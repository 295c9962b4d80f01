//! Scripts, and others around them, that try what they must not.

use std::fs;

use hermes_proto::executor::{RunScript, ScriptStatus, ScriptTool};

use super::support::{command, folder_of, script};
use crate::client::Client;

/// Speaks to the socket by hand.
const RAW: &str = r#"
import json, os, socket, sys, time
PATH, TOKEN = os.environ["HERMES_RPC_SOCKET"], os.environ["HERMES_RPC_TOKEN"]
def connect(path=PATH):
    s = socket.socket(socket.AF_UNIX); s.connect(path); return s
def line(token=TOKEN, tool="terminal", **args):
    return json.dumps({"id": 5, "token": token, "tool": tool, "args": args}).encode() + b"\n"
def reply(s):
    data = b""
    while not data.endswith(b"\n"):
        piece = s.recv(65536)
        if not piece: return None
        data += piece
    return json.loads(data)
def closed(s):
    try: return s.recv(1) == b""
    except ConnectionError: return True
"#;

fn raw(code: &str) -> RunScript {
    script(&format!("{RAW}\n{code}"))
}

#[test]
fn a_wrong_token_is_refused_and_the_connection_closed() {
    let mut client = Client::start();
    let code = "for token in ('', 'x', TOKEN[:-1], TOKEN + '0', TOKEN.upper() + ' '):\n\
        \x20   s = connect(); s.sendall(line(token) + line()); r = reply(s); print('token' in r['error'], r['id'], closed(s))";
    let result = client.run_script(raw(code));
    assert_eq!(result.output, "True 5 True\n".repeat(5), "{result:?}");
    assert_eq!(result.tool_calls_made, 0);
}

#[test]
fn garbage_is_refused_and_a_line_without_end_ends_the_connection() {
    let mut client = Client::start();
    let code = "s = connect(); s.sendall(b'garbage\\n\\xff\\n[]\\n' + line(tool='no\\ttool'))\n\
        f = s.makefile('rb')\n\
        print([('error' in json.loads(f.readline())) for _ in range(4)])\n\
        s = connect()\n\
        try: s.sendall(b'x' * 5_000_000)\n\
        except BrokenPipeError: print('broken')\n\
        print(reply(s)['error'], closed(s))\n\
        s = connect(); s.sendall(b'half a line'); s.shutdown(socket.SHUT_WR); print('error' in reply(s), closed(s))";
    let result = client.run_script(raw(code));
    assert_eq!(
        result.output, "[True, True, True, True]\nbroken\ntool call is longer than 1047552 bytes True\nTrue True\n",
        "{result:?}"
    );
}

#[test]
fn whoever_hangs_up_in_the_middle_of_a_call_disturbs_nobody() {
    let mut client = Client::start();
    let code = "s = connect(); s.sendall(line(command='dropped')); s.close()\n\
        s = connect(); s.sendall(line(command='kept')); print(reply(s))";
    let id = client.ask_script(raw(code));
    let (first, second) = (client.call(id), client.call(id));
    assert_eq!((command(&first), command(&second)), ("dropped", "kept"));
    client.give(id, &first, "nobody");
    client.give(id, &second, "somebody");
    let result = client.served(id, |call| panic!("{call:?}"));
    assert_eq!((result.output.as_str(), result.tool_calls_made), ("{'id': 5, 'result': 'somebody'}\n", 2));
}

#[test]
fn connections_are_bounded_and_one_more_is_told_so() {
    let mut client = Client::start();
    let code = "held = [connect() for _ in range(32)]\n\
        for s in held: s.sendall(b'garbage\\n'); reply(s)\n\
        s = connect(); print(reply(s)['error'], closed(s))\n\
        held.pop().close()\n\
        while True:\n\
        \x20   s = connect()\n\
        \x20   try: s.sendall(line(command='x')); r = reply(s)\n\
        \x20   except ConnectionError: continue\n\
        \x20   if r and 'result' in r: print(r['result']); break";
    let id = client.ask_script(raw(code));
    let result = client.served(id, |_| "room".to_owned());
    assert_eq!(result.output, "too many connections at once True\nroom\n", "{result:?}");
}

/// Commands of the same session, and scripts of another one, know the socket and have stolen the token.
#[test]
fn nobody_outside_the_scripts_own_tree_is_listened_to() {
    let (mut client, mut other) = (Client::start(), Client::start());
    let steal = "print(json.dumps([PATH, TOKEN]), file=open(os.path.dirname(PATH) + '/stolen', 'w'), flush=True)\n\
        s = connect(); s.sendall(line(command=PATH)); print(reply(s)['result'])";
    let id = client.ask_script(raw(steal));
    let call = client.call(id);
    let stolen: Vec<String> =
        serde_json::from_str(&fs::read_to_string(folder_of(&call).join("stolen")).unwrap()).unwrap();
    let attack = format!(
        "path, token = {stolen:?}\ns = connect(path)\n\
         try: s.sendall(line(token, command='forged')); print('silence' if reply(s) is None else 'LISTENED')\n\
         except ConnectionError: print('silence')"
    );
    assert_eq!(other.run_script(raw(&attack)).output, "silence\n");
    let file = folder_of(&call).join("attack.py");
    fs::write(&file, format!("{RAW}\n{attack}")).unwrap();
    let by_command = format!("HERMES_RPC_SOCKET=x HERMES_RPC_TOKEN=x python3 {}", file.display());
    assert_eq!(client.output(&by_command), "silence\n");
    client.give(id, &call, "own");
    let result = client.served(id, |call| panic!("a forged call came up: {call:?}"));
    assert_eq!((result.output.as_str(), result.tool_calls_made), ("own\n", 1));
}

/// A daemon has left its parents, not the script: it may call while the script runs, and ends with it.
#[test]
fn a_daemon_belongs_to_the_script_and_ends_with_it() {
    let mut client = Client::start();
    let code = "if os.fork() == 0:\n\
        \x20   os.setsid()\n\
        \x20   if os.fork() == 0:\n\
        \x20       import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
        \x20       from hermes_tools import terminal\n\
        \x20       terminal('daemon')\n\
        \x20       while True:\n\
        \x20           try: terminal('later')\n\
        \x20           except RuntimeError: time.sleep(0.01)\n\
        \x20   os._exit(0)\n\
        s = connect(); s.sendall(line(command='wait')); reply(s)";
    let id = client.ask_script(raw(code));
    let calls = [client.call(id), client.call(id)];
    let daemon = calls.iter().position(|call| command(call) == "daemon").expect("the daemon is listened to");
    client.give(id, &calls[daemon], "{}");
    let later = client.call(id);
    assert_eq!(command(&later), "later");
    client.give(id, &calls[1 - daemon], "{}");
    let result = client.served(id, |call| panic!("{call:?}"));
    assert_eq!(result.status, ScriptStatus::Success, "{result:?}");
    assert_eq!(result.notes, ["what the script left running was ended"]);
    client.assert_nothing_left();
    client.give(id, &later, "{}");
    assert_eq!(client.output("echo fine"), "fine\n");
}

#[test]
fn whatever_a_script_makes_of_its_folder_it_ends_and_nothing_else_goes() {
    let kept = tempfile::tempdir().unwrap();
    fs::write(kept.path().join("file"), "x").unwrap();
    let mut client = Client::start();
    let mut check = |what: &str| {
        let code = format!(
            "import shutil\nfolder = os.path.dirname(PATH)\n\
             s = connect(); s.sendall(line(command=PATH)); reply(s)\n{what}\nprint('done')"
        );
        let id = client.ask_script(raw(&code));
        let call = client.call(id);
        client.give(id, &call, "{}");
        let result = client.served(id, |call| panic!("{call:?}"));
        assert_eq!((result.output.as_str(), result.notes.len()), ("done\n", 0), "{what}: {result:?}");
        assert!(fs::symlink_metadata(folder_of(&call)).is_err(), "{what}");
    };
    check("shutil.rmtree(folder)");
    check(&format!("shutil.rmtree(folder); os.symlink({:?}, folder)", kept.path()));
    check("shutil.rmtree(folder); open(folder, 'w')");
    check(
        "os.chdir(folder)\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0); os.chmod(folder, 0)",
    );
    check("[os.mkdir(f'{folder}/{n}') for n in range(2000)]");
    assert!(kept.path().join("file").exists());
}

#[test]
fn a_script_that_kills_its_warden_loses_everything() {
    let mut client = Client::start();
    let code = "import signal, subprocess\n\
        subprocess.Popen(['setsid', 'sleep', '1000'])\n\
        os.kill(os.getppid(), signal.SIGKILL)\n\
        time.sleep(1000)";
    let result = client.run_script(raw(code));
    assert_eq!((result.status, result.exit_code), (ScriptStatus::Error, 137), "{result:?}");
    assert!(result.notes[0].contains("guards the script was killed"), "{result:?}");
    client.assert_nothing_left();
    assert_eq!(client.output("echo fine"), "fine\n");
}

#[test]
fn tools_that_were_not_offered_cannot_be_talked_into() {
    let mut client = Client::start();
    let code = "for tool in ('execute_code', 'delegate_task', 'write_file', 'TERMINAL', 'terminal ', 'mcp_x', ''):\n\
        \x20   s = connect(); s.sendall(line(tool=tool)); print('not available' in reply(s)['error'])";
    let script = RunScript { tools: vec![ScriptTool::Terminal, ScriptTool::ReadFile], ..raw(code) };
    let result = client.run_script(script);
    assert_eq!((result.output, result.tool_calls_made), ("True\n".repeat(7), 0));
}
