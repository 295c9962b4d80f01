//! What every command has in common: help, exit codes, errors, logs, a closed pipe.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::support::{Sandbox, finish};

const COMMANDS: &[&str] = &[
    "doctor",
    "config",
    "auth",
    "model",
    "profile",
    "exec",
    "sandbox",
    "env",
    "approvals",
    "pairing",
    "audit",
    "sessions",
    "completion",
    "login",
    "logout",
];

#[test]
fn a_profile_may_be_named_before_a_command_and_an_option_of_chat_may_not() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    let path = sandbox.ok(["-p", "work", "config", "path"]);
    assert!(path.contains("profiles/work"), "{path}");
    assert_eq!(path, sandbox.ok(["config", "path", "-p", "work"]));
    sandbox.ok(["-v", "config", "path"]);
    for typed in
        [&["-q", "x", "config", "path"][..], &["--yolo", "config", "path"], &["--in", "/tmp", "config", "path"]]
    {
        assert!(sandbox.fails(2, typed).contains("options of a chat"), "{typed:?}");
    }
}

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let help = Sandbox::new().ok(["--help"]);
    for text in COMMANDS.iter().chain(&["--profile", "--verbose", "75", "78", "HERMES_HOME"]) {
        assert!(help.contains(text), "{text} is not in:\n{help}");
    }
}

#[test]
fn every_command_explains_itself() {
    let sandbox = Sandbox::new();
    for command in COMMANDS {
        let help = sandbox.ok([command, "--help"]);
        assert!(help.contains("Usage: hermes"), "{command}: {help}");
    }
    assert!(!sandbox.home().exists(), "help must not touch the disk");
}

#[test]
fn version_is_one_line() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.ok(["--version"]), format!("hermes {}\n", env!("CARGO_PKG_VERSION")));
    assert!(!sandbox.home().exists());
}

#[test]
fn wrong_usage_ends_with_2() {
    let sandbox = Sandbox::new();
    for arguments in [&["no-such-command"][..], &["config"], &["config", "get"], &["--no-such-flag"], &["-p"]] {
        let error = sandbox.fails(2, arguments);
        assert!(error.contains("--help") || error.contains("Usage: hermes"), "{arguments:?}: {error}");
    }
}

#[test]
fn an_expected_error_is_one_line_and_a_hint() {
    let sandbox = Sandbox::new();
    let run =
        finish(sandbox.command(["-p", "Bad Name", "config", "path"]).env("RUST_BACKTRACE", "full").spawn().unwrap());
    assert_eq!(run.code, 2, "{run:?}");
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("hermes: ") && lines[1].starts_with("hint: "), "{lines:?}");
    assert_eq!(run.stdout, "");
}

#[test]
fn a_broken_configuration_ends_with_78() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "model: [unclosed\n");
    let error = sandbox.fails(78, ["config", "get", "model.default"]);
    assert!(error.contains("config.yaml:2:1: "), "{error}");
}

/// The pipe is closed before anything was read: the answer is longer than its buffer.
#[test]
fn a_closed_pipe_ends_quietly() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(["completion", "bash"]).spawn().unwrap();
    drop(child.stdout.take());
    let run = finish(child);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn a_full_output_device_is_an_error() {
    let sandbox = Sandbox::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let run = finish(sandbox.command(["completion", "bash"]).stdout(full).spawn().unwrap());
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stderr.starts_with("hermes: cannot write to standard output"), "{run:?}");
}

#[test]
fn completion_for_each_shell_offers_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.ok(["completion", shell]);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    sandbox.fails(2, ["completion", "tcsh"]);
}

/// Bash itself loads the script and answers with it.
#[test]
fn completion_works_in_bash() {
    let script = Sandbox::new().ok(["completion", "bash"]);
    let asked = "COMP_WORDS=(hermes pro); COMP_CWORD=1; _hermes hermes pro hermes; printf '%s\\n' \"${COMPREPLY[@]}\"";
    assert_eq!(bash(&format!("{script}\n{asked}\n")), "profile\n");
}

#[expect(clippy::disallowed_methods, reason = "the shell is the judge here")]
fn bash(script: &str) -> String {
    let mut shell = Command::new("bash")
        .args(["--norc", "--noprofile"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let mut answer = String::new();
    shell.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert!(shell.wait().unwrap().success());
    answer
}

#[test]
fn a_quiet_command_writes_no_log() {
    let sandbox = Sandbox::new();
    sandbox.ok(["config", "path"]);
    assert!(sandbox.home().exists());
    assert!(!sandbox.file("logs").exists());
}

#[test]
fn changes_and_errors_are_logged_in_private_files() {
    let sandbox = Sandbox::new();
    sandbox.ok(["config", "set", "terminal.timeout", "60"]);
    sandbox.fails(1, ["config", "get", "no.such.key"]);
    let agent = sandbox.read("logs/agent.log");
    assert!(agent.contains("config.yaml") && agent.contains("no.such.key"), "{agent}");
    let errors = sandbox.read("logs/errors.log");
    assert!(errors.contains("no.such.key") && !errors.contains("INFO"), "{errors}");
    for name in ["agent.log", "errors.log"] {
        let mode = std::fs::metadata(sandbox.file("logs").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn the_terminal_is_quiet_unless_asked() {
    let sandbox = Sandbox::new();
    let quiet = sandbox.run(["config", "set", "terminal.timeout", "60"]);
    assert_eq!(quiet.stderr, "");
    let loud = sandbox.run(["-v", "config", "set", "terminal.timeout", "61"]);
    assert!(loud.stderr.contains("config.yaml"), "{loud:?}");
}

/// Known values and known shapes, in the log and on the terminal alike.
#[test]
fn secrets_are_redacted_in_logs() {
    let sandbox = Sandbox::new();
    let (known, shaped) = ("correct-horse-battery-staple", "sk-or-v1-0123456789abcdef0123456789abcdef");
    sandbox.ok(["config", "set", "GROQ_API_KEY", known]);
    for secret in [known, shaped] {
        let run = sandbox.run(["-v", "config", "get", &format!("no.{secret}")]);
        assert_eq!(run.code, 1, "{run:?}");
    }
    for name in ["agent.log", "errors.log"] {
        let log = sandbox.read(format!("logs/{name}"));
        assert!(log.contains("****"), "{log}");
        assert!(!log.contains(known) && !log.contains(shaped), "{log}");
    }
}
