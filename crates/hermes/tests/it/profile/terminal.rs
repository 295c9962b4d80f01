//! Questions asked on a real terminal.

use std::io::Write;
use std::process::{Command, Stdio};

use super::in_profiles;
use crate::support::{Run, Sandbox, finish};

/// Runs `hermes profile delete NAME` on a terminal of its own and types an answer.
#[expect(clippy::disallowed_methods, reason = "a test starts a terminal as a person would")]
fn delete_on_terminal(sandbox: &Sandbox, name: &str, typed: &str) -> Run {
    let program = env!("CARGO_BIN_EXE_hermes");
    let mut child = Command::new("script")
        .args([
            "--quiet",
            "--return",
            "--flush",
            "--command",
            &format!("'{program}' profile delete {name}"),
            "/dev/null",
        ])
        .env_clear()
        .env("HERMES_HOME", sandbox.home())
        .env("PATH", "/usr/bin:/bin")
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The terminal keeps what is typed before somebody asks.
    child.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
    finish(child)
}

#[test]
fn only_a_clear_yes_deletes() {
    let sandbox = Sandbox::new();
    for (answer, name) in [("n\n", "no"), ("\n", "enter"), ("yep\n", "yep"), ("\x04", "end")] {
        sandbox.ok(["profile", "create", name]);
        let run = delete_on_terminal(&sandbox, name, answer);
        assert_eq!(run.code, 1, "{answer:?}: {run:?}");
        assert!(run.stdout.contains(&format!("delete profile {name}? [y/N]")), "{run:?}");
        assert!(run.stdout.contains("nothing was deleted"), "{run:?}");
        assert!(run.stdout.contains("SOUL.md") && run.stdout.contains("in 1 file"), "{run:?}");
    }
    assert_eq!(in_profiles(&sandbox), ["end", "enter", "no", "yep"]);
    for (answer, name) in [("y\n", "no"), ("YES\n", "enter")] {
        let run = delete_on_terminal(&sandbox, name, answer);
        assert_eq!(run.code, 0, "{answer:?}: {run:?}");
        assert!(run.stdout.contains(&format!("deleted profile {name}")), "{run:?}");
    }
    assert_eq!(in_profiles(&sandbox), ["end", "yep"]);
}

#[test]
fn nobody_is_asked_about_what_cannot_be_deleted() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    sandbox.write("profiles/work/gateway.lock", "");
    let lock = std::fs::File::open(sandbox.file("profiles/work/gateway.lock")).unwrap();
    lock.lock().unwrap();
    for (name, code) in [("work", 75), ("missing", 1)] {
        let run = delete_on_terminal(&sandbox, name, "");
        assert_eq!(run.code, code, "{run:?}");
        assert!(!run.stdout.contains("[y/N]"), "{run:?}");
    }
}
