//! `docker exec` makes everybody root; what it writes must still belong to hermes.

use crate::harness::{Container, run_image};

/// `config set` with these options of `docker exec`, on a home without a config.yaml; its owner after that.
fn owner_after(container: &Container, options: &[&str], key: &str) -> String {
    container.sh_as("root", "rm -f /opt/data/config.yaml").ok();
    let run = container.exec_with(options, &["hermes", "config", "set", key, "1"]);
    assert_eq!(run.code, 0, "{run:?}");
    let owner = container.exec_with(&[], &["stat", "-c", "%U:%G", "/opt/data/config.yaml"]);
    owner.ok().trim().to_owned()
}

#[test]
fn test_shim_drops_root_to_hermes_uid() {
    let container = Container::sleeping(&[]);
    assert_eq!(owner_after(&container, &[], "_test.shim_marker"), "hermes:hermes");
}

#[test]
fn test_shim_short_circuits_for_non_root_exec() {
    let container = Container::sleeping(&[]);
    assert_eq!(owner_after(&container, &["--user", "hermes"], "_test.shim_short_circuit"), "hermes:hermes");
}

#[test]
fn test_shim_opt_out_keeps_root() {
    let container = Container::sleeping(&[]);
    let options = ["-e", "HERMES_DOCKER_EXEC_AS_ROOT=1"];
    assert_eq!(owner_after(&container, &options, "_test.opt_out"), "root:root");
}

#[test]
fn test_shim_opt_out_strict_truthiness() {
    let container = Container::sleeping(&[]);
    for value in ["0", "false", "no", "", "garbage", "2", "on", " 1"] {
        let variable = format!("HERMES_DOCKER_EXEC_AS_ROOT={value}");
        assert_eq!(owner_after(&container, &["-e", &variable], "_test.falsy"), "hermes:hermes", "{value:?}");
    }
    for value in ["true", "tRuE", "YES"] {
        let variable = format!("HERMES_DOCKER_EXEC_AS_ROOT={value}");
        container.sh_as("root", "rm -f /opt/data/config.lock").ok();
        assert_eq!(owner_after(&container, &["-e", &variable], "_test.truthy"), "root:root", "{value:?}");
    }
}

#[test]
fn test_main_cmd_path_unaffected() {
    let run = run_image(&[], &["chat", "--help"]);
    assert!(run.code == 0 && !run.stderr.contains("panicked"), "{run:?}");
}

#[test]
fn test_e2e_login_then_supervised_gateway_can_read_auth() {
    let container = Container::sleeping(&[]);
    container.exec_with(&[], &["hermes", "config", "set", "_test.e2e_marker", "1"]).ok();
    let login = container.exec_with(
        &["-e", "TEST_KEY=abcdefgh12345678"],
        &["sh", "-c", "hermes auth add openrouter --api-key \"$TEST_KEY\" || printf '{}' | hermes auth add openrouter"],
    );
    let unreadable = container.sh("find /opt/data -maxdepth 2 -type f ! -readable -print");
    assert_eq!((unreadable.code, unreadable.stdout.as_str()), (0, ""), "{login:?}");
}

#[test]
fn test_the_drop_is_whole() {
    let container = Container::sleeping(&[]);
    // An empty answer of `hermes` is not of interest; the process that runs it is.
    let script = "hermes container paced -- sh -c 'cat /proc/self/status; echo HOME=$HOME; exit 33'";
    let run = container.exec_with(&["-w", "/opt/data"], &["sh", "-c", script]);
    assert_eq!(run.code, 33, "{run:?}");
    let line = |name: &str| run.stdout.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert_eq!(line("Uid:").split_whitespace().collect::<Vec<_>>()[1..], ["10000"; 4]);
    assert_eq!(line("Gid:").split_whitespace().collect::<Vec<_>>()[1..], ["10000"; 4]);
    assert_eq!(line("Groups:").split_whitespace().collect::<Vec<_>>()[1..], ["10000"]);
    assert_eq!(line("CapPrm:").split_whitespace().last().unwrap(), "0000000000000000");
    assert_eq!(line("HOME="), "HOME=/opt/data");
}

#[test]
fn test_a_drop_that_cannot_be_done_is_told_and_touches_nothing() {
    let container = Container::start(&["--cap-drop", "SETUID", "--user", "hermes"], &["sleep", "infinity"]);
    container.wait_ready();
    let run = container.exec_with(&["--user", "root"], &["hermes", "config", "set", "a.b", "1"]);
    assert_eq!(run.code, 126, "{run:?}");
    assert!(run.stderr.contains("--user hermes") && run.stderr.contains("HERMES_DOCKER_EXEC_AS_ROOT"), "{run:?}");
}
