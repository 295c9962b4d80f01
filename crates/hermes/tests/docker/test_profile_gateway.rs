//! A profile's gateway, started and stopped as its user would.

use crate::harness::Container;

const PROFILE: &str = "test-harness-profile";
const SLOT: &str = "gateway-test-harness-profile";

#[test]
fn test_profile_gateway_start_and_stop() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "profile", "create", PROFILE]).ok();
    container.sh(&format!("test -d /run/service/{SLOT}")).ok();
    container.exec(&["hermes", "-p", PROFILE, "gateway", "start"]).ok();
    container.wait_for("a wish to run", |container| container.is_wanted(SLOT));
    container.exec(&["hermes", "-p", PROFILE, "gateway", "stop"]).ok();
    assert!(!container.is_wanted(SLOT));
}

#[test]
fn test_profile_delete_stops_gateway() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "profile", "create", PROFILE]).ok();
    container.exec(&["hermes", "-p", PROFILE, "gateway", "start"]).ok();
    container.exec(&["hermes", "profile", "delete", PROFILE, "--yes"]).ok();
    container.sh(&format!("! test -e /run/service/{SLOT} && ! test -e /opt/data/profiles/{PROFILE}")).ok();
    let left = container.exec(&["ps", "axo", "args"]).ok();
    assert!(!left.contains(PROFILE), "{left}");
}

#[test]
fn test_a_missing_gateway_is_told() {
    let container = Container::sleeping(&[]);
    // A folder is no profile, and has no slot, before it has a personality.
    container.sh("mkdir /opt/data/profiles/nobody").ok();
    for verb in ["start", "stop", "restart"] {
        let run = container.exec(&["hermes", "-p", "nobody", "gateway", verb]);
        assert!(run.code == 1 && run.stderr.contains("no such gateway 'nobody'"), "{run:?}");
        assert!(run.stderr.contains("hermes profile create nobody"), "{run:?}");
    }
}

#[test]
fn test_status_names_the_manager() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    container.wait_for("the gateway", |container| {
        container.exec(&["hermes", "-p", "coder", "status"]).ok().contains("PID(s):")
    });
    let status = container.exec(&["hermes", "-p", "coder", "status"]).ok();
    assert!(status.contains("Manager:      s6 (container supervisor)"), "{status}");
}
