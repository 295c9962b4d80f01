//! kill -9 while runs go on: every run that was acknowledged is answered for, and a request that is sent again is not done again. (Invariant 10.)

use std::collections::BTreeMap;

use serde_json::json;

use super::served::{address, call, ground};

const ROUNDS: usize = 6;
const RUNS: usize = 4;

#[test]
fn an_acknowledged_run_is_never_unknown_whenever_it_is_killed() {
    let ground = ground("");
    // Each run's name and id.
    let mut acknowledged = BTreeMap::new();
    let body = |name: &str| json!({"input": if name.ends_with('0') { "never".to_owned() } else { format!("run echo {name}") }});
    for round in 0..ROUNDS {
        let gateway = ground.start_with(&["--force"]);
        let address = address(&gateway);
        for number in 0..RUNS {
            let name = format!("r{round}-{number}");
            let headers = [("Idempotency-Key", name.as_str())];
            let (status, run) = call(address, "POST /v1/runs", &headers, Some(&body(&name))).unwrap();
            assert_eq!(status, 202, "{run}");
            acknowledged.insert(name, run["id"].as_str().unwrap().to_owned());
        }
        // Later and later in what they do.
        for _ in 0..round * 3 {
            call(address, "GET /health", &[], None);
        }
        gateway.kill();
    }
    let gateway = ground.start_with(&["--force"]);
    let address = address(&gateway);
    for (name, id) in &acknowledged {
        let (status, run) = call(address, &format!("GET /v1/runs/{id}"), &[], None).unwrap();
        assert_eq!(status, 200, "{run}");
        match run["status"].as_str().unwrap() {
            "completed" => assert_eq!(run["output"].as_str().unwrap().trim(), name),
            "failed" => assert_eq!(run["error"]["code"], "interrupted", "{run}"),
            other => panic!("{name} is {other}"),
        }
        let headers = [("Idempotency-Key", name.as_str())];
        let (status, again) = call(address, "POST /v1/runs", &headers, Some(&body(name))).unwrap();
        assert_eq!((status, again["id"].as_str()), (200, Some(id.as_str())), "{again}");
    }
    gateway.signal(rustix::process::Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}
