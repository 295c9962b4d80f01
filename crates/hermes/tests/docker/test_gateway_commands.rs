//! `hermes gateway` inside the container: every verb goes to the slots.

use serde_json::Value;

use crate::harness::Container;

fn create(container: &Container, names: &[&str]) {
    for name in names {
        container.exec(&["hermes", "profile", "create", name]).ok();
    }
}

fn wait_up(container: &Container, name: &str) {
    container
        .wait_for(name, |container| container.exec(&["hermes", "-p", name, "gateway", "status"]).ok().contains("Up: "));
}

fn list(container: &Container) -> Value {
    serde_json::from_str(&container.exec(&["hermes", "gateway", "list", "--json"]).ok()).unwrap()
}

fn of<'a>(list: &'a Value, profile: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|one| one["profile"] == profile).unwrap()
}

#[test]
fn test_status_and_list_tell_the_manager_the_process_and_the_port() {
    let container = Container::sleeping(&["-e", "API_SERVER_PORT=8001"]);
    create(&container, &["coder", "writer"]);
    container.sh("echo API_SERVER_PORT=9999 >>/opt/data/profiles/writer/.env").ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    wait_up(&container, "coder");
    let status = container.exec(&["hermes", "-p", "coder", "gateway", "status"]).ok();
    for line in ["✓ Gateway is running (PID: ", "Manager:      s6 (container supervisor)", "Wanted:       running"] {
        assert!(status.contains(line), "{status}");
    }
    let all = list(&container);
    let (default, coder, writer) = (of(&all, "default"), of(&all, "coder"), of(&all, "writer"));
    for one in [default, coder, writer] {
        assert_eq!((&one["service_installed"], &one["service_scope"]), (&true.into(), &"s6".into()), "{one}");
    }
    assert_eq!((&coder["service_running"], &writer["service_running"]), (&true.into(), &false.into()));
    assert_eq!((&default["api_port"], &writer["api_port"]), (&8001.into(), &9999.into()), "{all}");
    let port = coder["api_port"].as_u64().unwrap();
    assert!((9200..9800).contains(&port), "{coder}");
    let table = container.exec(&["hermes", "gateway", "list"]).ok();
    assert!(table.lines().any(|line| line.contains("coder") && line.contains(&format!("port  {port}"))), "{table}");
    // The port stays with the profile when it is renamed, and is free when it is deleted.
    container.exec(&["hermes", "-p", "coder", "gateway", "stop"]).ok();
    container.exec(&["hermes", "profile", "rename", "coder", "author"]).ok();
    assert_eq!(of(&list(&container), "author")["api_port"], port);
    container.exec(&["hermes", "profile", "delete", "author", "--yes"]).ok();
    assert!(!container.sh("cat /opt/data/gateway_ports.json").ok().contains(&port.to_string()));
}

#[test]
fn test_all_gateways_are_stopped_and_restarted_together() {
    let container = Container::sleeping(&[]);
    create(&container, &["one", "two", "three"]);
    for name in ["one", "two"] {
        container.exec(&["hermes", "-p", name, "gateway", "start"]).ok();
        wait_up(&container, name);
    }
    let restarted = container.exec(&["hermes", "gateway", "restart", "--all"]).ok();
    assert!(restarted.contains("✓ Restarted 2 profile gateway(s) under s6"), "{restarted}");
    for (name, expected) in [("one", true), ("two", true), ("three", false)] {
        assert_eq!(container.is_wanted(&format!("gateway-{name}")), expected, "{name}");
    }
    let stopped = container.exec(&["hermes", "gateway", "stop", "--all"]).ok();
    assert!(stopped.contains("✓ Stopped 4 profile gateway(s) under s6"), "{stopped}");
    for name in ["one", "two"] {
        assert!(!container.is_wanted(&format!("gateway-{name}")));
        let state = container.sh(&format!("cat /opt/data/profiles/{name}/gateway_state.json")).ok();
        assert!(state.contains("\"gateway_state\":\"stopped\""), "a stop through the slot is announced: {state}");
    }
    let left = container.exec(&["ps", "axo", "args="]).ok();
    assert!(!left.contains("gateway run"), "{left}");
}

#[test]
fn test_install_and_uninstall_explain() {
    let container = Container::sleeping(&[]);
    for verb in ["install", "uninstall"] {
        let told = container.exec(&["hermes", "gateway", verb]).ok();
        assert!(told.contains("s6") && told.contains("hermes profile create"), "{told}");
    }
    container.sh("! test -e /opt/data/.config").ok();
}

#[test]
fn test_a_start_gives_a_profile_without_a_slot_one() {
    let container = Container::sleeping(&[]);
    create(&container, &["late"]);
    container.exec(&["hermes", "container", "slot", "unregister", "late"]).ok();
    container.exec(&["hermes", "-p", "late", "gateway", "start"]).ok();
    wait_up(&container, "late");
}

#[test]
fn test_a_session_cannot_end_its_own_gateway() {
    let container = Container::sleeping(&[]);
    let inside = ["-u", "hermes", "-e", "HERMES_SESSION_KEY=agent:main:local:dm:a"];
    for verb in ["stop", "restart", "uninstall"] {
        let run = container.exec_with(&inside, &["hermes", "gateway", verb]);
        assert_eq!(run.code, 1, "{run:?}");
    }
}
