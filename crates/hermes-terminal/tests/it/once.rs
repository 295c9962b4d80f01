//! One answer, through pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

struct Run {
    code: i32,
    output: String,
    errors: String,
}

#[expect(clippy::disallowed_methods, reason = "a test starts the program as a shell would")]
fn run(arguments: &[&str], input: Option<&str>) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terminal-under-test"));
    command.arg("once").args(arguments).env_clear().env("TERM", "xterm");
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let Some(input) = input {
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    }
    let done = child.wait_with_output().unwrap();
    Run {
        code: done.status.code().unwrap(),
        output: String::from_utf8(done.stdout).unwrap(),
        errors: String::from_utf8(done.stderr).unwrap(),
    }
}

#[test]
fn the_answer_alone_is_on_standard_output() {
    let done = run(&["change"], None);
    assert_eq!((done.code, done.output.as_str()), (0, "changed\n"));
    assert!(done.errors.contains("✓ write_file") && done.errors.contains("+new"), "{}", done.errors);
    assert!(!done.errors.contains('\u{1b}'), "{:?}", done.errors);
    let quiet = run(&["change quiet"], None);
    assert_eq!((quiet.code, quiet.output.as_str(), quiet.errors.as_str()), (0, "changed\n", ""));
}

#[test]
fn piped_text_is_the_prompt_or_what_it_is_about() {
    assert_eq!(run(&[], Some("hello\n")).output, "you said: hello\n");
    assert_eq!(run(&["sum up"], Some("a b\n")).output, "you said: sum up\n\nStandard input:\n\na b\n");
    assert_eq!(run(&[], None).code, 2);
}

#[test]
fn nobody_is_asked_where_nobody_is() {
    assert_eq!(run(&["ask"], None).output, "consent Undeliverable\n");
    assert_eq!(run(&["secret"], None).output, "secret of None letters\n");
}

#[test]
fn data_for_a_program_stays_as_it_is() {
    assert!(run(&["evil"], None).output.contains('\u{1b}'));
}

/// One who reads the progress until the tool runs, then interrupts.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test starts the program as a shell would")]
fn a_signal_interrupts_the_turn() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terminal-under-test"));
    command.args(["once", "notice-and-wait"]).env_clear().stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert!(line.contains("about to wait"), "{line}");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
}
