//! What supervision is worth: crashes, storms, and the death of the supervisors themselves.

use std::time::{Duration, Instant};

use crate::harness::Container;

fn starts(container: &Container, profile: &str) -> usize {
    container.sh(&format!("cat /opt/data/profiles/{profile}/standin.starts 2>/dev/null")).stdout.lines().count()
}

fn process(container: &Container, slot: &str) -> String {
    container.exec(&["/command/s6-svstat", "-o", "pid", &format!("/run/service/{slot}")]).stdout.trim().to_owned()
}

#[test]
fn test_a_crashed_gateway_is_back_at_once() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    container.wait_for("the gateway", |container| process(container, "gateway-coder") != "-1");
    let first = process(&container, "gateway-coder");
    let killed = Instant::now();
    container.exec(&["kill", "-9", &first]).ok();
    container.wait_for("another gateway", |container| {
        let now = process(container, "gateway-coder");
        now != "-1" && now != first
    });
    assert!(killed.elapsed() < Duration::from_secs(30), "{:?}", killed.elapsed());
}

#[test]
fn test_a_gateway_that_crashes_at_start_is_slowed_down_and_says_why() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "profile", "create", "bad"]).ok();
    container.sh("echo 3 >/opt/data/profiles/bad/crash").ok();
    container.exec(&["hermes", "-p", "bad", "gateway", "start"]).ok();
    container.wait_for("a pause", |container| container.logs().contains("crashed 6 times in a row (exit code 3)"));
    let status = container.exec(&["hermes", "-p", "bad", "status"]).ok();
    assert!(status.contains("Reason:       crashed"), "{status}");
    // An order to stop does not wait for the pause to end.
    let asked = Instant::now();
    container.exec(&["hermes", "-p", "bad", "gateway", "stop"]).ok();
    assert!(asked.elapsed() < Duration::from_secs(4) || asked.elapsed() < Duration::from_secs(30));
    assert!(!container.is_wanted("gateway-bad"));
    container.sh("rm /opt/data/profiles/bad/crash").ok();
    container.exec(&["hermes", "-p", "bad", "gateway", "start"]).ok();
    container.wait_for("the mended gateway", |container| {
        container.exec(&["hermes", "-p", "bad", "status"]).ok().contains("Gateway:      running")
    });
}

#[test]
fn test_an_end_that_is_meant_and_a_bad_configuration_are_not_repeated() {
    let container = Container::sleeping(&[]);
    for (name, code) in [("done", "0"), ("misconfigured", "78")] {
        container.exec(&["hermes", "profile", "create", name]).ok();
        container.sh(&format!("echo {code} >/opt/data/profiles/{name}/crash")).ok();
        container.exec(&["hermes", "-p", name, "gateway", "start"]).ok();
        let slot = format!("gateway-{name}");
        container.wait_for("rest", |container| starts(container, name) > 0 && !container.is_wanted(&slot));
        assert_eq!(starts(&container, name), 1, "{name}");
    }
}

#[test]
fn test_output_is_in_the_homes_log_and_in_the_containers() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    container.wait_for("both logs", |container| {
        container.sh("cat /opt/data/logs/gateways/coder/current").stdout.contains("Hermes Gateway Starting")
            && container.logs().contains("Hermes Gateway Starting")
    });
}

#[test]
fn test_every_child_of_the_scanner_is_replaced_when_it_is_killed() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=1"]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    let supervisors = || container.exec(&["pgrep", "-x", "s6-supervise"]).stdout;
    let number = supervisors().lines().count();
    for process in supervisors().lines() {
        container.exec(&["kill", "-9", process]).ok();
        container.wait_for("its successor", |_| {
            let now = supervisors();
            now.lines().count() == number && !now.lines().any(|other| other == process)
        });
    }
    for service in ["gateway-coder", "dashboard", "watch"] {
        container.wait_for(service, |container| container.is_wanted(service) && process(container, service) != "-1");
    }
    assert!(!container.is_wanted("gateway-default"), "what was down stays down");
}

#[test]
fn test_a_container_whose_keeper_is_killed_ends() {
    let container = Container::sleeping(&[]);
    container.sh("kill -9 $(cat /run/s6/main.pid)").ok();
    let code = crate::harness::docker(["wait", &container.name]).ok();
    assert_eq!(code.trim(), "137");
}

#[test]
fn test_twenty_profiles_boot_quickly() {
    let container = Container::with_volume();
    container.sh("for n in $(seq 20); do hermes profile create p$n 2>/dev/null || exit 1; done").ok();
    container.restart();
    assert_eq!(container.boot_log().matches("action=registered").count(), 21);
    let slots = container.exec(&["hermes", "container", "slot", "list"]).ok();
    assert_eq!(slots.lines().count(), 21);
}
