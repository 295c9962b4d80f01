//! A password that is fed to sudo reaches sudo alone: shown under real bash, with a sudo that
//! takes its line and runs the rest as it is.
//!
//! Texts are put together from pieces, of which many try to get at the line. Most are not
//! rewritten; those that are must not print it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use hermes_policy::Context;
use hermes_policy::sudo::with_password_on_stdin;

const SUDO: &str = "#!/bin/sh
IFS= read -r line || exit 1
[ \"$line\" = open-sesame ] || { echo \"wrong password: $line\"; exit 1; }
while [ $# -gt 0 ]; do
    case $1 in
        -p | -u) shift 2 ;;
        -*) shift ;;
        *) break ;;
    esac
done
exec \"$@\"
";

const PIECES: &[&str] = &[
    "sudo true",
    "sudo cat",
    "sudo echo done",
    "sudo -u ann ls",
    "sudo rm x",
    "sudo mkdir -p y",
    "sudo sh -c cat",
    "cat",
    "head -n 1",
    "echo \"$(cat)\"",
    "echo hello",
    "read -r line; echo \"$line\"",
    "false",
    "cat <<< text",
    "cat /dev/stdin",
    "cat /proc/$$/fd/0 <<< text",
    "(cat)",
    "{ sudo true; }",
    "(sudo true)",
    "if sudo true; then echo yes; fi",
    "if false; then sudo true; fi",
    "sudo echo piped | cat",
    "for i in 1 2; do sudo true; done",
];

const JOINTS: &[&str] = &["; ", " && ", " || ", " | ", " & ", "\n"];

#[expect(clippy::disallowed_methods, reason = "bash is the judge here")]
fn printed(text: &str, prompts: usize, folder: &Path) -> String {
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let mut bash = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", text])
        .env_clear()
        .env("PATH", path)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A text that reads nothing may be over before it is fed.
    let _ = bash.stdin.take().unwrap().write_all("open-sesame\n".repeat(prompts).as_bytes());
    let output = bash.wait_with_output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn nothing_but_sudo_reads_the_password() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sudo"), SUDO).unwrap();
    fs::set_permissions(folder.path().join("sudo"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(printed("sudo cat; cat", 2, folder.path()).contains("open-sesame"), "the trap does not work");
    let mut rewritten = 0;
    for first in PIECES {
        for joint in JOINTS {
            for second in PIECES {
                let text = format!("{first}{joint}{second}");
                let Some(done) = with_password_on_stdin(&text, &Context::default()) else { continue };
                rewritten += 1;
                let printed = printed(&done.text, done.prompts, folder.path());
                assert!(!printed.contains("open-sesame"), "{}\n{printed}", done.text);
            }
        }
    }
    assert!(rewritten > 100, "only {rewritten}");
}
