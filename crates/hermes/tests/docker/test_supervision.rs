//! What supervision is worth: crashes, storms, and the death of the supervisors themselves.

use crate::harness::Container;

/// How often the gateway of a profile said that it starts.
fn starts(container: &Container, profile: &str) -> usize {
    let log = container.sh(&format!("cat /opt/data/logs/gateways/{profile}/*")).stdout;
    log.matches("Hermes Gateway Starting").count()
}

/// A profile whose gateway cannot serve: where its socket belongs is a folder.
fn create_broken(container: &Container, profile: &str) {
    container.exec(&["hermes", "profile", "create", profile]).ok();
    container.sh(&format!("mkdir /opt/data/profiles/{profile}/gateway.sock")).ok();
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
    container.exec(&["kill", "-9", &first]).ok();
    container.wait_for("another gateway", |container| {
        let now = process(container, "gateway-coder");
        now != "-1" && now != first
    });
    container.wait_for("its answer", |container| {
        container.exec(&["hermes", "-p", "coder", "gateway", "status"]).ok().contains("Up: ")
    });
}

#[test]
fn test_a_gateway_that_crashes_at_start_is_slowed_down_and_says_why() {
    let container = Container::sleeping(&[]);
    create_broken(&container, "bad");
    container.exec(&["hermes", "-p", "bad", "gateway", "start"]).ok();
    container.wait_for("a pause", |container| container.logs().contains("crashed 6 times in a row (exit code 1)"));
    let status = container.exec(&["hermes", "-p", "bad", "status"]).ok();
    assert!(status.contains("Gateway:      starting") && status.contains("Reason:       crashed"), "{status}");
    // An order to stop does not wait for the pause to end.
    container.exec(&["hermes", "-p", "bad", "gateway", "stop"]).ok();
    assert!(!container.is_wanted("gateway-bad"));
    container.sh("rmdir /opt/data/profiles/bad/gateway.sock").ok();
    container.exec(&["hermes", "-p", "bad", "gateway", "start"]).ok();
    container.wait_for("the mended gateway", |container| {
        container.exec(&["hermes", "-p", "bad", "status"]).ok().contains("Gateway:      running")
    });
}

/// Four storms of six, each forgotten by the explicit start that follows.
#[test]
fn test_a_gateway_that_crashes_at_start_twenty_times_leaves_nothing_behind() {
    let container = Container::sleeping(&[]);
    create_broken(&container, "bad");
    let count = "ps axo pid= | wc -l; ls /proc/1/fd | wc -l; ls -A /opt/data/profiles/bad /run/service/gateway-bad";
    let storms: Vec<String> = (1..=4)
        .map(|storm| {
            container.exec(&["hermes", "-p", "bad", "gateway", "start"]).ok();
            container.wait_for("a pause", |container| {
                container.logs().matches("crashed 6 times in a row (exit code 1)").count() == storm
            });
            container.exec(&["hermes", "-p", "bad", "gateway", "stop"]).ok();
            container.sh(count).ok()
        })
        .collect();
    assert!(starts(&container, "bad") > 20);
    assert_eq!(storms.first(), storms.last());
}

#[test]
fn test_an_end_that_is_meant_and_a_bad_configuration_are_not_repeated() {
    let container = Container::sleeping(&[]);
    for name in ["done", "misconfigured"] {
        container.exec(&["hermes", "profile", "create", name]).ok();
    }
    container.sh("echo nonsense >/opt/data/profiles/misconfigured/hermes.db").ok();
    for name in ["done", "misconfigured"] {
        container.exec(&["hermes", "-p", name, "gateway", "start"]).ok();
    }
    container.wait_for("the gateway", |container| {
        container.exec(&["hermes", "-p", "done", "gateway", "status"]).ok().contains("Up: ")
    });
    container.sh("kill -INT $(/command/s6-svstat -o pid /run/service/gateway-done)").ok();
    for name in ["done", "misconfigured"] {
        let slot = format!("gateway-{name}");
        container.wait_for("rest", |container| !container.is_wanted(&slot) && process(container, &slot) == "-1");
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
