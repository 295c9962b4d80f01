//! Two containers on one volume: one of them runs the gateways.

use crate::harness::Container;

#[test]
fn test_the_second_container_starts_no_gateway_and_names_the_first() {
    let first = Container::with_volume();
    first.exec(&["hermes", "profile", "create", "coder"]).ok();
    first.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    first.wait_for("the gateway", |container| container.is_wanted("gateway-coder"));
    let volume = format!("{}:/opt/data", first.volume());
    let second = Container::start(&["-v", &volume], &["sleep", "infinity"]);
    let name = first.sh("hostname").ok();
    let line = format!("profile=coder prior_state=running action=owned owner={}", name.trim());
    second.wait_for("the owner's name", |container| container.boot_log().contains(&line));
    assert!(!second.is_wanted("gateway-coder"));
    assert!(second.logs().contains(&format!("container {} uses this volume", name.trim())), "{}", second.logs());
    assert!(first.is_wanted("gateway-coder"));
    for verb in ["start", "stop", "restart"] {
        let run = second.exec(&["hermes", "-p", "coder", "gateway", verb]);
        assert!(run.code == 1 && run.stderr.contains(&format!("container {}", name.trim())), "{verb}: {run:?}");
    }
    assert!(first.is_wanted("gateway-coder") && !second.is_wanted("gateway-coder"));
}
