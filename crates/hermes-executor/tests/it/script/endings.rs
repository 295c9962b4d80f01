//! How scripts end, and that nothing of them is left.

use std::fs;

use hermes_proto::executor::{Answer, Frame, FrameKind, RequestFailure, RunScript, ScriptLimits, ScriptStatus};

use super::support::{Came, command, folder_of, script};
use crate::client::Client;

/// Long enough for a Python to start on a busy machine.
const SHORT: u64 = 8000;

fn timed(milliseconds: u64, code: &str) -> RunScript {
    RunScript { limits: ScriptLimits { timeout_ms: milliseconds, ..ScriptLimits::default() }, ..script(code) }
}

const TELL: &str = "import os\nfrom hermes_tools import terminal\nterminal(os.environ['HERMES_RPC_SOCKET'])\n";

#[test]
fn the_folder_is_gone_when_the_result_is_there() {
    let mut client = Client::start();
    let id = client
        .ask_script(script(&format!("{TELL}open(os.path.dirname(os.environ['HERMES_RPC_SOCKET']) + '/mine', 'w')")));
    let call = client.call(id);
    let folder = folder_of(&call);
    assert!(folder.join("script.py").exists());
    client.give(id, &call, "{}");
    assert_eq!(client.served(id, |call| panic!("{call:?}")).status, ScriptStatus::Success);
    assert!(!folder.exists());
}

/// It is asked to end, and gets time for its last words.
#[test]
fn a_script_whose_time_is_over_may_clean_up() {
    let mut client = Client::start();
    let code = "import signal, sys, time\n\
        def bye(*_): print('cleaned up', flush=True); sys.exit(3)\n\
        signal.signal(signal.SIGTERM, bye)\n\
        print('started', flush=True)\n\
        while True: time.sleep(60)";
    let result = client.run_script(timed(SHORT, code));
    assert_eq!((result.status, result.exit_code), (ScriptStatus::Timeout, 124));
    assert_eq!(result.output, "started\ncleaned up\n");
    client.assert_nothing_left();
}

#[test]
fn a_script_that_does_not_listen_is_killed_with_all_it_started() {
    let mut client = Client::start();
    let code = "import signal, subprocess, time\n\
        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
        subprocess.Popen(['setsid', 'sleep', '1000'])\n\
        while True: time.sleep(60)";
    let result = client.run_script(timed(SHORT, code));
    assert_eq!(result.status, ScriptStatus::Timeout);
    assert!(result.duration_ms >= SHORT + 5000, "five seconds between asking and killing: {}", result.duration_ms);
    client.assert_nothing_left();
}

/// After the deadline nobody listens: a call from the signal handler is refused, and none comes up.
#[test]
fn late_calls_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let mut client = Client::start();
    let code = format!(
        "import signal, time\nfrom hermes_tools import terminal\n\
         def late(*_):\n\
         \x20   try: terminal('late')\n\
         \x20   except RuntimeError as error: open({:?}, 'w').write(str(error))\n\
         \x20   raise SystemExit\n\
         signal.signal(signal.SIGTERM, late)\nterminal('ready')\n\
         while True: time.sleep(60)",
        note.display().to_string()
    );
    let id = client.ask_script(timed(SHORT, &code));
    let mut commands = Vec::new();
    let result = client.served(id, |call| {
        commands.push(command(call).to_owned());
        "{}".to_owned()
    });
    assert_eq!((result.status, result.tool_calls_made), (ScriptStatus::Timeout, 1));
    assert_eq!(commands, ["ready"]);
    assert!(fs::read_to_string(note).unwrap().starts_with("tools cannot be called any more"));
}

#[test]
fn an_interrupt_during_a_call_ends_the_script_and_the_late_result_means_nothing() {
    let mut client = Client::start();
    let id = client.ask_script(script(&format!("{TELL}print('never')")));
    let call = client.call(id);
    client.send(&Frame::new(FrameKind::Cancel, id, []));
    let Came::End(Answer::Script(result)) = client.came(id) else { panic!("no end") };
    assert_eq!((result.status, result.exit_code, result.output.as_str()), (ScriptStatus::Interrupted, 130, ""));
    assert!(!folder_of(&call).exists());
    client.give(id, &call, "{}");
    assert_eq!(client.output("echo fine"), "fine\n");
    client.assert_nothing_left();
}

#[test]
fn the_end_of_the_link_is_the_end_of_the_script_and_its_folder() {
    let mut client = Client::start();
    let id = client.ask_script(script(TELL));
    let folder = folder_of(&client.call(id));
    assert!(folder.exists());
    client.close();
    assert!(!folder.exists());
    client.assert_nothing_left();
}

#[test]
fn what_cannot_be_started_is_said() {
    let mut client = Client::start();
    let mut with_nul = script("print(1)");
    with_nul.environment.push(("LANG".to_owned(), "a\0b".to_owned()));
    let failure = client.script_failure(with_nul);
    assert!(matches!(&failure, RequestFailure::NoScript { detail } if detail.contains("NUL")), "{failure}");
}

#[test]
fn a_result_that_is_no_json_ends_the_link_with_a_reason() {
    let mut client = Client::start();
    let id = client.ask_script(script(TELL));
    client.call(id);
    client.send(&Frame::new(FrameKind::ToolResult, id, *b"garbage"));
    let reason = client.end_reason().unwrap();
    assert!(reason.contains("result of a tool call is not understood"), "{reason}");
}
