//! What a script prints: two outputs, each within its bound.

use hermes_proto::executor::{RunScript, ScriptLimits, ScriptStatus};

use super::support::script;
use crate::client::Client;

#[test]
fn outputs_are_apart_and_cut_at_the_byte() {
    let mut client = Client::start();
    let code = "import sys\nsys.stdout.write('o' * 50_000); sys.stderr.write('e' * 10_000)";
    let result = client.run_script(script(code));
    assert_eq!((result.output, result.errors), ("o".repeat(50_000), "e".repeat(10_000)));
    assert_eq!((result.output_bytes, result.omitted_output_bytes), (50_000, 0));
    assert_eq!((result.error_bytes, result.omitted_error_bytes), (10_000, 0));
    let code = "import sys\nsys.stdout.write('h' * 20_000 + 'x' + 't' * 30_000); sys.stderr.write('e' * 10_001)";
    let result = client.run_script(script(code));
    let notice = "\n\n... [OUTPUT TRUNCATED - 1 bytes omitted out of 50001 total] ...\n\n";
    assert_eq!(result.output, format!("{}{notice}{}", "h".repeat(20_000), "t".repeat(30_000)));
    assert_eq!((result.errors, result.omitted_error_bytes), ("e".repeat(10_000), 1));
}

#[test]
fn characters_are_whole_and_bytes_that_are_none_are_replaced() {
    let mut client = Client::start();
    let limits = ScriptLimits { output_bytes: 100, ..script("").limits };
    let result = client.run_script(RunScript { limits, ..script("print('€' * 1000)") });
    assert!(!result.output.contains('\u{fffd}'), "{result:?}");
    assert!(result.output.starts_with(&format!("{}\n\n...", "€".repeat(13))), "{result:?}");
    assert_eq!((result.output_bytes, result.omitted_output_bytes), (3001, 3001 - 39 - 58));
    let result = client.run_script(script("import sys; sys.stdout.buffer.write(b'a\\xffb\\x00')"));
    assert_eq!(result.output, "a\u{fffd}b\0");
}

#[test]
fn a_failing_script_says_why_on_its_own_channel() {
    let mut client = Client::start();
    let result = client.run_script(script("print('before')\nraise SystemExit(7)"));
    assert_eq!((result.status, result.exit_code, result.output.as_str()), (ScriptStatus::Error, 7, "before\n"));
    let result = client.run_script(script("def f(:"));
    assert!(result.errors.contains("SyntaxError") && result.output.is_empty(), "{result:?}");
    assert_eq!((result.status, result.exit_code), (ScriptStatus::Error, 1));
    let result = client.run_script(script("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"));
    assert_eq!((result.status, result.exit_code), (ScriptStatus::Error, 137));
}

#[test]
fn its_input_is_at_its_end() {
    let mut client = Client::start();
    assert_eq!(client.run_script(script("import sys; print(repr(sys.stdin.read()))")).output, "''\n");
}

/// Neither memory nor calls suffer from a script that prints without end.
#[test]
fn a_flood_is_bounded_and_holds_no_call_up() {
    let mut client = Client::start();
    let code = "import sys, threading\nfrom hermes_tools import terminal\n\
        def flood():\n\
        \x20   while True: sys.stdout.write('f' * 65536)\n\
        threading.Thread(target=flood, daemon=True).start()\n\
        for n in range(20): terminal(str(n))\n\
        import os; os._exit(0)";
    let id = client.ask_script(script(code));
    let result = client.served(id, |_| "{}".to_owned());
    assert_eq!((result.status, result.tool_calls_made), (ScriptStatus::Success, 20));
    assert!(result.output.len() < 51_000 && result.output_bytes > 100_000, "{}", result.output_bytes);
    assert!(client.peak_memory() < 64 * 1024, "{} KiB", client.peak_memory());
}
