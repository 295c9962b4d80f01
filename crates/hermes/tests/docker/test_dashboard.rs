//! The dashboard as a supervised service.

use crate::harness::Container;

fn svstat(container: &Container) -> String {
    container.exec(&["/command/s6-svstat", "/run/service/dashboard"]).ok()
}

fn processes(container: &Container) -> Vec<String> {
    let found = container.exec(&["pgrep", "-f", "hermes dashboard"]);
    found.stdout.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn test_dashboard_not_running_by_default() {
    let container = Container::sleeping(&[]);
    assert_eq!(processes(&container), Vec::<String>::new());
}

#[test]
fn test_dashboard_slot_reports_down_when_disabled() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=on"]);
    assert!(svstat(&container).contains("down"));
}

#[test]
fn test_dashboard_slot_reports_up_when_enabled() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=1"]);
    container.wait_for("the dashboard", |container| svstat(container).contains("up "));
}

#[test]
fn test_dashboard_opt_in_starts() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=1"]);
    container.wait_for("the dashboard", |container| !processes(container).is_empty());
}

#[test]
fn test_dashboard_port_override() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=1", "-e", "HERMES_DASHBOARD_PORT=9120"]);
    // 9120 is 23A0, and 0A is a socket that listens.
    container.wait_for("port 9120", |container| {
        let sockets = container.sh("cat /proc/net/tcp /proc/net/tcp6 2>/dev/null").stdout;
        sockets.lines().any(|line| line.contains(":23A0 ") && line.contains(" 0A "))
    });
    let health = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9120/health').read().decode())";
    assert_eq!(container.exec(&["python3", "-c", health]).ok().trim(), "ok");
}

#[test]
fn test_dashboard_restarts_after_crash() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=1"]);
    container.wait_for("the dashboard", |container| !processes(container).is_empty());
    let first = processes(&container);
    container.exec(&["kill", "-9", &first[0]]).ok();
    container.wait_for("another dashboard", |container| {
        let now = processes(container);
        !now.is_empty() && !now.contains(&first[0])
    });
}

#[test]
fn test_dashboard_for_others_needs_credentials_and_does_not_loop() {
    let container = Container::sleeping(&["-e", "HERMES_DASHBOARD=1", "-e", "HERMES_DASHBOARD_HOST=0.0.0.0"]);
    container.wait_for("the refusal", |container| container.logs().contains("open to everybody"));
    container.wait_for("the end", |container| svstat(container).contains("down") && !container.is_wanted("dashboard"));
    assert_eq!(container.logs().matches("open to everybody").count(), 1, "{}", container.logs());
}
