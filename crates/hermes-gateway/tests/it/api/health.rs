//! What an operator sees: health and counters.

use serde_json::json;

use super::runs::{begin, watch};
use super::served::{Served, ground};

#[tokio::test(flavor = "multi_thread")]
async fn health_tells_adapters_and_conversations() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let run = begin(&caller, "never").await;
    watch(&caller, &run).await.until("run.started").await;
    let health = caller.get("/health/detailed").await.expect(200);
    assert_eq!((&health["status"], &health["profile"]), (&json!("ok"), &json!("default")));
    assert_eq!(health["adapters"], json!({"api_server": {"state": "running"}, "test": {"state": "running"}}));
    assert_eq!(health["conversations"], json!({"running": 1, "waiting": 0, "queued_messages": 0}));
    assert!(!health.to_string().contains(ground.home().to_str().unwrap()), "{health}");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_counted_and_nothing_that_callers_write_becomes_a_label() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let run = begin(&caller, "say x").await;
    watch(&caller, &run).await.rest().await;
    let failed = begin(&caller, "denied").await;
    watch(&caller, &failed).await.rest().await;
    served.running.says("a", "1", "say y").await;
    served.running.hears("a").await;
    caller.get("/some/secret-address").await;
    caller.call("INVENTED", "/v1/runs", None).await;
    let answer = caller.get("/metrics").await;
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"), "{answer:?}");
    for line in [
        "hermes_turns_started_total 3",
        "hermes_turns_ended_total{outcome=\"answered\"} 2",
        "hermes_turns_ended_total{outcome=\"failed\"} 1",
        "hermes_deliveries_total{outcome=\"arrived\"} 1",
        "hermes_http_requests_total{route=\"/v1/runs\",method=\"POST\",status=\"202\"} 2",
        "hermes_http_requests_total{route=\"unmatched\",method=\"GET\",status=\"404\"} 1",
        "hermes_http_requests_total{route=\"/v1/runs\",method=\"other\",status=\"405\"} 1",
        "hermes_conversations_running 0",
        "# EOF",
    ] {
        assert!(answer.text.lines().any(|one| one == line), "{line} is not in\n{}", answer.text);
    }
    assert!(
        !answer.text.contains(&run) && !answer.text.contains("secret-address") && !answer.text.contains("INVENTED")
    );
    let resident = answer.text.lines().find_map(|line| line.strip_prefix("process_resident_memory_bytes ")).unwrap();
    assert!(resident.parse::<u64>().unwrap() > 1024 * 1024, "{resident}");
    served.running.stop().await;
}
