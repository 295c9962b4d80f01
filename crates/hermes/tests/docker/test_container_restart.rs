//! What the operator wanted survives a restart, and nothing else does.

use crate::harness::{Container, docker};

fn state_file(container: &Container, profile: &str, content: &str) {
    container.sh(&format!("printf '%s' '{content}' >/opt/data/profiles/{profile}/gateway_state.json")).ok();
}

fn line(container: &Container, profile: &str) -> String {
    let log = container.boot_log();
    let found = log.lines().find(|line| line.contains(&format!("profile={profile} ")));
    found.unwrap_or_else(|| panic!("{profile}: {log}")).to_owned()
}

#[test]
fn test_running_gateway_survives_container_restart() {
    let container = Container::with_volume();
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    container.wait_for("the gateway", |container| {
        container.exec(&["/command/s6-svstat", "/run/service/gateway-coder"]).ok().starts_with("up ")
    });
    state_file(&container, "coder", r#"{"gateway_state":"running","timestamp":1}"#);
    container.restart();
    assert!(line(&container, "coder").contains("action=started"));
    container.sh("test -d /run/service/gateway-coder && ! test -e /run/service/gateway-coder/down").ok();
}

#[test]
fn test_stopped_gateway_stays_stopped_after_restart() {
    let container = Container::with_volume();
    container.exec(&["hermes", "profile", "create", "writer"]).ok();
    state_file(&container, "writer", r#"{"gateway_state":"stopped"}"#);
    container.restart();
    assert!(line(&container, "writer").contains("prior_state=stopped action=registered"));
    container.sh("test -d /run/service/gateway-writer && test -e /run/service/gateway-writer/down").ok();
}

#[test]
fn test_stale_runtime_files_cleaned_on_restart() {
    let container = Container::with_volume();
    container.exec(&["hermes", "profile", "create", "ghost"]).ok();
    state_file(&container, "ghost", r#"{"gateway_state":"stopped"}"#);
    let stale = "cd /opt/data/profiles/ghost && echo '{\"pid\":99999,\"host\":\"old\"}' >gateway.pid && echo '[]' >processes.json";
    container.sh(stale).ok();
    container.restart();
    container.sh("cd /opt/data/profiles/ghost && ! test -e gateway.pid && ! test -e processes.json").ok();
}

/// The gateway is told to end by `docker restart`, and says so in its own file; that is no wish.
#[test]
fn test_live_gateway_survives_restart_without_stamping() {
    let container = Container::with_volume();
    container.exec(&["hermes", "profile", "create", "live"]).ok();
    container.exec(&["hermes", "-p", "live", "gateway", "start"]).ok();
    container.wait_for("the gateway's own word", |container| {
        container.sh("cat /opt/data/profiles/live/gateway_state.json").stdout.contains("running")
    });
    state_file(&container, "live", r#"{"gateway_state":"stopped"}"#);
    container.restart();
    assert!(line(&container, "live").contains("action=started"));
    container.sh("! test -e /run/service/gateway-live/down").ok();
}

#[test]
fn test_what_was_stopped_stays_stopped_even_after_a_kill() {
    let container = Container::with_volume();
    for name in ["on", "off"] {
        container.exec(&["hermes", "profile", "create", name]).ok();
        container.exec(&["hermes", "-p", name, "gateway", "start"]).ok();
    }
    container.exec(&["hermes", "-p", "off", "gateway", "stop"]).ok();
    state_file(&container, "off", r#"{"gateway_state":"running"}"#);
    docker(["kill", &container.name]).ok();
    docker(["start", &container.name]).ok();
    container.wait_for("both lines", |container| {
        let log = container.boot_log();
        log.contains("profile=on prior_state=running action=started")
            && log.lines().any(|line| line.ends_with("profile=off prior_state=stopped action=registered"))
    });
}

#[test]
fn test_one_broken_profile_does_not_stop_the_others() {
    let container = Container::with_volume();
    container.exec(&["hermes", "profile", "create", "good"]).ok();
    container.sh("cd /opt/data/profiles && mkdir 'Bad Name' default && touch 'Bad Name/SOUL.md' default/SOUL.md").ok();
    container.exec(&["hermes", "profile", "create", "broken"]).ok();
    container.sh("mkdir /opt/data/profiles/broken/gateway_state.json").ok();
    container.restart();
    assert!(line(&container, "good").contains("action=registered"));
    assert!(line(&container, "broken").contains("action=registered problem="));
    assert!(line(&container, "Bad?Name").contains("action=ignored"));
    assert_eq!(container.boot_log().matches("profile=default prior_state=None action=registered").count(), 1);
}

#[test]
fn test_profiles_that_come_and_go_by_themselves_are_followed() {
    let container = Container::sleeping(&[]);
    let has = |container: &Container, name: &str| {
        container.exec(&["hermes", "container", "slot", "list"]).ok().lines().any(|line| line == name)
    };
    container.sh("mkdir /opt/data/profiles/copied && sleep 1 && touch /opt/data/profiles/copied/SOUL.md").ok();
    container.wait_for("the slot", |container| has(container, "copied"));
    container.sh("mkdir /tmp/r && touch /tmp/r/SOUL.md && mv /tmp/r /opt/data/profiles/restored").ok();
    container.wait_for("the slot", |container| has(container, "restored"));
    container.sh("rm -r /opt/data/profiles/copied").ok();
    container.wait_for("the end of the slot", |container| !has(container, "copied"));
    assert!(has(&container, "restored"));
}
