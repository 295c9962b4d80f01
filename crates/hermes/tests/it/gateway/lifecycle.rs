//! Who serves a home, and how that ends.

use hermes_gateway::control::{Answer, Request};
use rustix::process::Signal;
use serde_json::Value;

use super::process::{Ground, delivered, say};
use crate::support::mode;

fn state(ground: &Ground) -> Value {
    serde_json::from_str(&ground.sandbox.read("gateway_state.json")).unwrap()
}

#[test]
fn a_second_gateway_refuses_and_names_the_owner() {
    let ground = Ground::new("");
    let gateway = ground.start();
    let told = ground.sandbox.fails(1, ["gateway", "run"]);
    assert!(told.contains(&gateway.pid().to_string()) && told.contains("--replace"), "{told}");
    let told = ground.sandbox.fails(1, ["gateway", "start"]);
    assert!(told.contains(&gateway.pid().to_string()), "{told}");
    let record: Value = serde_json::from_str(&ground.sandbox.read("gateway.pid")).unwrap();
    assert_eq!((record["pid"].as_u64(), record["kind"].as_str()), (Some(gateway.pid().into()), Some("hermes-gateway")));
    assert_eq!(mode(ground.sandbox.file("gateway.sock")), 0o600);
    let status = ground.sandbox.ok(["gateway", "status"]);
    assert!(status.contains(&format!("✓ Gateway is running (PID: {})", gateway.pid())), "{status}");
    let json: Value = serde_json::from_str(&ground.sandbox.ok(["gateway", "status", "--json"])).unwrap();
    assert_eq!(json["gateway_pids"][0], gateway.pid());
    assert_eq!(json["live"]["platforms"]["local"]["state"], "running");
    assert_eq!(state(&ground)["gateway_state"], "running");
    let stopped = ground.sandbox.ok(["gateway", "stop"]);
    assert!(stopped.contains("✓ Gateway stopped"), "{stopped}");
    assert_eq!(gateway.wait().code(), Some(0));
    assert_eq!(
        (&state(&ground)["gateway_state"], &state(&ground)["desired_state"]),
        (&"stopped".into(), &"stopped".into())
    );
    for file in ["gateway.pid", "gateway.sock"] {
        assert!(!ground.sandbox.file(file).exists(), "{file}");
    }
    assert!(ground.sandbox.ok(["gateway", "status"]).contains("✗ Gateway is not running"));
    assert!(ground.sandbox.ok(["gateway", "stop"]).contains("not running"));
}

#[test]
fn a_signal_that_nobody_announced_is_no_wish_of_the_operator() {
    let ground = Ground::new("");
    // Started by an operator, in the background.
    let started = ground.sandbox.ok(["gateway", "start"]);
    assert!(started.contains("✓ Gateway started"), "{started}");
    assert_eq!(state(&ground)["desired_state"], "running");
    ground.sandbox.ok(["gateway", "restart"]);
    ground.sandbox.ok(["gateway", "stop"]);
    let gateway = ground.start();
    assert_eq!(state(&ground)["desired_state"], "stopped", "run is no wish");
    gateway.signal(Signal::TERM);
    assert_eq!(gateway.wait().code(), Some(1), "to be started again");
    assert_eq!(
        (&state(&ground)["gateway_state"], &state(&ground)["desired_state"]),
        (&"running".into(), &"stopped".into())
    );
    let gateway = ground.start();
    gateway.signal(Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
    assert_eq!(state(&ground)["gateway_state"], "stopped");
}

#[test]
fn a_gateway_is_replaced_cleanly() {
    let ground = Ground::new("");
    let old = ground.start();
    let new = ground.start_with(&["--replace"]);
    assert_eq!(old.wait().code(), Some(0));
    let json: Value = serde_json::from_str(&ground.sandbox.ok(["gateway", "status", "--json"])).unwrap();
    assert_eq!(json["gateway_pids"][0], new.pid());
    assert_eq!(state(&ground)["pid"], new.pid());
    // One that was killed leaves nothing in the way.
    new.kill();
    let next = ground.start();
    next.signal(Signal::INT);
    next.wait();
}

#[tokio::test]
async fn the_socket_shows_and_steers_and_ends_with_the_codes_of_the_contract() {
    let ground = Ground::new("");
    let gateway = ground.start();
    let (mut client, mut listener) = (gateway.client().await, gateway.listener().await);
    say(&mut client, "a", "1", "never").await;
    ground.server.received(1).await;
    let Answer::Sessions { sessions } = client.ask(&Request::Sessions).await.unwrap() else { panic!() };
    assert_eq!(sessions.len(), 1);
    let session = sessions[0].key.clone();
    assert_eq!(session.as_str(), "agent:main:local:dm:a");
    let steer = Request::Steer { session: session.clone(), text: "hurry".to_owned() };
    assert_eq!(client.ask(&steer).await.unwrap(), Answer::Done { found: true });
    assert_eq!(client.ask(&Request::Stop { session }).await.unwrap(), Answer::Done { found: true });
    assert_eq!(delivered(&mut listener).await.2, "(stopped)");
    assert_eq!(client.ask(&Request::Drain { restart: true }).await.unwrap(), Answer::Done { found: true });
    assert_eq!(gateway.wait().code(), Some(75));
    assert_eq!(state(&ground)["restart_requested"], true);
}

#[test]
fn a_home_that_must_be_mended_ends_with_78_and_an_unguarded_one_is_warned_about() {
    let ground = Ground::new("approvals: {mode: manual}\nsecurity: {tirith_enabled: false}");
    let gateway = ground.start();
    gateway.signal(Signal::INT);
    let output = ground.sandbox.read("logs/errors.log");
    assert!(output.contains("neither a command scanner"), "{output}");
    gateway.wait();
    ground.sandbox.write("hermes.db", "this is not a database, and was never one");
    let told = ground.sandbox.fails(78, ["gateway", "run"]);
    assert!(told.contains("hermes.db"), "{told}");
    assert_eq!(state(&ground)["gateway_state"], "startup_failed");
}

#[test]
fn a_session_cannot_end_its_own_gateway() {
    let ground = Ground::new("");
    for verb in ["stop", "restart", "uninstall"] {
        let mut command = ground.sandbox.command(["gateway", verb]);
        let run = crate::support::finish(command.env("HERMES_SESSION_KEY", "agent:main:local:dm:a").spawn().unwrap());
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains("inside a session"), "{run:?}");
    }
}
