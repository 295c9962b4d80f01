//! `gateway run` as the main program: the supervised gateway is started instead, unless somebody says no.

use crate::harness::{Container, docker};

/// The commands of the keeper's children: the container's main program.
fn main_programs(container: &Container) -> Vec<String> {
    let children = container.sh("ps -o args= --ppid $(cat /run/s6/main.pid)").stdout;
    children.lines().map(|line| line.trim().to_owned()).collect()
}

/// Processes that are gateways, not those that stand in for one.
fn gateways(container: &Container) -> Vec<String> {
    let all = container.exec(&["ps", "axo", "args="]).ok();
    all.lines().filter(|line| line.contains("hermes gateway run")).map(str::to_owned).collect()
}

fn wait_serving(container: &Container) {
    container
        .wait_for("the gateway", |container| container.exec(&["hermes", "gateway", "status"]).stdout.contains("Up: "));
}

fn is_running(container: &Container) -> bool {
    docker(["inspect", "-f", "{{.State.Status}}", &container.name]).ok().trim() == "running"
}

#[test]
fn test_gateway_run_redirects_to_supervised() {
    let container = Container::start(&[], &["gateway", "run"]);
    wait_serving(&container);
    assert!(container.is_wanted("gateway-default"));
    assert_eq!(main_programs(&container), ["sleep infinity"]);
    let logs = container.logs();
    for part in ["s6 supervision", "--no-supervise", "HERMES_GATEWAY_NO_SUPERVISE"] {
        assert!(logs.contains(part), "{part}: {logs}");
    }
    // The container does not end with its gateway.
    container.sh("kill -9 $(/command/s6-svstat -o pid /run/service/gateway-default)").ok();
    wait_serving(&container);
    assert!(is_running(&container));
}

fn runs_itself(container: &Container) {
    wait_serving(container);
    let logs = container.logs();
    assert!(!logs.contains("s6 supervision"), "{logs}");
    assert!(main_programs(container).iter().all(|program| program.contains("hermes gateway run")), "{logs}");
    assert!(!container.is_wanted("gateway-default"));
    assert_eq!(gateways(container).len(), 1);
    // Its end is the container's.
    container.sh("kill -INT $(ps -o pid= --ppid $(cat /run/s6/main.pid))").ok();
    assert_eq!(docker(["wait", &container.name]).ok().trim(), "0");
}

#[test]
fn test_gateway_run_no_supervise_flag_preserves_legacy_behavior() {
    runs_itself(&Container::start(&[], &["gateway", "run", "--no-supervise"]));
}

#[test]
fn test_gateway_run_no_supervise_env_var() {
    runs_itself(&Container::start(&["-e", "HERMES_GATEWAY_NO_SUPERVISE=1"], &["gateway", "run"]));
}

#[test]
fn test_supervised_gateway_does_not_recurse() {
    let container = Container::start(&[], &["gateway", "run"]);
    wait_serving(&container);
    assert_eq!(gateways(&container).len(), 1);
    assert_eq!(main_programs(&container), ["sleep infinity"]);
}

#[test]
fn test_dashboard_supervised_when_env_set() {
    let container = Container::start(&["-e", "HERMES_DASHBOARD=1"], &["gateway", "run"]);
    for service in ["gateway-default", "dashboard"] {
        container.wait_ready();
        container.wait_for(service, |container| container.is_wanted(service));
    }
}

#[test]
fn test_supervised_gateway_stdout_reaches_docker_logs() {
    let container = Container::start(&[], &["gateway", "run"]);
    container.wait_for("both logs", |container| {
        container.sh("cat /opt/data/logs/gateways/default/current").stdout.contains("Hermes Gateway Starting")
            && container.logs().contains("Hermes Gateway Starting")
    });
}

/// `docker stop` is orderly, is no wish of the operator, and tells that a signal ended the main program.
#[test]
fn test_a_stopped_container_comes_back_with_its_gateway() {
    let container = Container::start(&[], &["gateway", "run"]);
    wait_serving(&container);
    docker(["stop", &container.name]).ok();
    assert_eq!(docker(["inspect", "-f", "{{.State.ExitCode}}", &container.name]).ok().trim(), "143");
    docker(["start", &container.name]).ok();
    wait_serving(&container);
    assert!(container.boot_log().contains("profile=default prior_state=running action=started"));
}

#[test]
fn test_a_stray_gateway_gives_way_to_the_supervised_one() {
    let container = Container::sleeping(&[]);
    docker(["exec", "-d", "-u", "hermes", &container.name, "hermes", "gateway", "run", "--no-supervise"]).ok();
    wait_serving(&container);
    container.exec(&["hermes", "gateway", "start"]).ok();
    container.wait_for("the supervised one alone", |container| {
        let supervised = container.sh("/command/s6-svstat -o pid /run/service/gateway-default").ok();
        let status = container.exec(&["hermes", "gateway", "status"]).ok();
        status.contains(&format!("(PID: {})", supervised.trim())) && gateways(container).len() == 1
    });
}

#[test]
fn test_a_gateway_as_root_is_refused() {
    let container = Container::sleeping(&[]);
    let as_root = ["-e", "HERMES_DOCKER_EXEC_AS_ROOT=1"];
    let run = container.exec_with(&as_root, &["hermes", "gateway", "run", "--no-supervise"]);
    assert!(run.code == 78 && run.stderr.contains("HERMES_ALLOW_ROOT_GATEWAY"), "{run:?}");
}
