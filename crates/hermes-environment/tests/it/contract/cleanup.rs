//! A container's certain end.

use std::time::Duration;

use hermes_environment::docker::{Container, Custody};
use hermes_testkit::Call;

use crate::support::Fixture;

const LONG: Duration = Duration::from_secs(20);

/// Cleans up; answers what was called for it.
async fn cleaned(fixture: &Fixture, container: &Container) -> Vec<Call> {
    let before = fixture.fake.calls().len();
    container.custody().cleanup();
    assert!(container.custody().wait_for_cleanup(LONG).await);
    fixture.fake.calls().split_off(before)
}

fn texts(calls: &[Call]) -> Vec<String> {
    calls.iter().map(Call::text).collect()
}

#[tokio::test]
async fn test_non_persistent_cleanup_removes_container() {
    let mut fixture = Fixture::new("ephemeral-task");
    fixture.terminal.docker_persist_across_processes = false;
    let container = fixture.acquire();
    let calls = cleaned(&fixture, &container).await;
    assert_eq!(texts(&calls), ["stop -t 10 fake-container-id", "rm -f fake-container-id"]);
}

#[tokio::test]
async fn test_cleanup_with_persist_only_stops_no_rm() {
    let fixture = Fixture::new("cleanup-persist");
    let container = fixture.acquire();
    assert_eq!(texts(&cleaned(&fixture, &container).await), ["stop -t 10 fake-container-id"]);
}

#[tokio::test]
async fn test_cleanup_with_persist_disabled_stops_and_rms() {
    let mut fixture = Fixture::new("cleanup-no-persist");
    fixture.terminal.container_persistent = true;
    fixture.terminal.docker_persist_across_processes = false;
    let container = fixture.acquire();
    let calls = cleaned(&fixture, &container).await;
    assert_eq!(texts(&calls), ["stop -t 10 fake-container-id", "rm -f fake-container-id"]);
}

/// Every call is a child of this process, without a shell between, and has come to its end.
#[tokio::test]
async fn test_cleanup_uses_subprocess_run_not_detached_shell() {
    let mut fixture = Fixture::new("no-popen-cleanup");
    fixture.terminal.docker_persist_across_processes = false;
    let container = fixture.acquire();
    for call in cleaned(&fixture, &container).await {
        assert_eq!(call.parent, std::process::id(), "{call:?}");
        assert!(call.is_finished, "{call:?}");
    }
}

#[tokio::test]
async fn test_wait_for_cleanup_returns_true_when_no_thread_started() {
    assert!(Custody::empty().wait_for_cleanup(Duration::from_secs(1)).await);
    let fixture = Fixture::new("never-cleaned");
    assert!(fixture.acquire().custody().wait_for_cleanup(Duration::from_secs(1)).await);
}

#[tokio::test]
async fn test_wait_for_cleanup_after_cleanup_returns_true() {
    let fixture = Fixture::new("wait-test");
    let container = fixture.acquire();
    fixture.fake.holds("stop");
    container.custody().cleanup();
    assert!(!container.custody().wait_for_cleanup(Duration::from_millis(100)).await, "true before it has finished");
    fixture.fake.release("stop");
    assert!(container.custody().wait_for_cleanup(Duration::from_secs(5)).await);
    assert!(fixture.fake.calls_of("stop")[0].is_finished);
    assert_eq!(container.custody().container_id(), None);
}

#[tokio::test]
async fn test_cleanup_on_env_with_no_container_id_does_not_raise() {
    let custody = Custody::empty();
    custody.cleanup();
    custody.cleanup();
    assert!(custody.wait_for_cleanup(Duration::from_secs(1)).await);
}
