//! A terminal given to the container is the main program's.

use std::process::Stdio;

use hermes_proto::HostEnvironment;

use crate::image::image;

#[test]
fn test_tty_passthrough_to_container() {
    let script = "if [ -t 0 ] && [ -t 1 ] && : </dev/tty; then echo MARK=$(tput cols); else echo MARK=NO_TTY; fi";
    let line = format!("docker run --rm -t -e COLUMNS=123 {} sh -c '{script}'", image());
    let mut command = hermes_sandbox::process::command("timeout");
    command
        .args(["60", "script", "-qc", &line, "/dev/null"])
        .envs(HostEnvironment::capture().iter())
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mark = text.lines().rev().find_map(|line| line.trim().strip_prefix("MARK=").map(str::to_owned));
    assert!(mark.clone().is_some_and(|mark| mark.parse::<u32>().is_ok_and(|columns| columns > 0)), "{text}");
}
