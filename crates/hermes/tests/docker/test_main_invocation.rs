//! The five ways to run the image, and how its end is told.

use std::time::{Duration, Instant};

use crate::harness::{Container, docker, run_image};

#[test]
fn test_no_args() {
    let run = run_image(&[], &["--version"]);
    assert!(run.code == 0 && run.stdout.starts_with("hermes "), "{run:?}");
    assert!(!run.stderr.contains("panicked"), "{run:?}");
    assert_eq!(run.stdout.lines().count(), 1, "boot says nothing on standard output: {run:?}");
}

#[test]
fn test_chat_subcommand_passthrough() {
    let run = run_image(&[], &["chat", "--help"]);
    assert!(run.code == 0 && run.text().to_lowercase().contains("chat"), "{run:?}");
}

#[test]
fn test_bare_executable_passthrough() {
    assert_eq!(run_image(&[], &["sleep", "1"]).code, 0);
}

#[test]
fn test_bash_pattern() {
    let run = run_image(&[], &["bash", "-c", "echo ok"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "ok\n"), "{run:?}");
}

#[test]
fn test_container_exit_code_matches_inner_exit() {
    assert_eq!(run_image(&[], &["sh", "-c", "exit 42"]).code, 42);
    assert_eq!(run_image(&[], &["sh", "-c", "kill -9 $$"]).code, 137);
}

#[test]
fn test_subcommands_named_like_a_program_on_path_reach_hermes() {
    let run = run_image(&[], &["login", "--help"]);
    assert!(run.code == 0 && run.text().contains("Usage: hermes login"), "{run:?}");
}

#[test]
fn test_the_working_directory_and_standard_input_pass_through() {
    assert_eq!(run_image(&["-w", "/tmp"], &["pwd"]).ok(), "/tmp\n");
    let name = crate::image::image();
    let mut command = crate::harness::docker_command(["run", "--rm", "-i", &name, "cat"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"through\n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"through\n");
}

#[test]
fn test_stop_reaches_the_main_program_and_is_orderly() {
    let script = "trap 'echo told; exit 7' TERM; echo up; sleep 1000 & wait";
    let container = Container::start(&[], &["sh", "-c", script]);
    container.wait_for("the main program", |container| container.logs().contains("up"));
    let started = Instant::now();
    docker(["stop", "-t", "60", &container.name]).ok();
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let code = docker(["inspect", "--format", "{{.State.ExitCode}}", &container.name]).ok();
    assert_eq!(code.trim(), "7", "{}", container.logs());
    assert!(container.logs().contains("told"));
}

#[test]
fn test_a_main_program_that_ignores_the_end_is_ended_within_the_budget() {
    let container = Container::start(&[], &["sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"]);
    container.wait_for("the main program", |container| container.logs().contains("up"));
    docker(["stop", "-t", "90", &container.name]).ok();
    let code = docker(["inspect", "--format", "{{.State.ExitCode}}", &container.name]).ok();
    assert_eq!(code.trim(), "137");
}

#[test]
fn test_interrupt_reaches_the_main_program() {
    let container = Container::start(&[], &["bash", "-c", "trap 'exit 9' INT; echo up; while :; do sleep 0.1; done"]);
    container.wait_for("the main program", |container| container.logs().contains("up"));
    docker(["kill", "-s", "INT", &container.name]).ok();
    assert_eq!(docker(["wait", &container.name]).ok().trim(), "9");
}

#[test]
fn test_without_being_the_first_process_it_runs_and_says_so() {
    let run = run_image(&["--init"], &["sh", "-c", "id -un; exit 5"]);
    assert_eq!((run.code, run.stdout.as_str()), (5, "hermes\n"), "{run:?}");
    assert!(run.stderr.contains("not supervised"), "{run:?}");
}

#[test]
fn test_with_a_read_only_root_and_a_tmpfs_for_run() {
    let script = "id -un; /command/s6-svstat /run/service/gateway-default";
    let run = run_image(&["--read-only", "--tmpfs", "/run"], &["sh", "-c", script]);
    assert!(run.code == 0 && run.stdout.starts_with("hermes\ndown"), "{run:?}");
}

#[test]
fn test_user_flag_guard() {
    let run = run_image(&["--user", "1000:1000"], &["echo", "should_not_reach"]);
    assert!(run.code != 0 && !run.stdout.contains("should_not_reach"), "{run:?}");
    assert!(run.stderr.contains("HERMES_UID") && run.stderr.contains("PUID"), "{run:?}");
    let run = run_image(&["--user", "10000:10000"], &["sh", "-c", "echo OK; cat /proc/1/comm"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "OK\ns6-svscan\n"), "{run:?}");
}
