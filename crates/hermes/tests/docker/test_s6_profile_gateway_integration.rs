//! Slots against a real supervision tree, without root.

use crate::harness::Container;

fn slots(container: &Container) -> Vec<String> {
    container.exec(&["hermes", "container", "slot", "list"]).ok().lines().map(str::to_owned).collect()
}

#[test]
fn test_s6_register_creates_service_dir_in_live_container() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "container", "slot", "register", "phase3test"]).ok();
    container.sh("cd /run/service/gateway-phase3test && test -x run && test -x log/run && test -x finish").ok();
    container.exec(&["/command/s6-svstat", "/run/service/gateway-phase3test"]).ok();
    assert!(slots(&container).contains(&"phase3test".to_owned()));
    let again = container.exec(&["hermes", "container", "slot", "register", "phase3test"]);
    assert!(again.code == 1 && again.stderr.contains("already registered"), "{again:?}");
}

#[test]
fn test_s6_unregister_removes_service_dir_in_live_container() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "container", "slot", "register", "phase3test"]).ok();
    container.exec(&["hermes", "container", "slot", "unregister", "phase3test"]).ok();
    container.sh("! test -e /run/service/gateway-phase3test").ok();
    assert!(!slots(&container).contains(&"phase3test".to_owned()));
}

#[test]
fn test_the_scanner_passes_over_what_starts_with_a_dot() {
    let container = Container::sleeping(&[]);
    let script = "cd /run/service && mkdir .gateway-raceprobe.tmp && printf '#!/bin/sh\\nexec sleep 1000\\n' \
                  >.gateway-raceprobe.tmp/run && chmod 755 .gateway-raceprobe.tmp/run && /command/s6-svscanctl -a .";
    container.sh(script).ok();
    // A slot that is taken up afterwards proves that the scan is over.
    container.exec(&["hermes", "container", "slot", "register", "after"]).ok();
    container.sh("! test -e /run/service/.gateway-raceprobe.tmp/supervise").ok();
}

#[test]
fn test_nothing_of_the_tree_is_root() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=1"]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    let users = container.exec(&["ps", "axo", "user=,args="]).ok();
    assert!(users.lines().count() > 8 && users.lines().all(|line| line.starts_with("hermes ")), "{users}");
}

#[test]
fn test_fifty_rounds_leave_nothing() {
    let container = Container::sleeping(&[]);
    let count = "ps axo pid= | wc -l; find /run/service /run/s6 | sort | md5sum; ls /proc/1/fd | wc -l";
    let before = container.sh(count).ok();
    let rounds = "for round in $(seq 50); do hermes container slot register r --start && hermes container slot unregister r || exit 1; done";
    container.sh(rounds).ok();
    container.wait_for("the same as before", |container| container.sh(count).ok() == before);
}
