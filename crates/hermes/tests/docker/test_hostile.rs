//! Names and values that somebody chose to do harm.

use crate::harness::Container;

#[test]
fn test_hostile_profile_names() {
    let container = Container::sleeping(&[]);
    let long = "a".repeat(252);
    for name in ["", "Upper", "foo/bar", "../escape", "-rf", "_x", "a b", "a.b", "x\ny", "$(touch /tmp/owned)", &long] {
        let run = container.exec(&["hermes", "container", "slot", "register", "--", name]);
        assert_eq!(run.code, 2, "{name:?}: {run:?}");
        let run = container.exec(&["hermes", "profile", "create", "--", name]);
        assert_eq!(run.code, 2, "{name:?}: {run:?}");
    }
    assert_eq!(container.exec(&["hermes", "container", "slot", "list"]).ok(), "default\n");
    container.sh("! test -e /tmp/owned").ok();
}

#[test]
fn test_hostile_environment_values() {
    let container = Container::sleeping(&[]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "container", "slot", "unregister", "coder"]).ok();
    let value = "a'b\"c $(touch /tmp/owned) `touch /tmp/owned` ;& | \\ ${HOME} *";
    let variable = format!("HOSTILE={value}");
    let words = ["hermes", "container", "slot", "register", "coder", "--start", "--env", &variable];
    // Whoever watches the profiles may have been faster; then it is ended again first.
    container.wait_for("the slot", |container| {
        let registered = container.exec(&words).code == 0;
        if !registered {
            container.exec(&["hermes", "container", "slot", "unregister", "coder"]).ok();
        }
        registered
    });
    container.wait_for("the service", |container| {
        let environment = "cat /proc/$(/command/s6-svstat -o pid /run/service/gateway-coder)/environ | tr '\\0' '\\n'";
        container.sh(environment).stdout.lines().any(|line| line == variable)
    });
    container.sh("! test -e /tmp/owned").ok();
}

#[test]
fn test_the_containers_port_is_not_every_profiles() {
    let container = Container::sleeping(&["-e", "API_SERVER_PORT=8001"]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    let environment = "cat /proc/$(/command/s6-svstat -o pid /run/service/gateway-coder)/environ | tr '\\0' '\\n'";
    container
        .wait_for("the service", |container| container.sh(environment).stdout.contains("HERMES_S6_SUPERVISED_CHILD=1"));
    assert!(!container.sh(environment).ok().contains("API_SERVER_PORT"));
}
