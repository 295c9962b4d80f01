//! A container is found again.

use hermes_environment::docker::Origin;
use hermes_testkit::Answer;

use crate::support::Fixture;

/// An engine that lists these containers and gives fresh ones an id of their own.
fn with(task: &str, listing: &str) -> Fixture {
    let fixture = Fixture::new(task);
    fixture.fake.answers("ps", Answer::of(listing));
    fixture.fake.answers("start", Answer::of("reused-cid\n"));
    fixture.fake.answers("run", Answer::of("fresh-cid\n"));
    fixture
}

#[test]
fn test_reuse_attaches_to_running_container_without_docker_run() {
    let fixture = with("reuse-test", "reused-cid\trunning\n");
    let container = fixture.acquire();
    assert_eq!((container.id(), container.origin()), ("reused-cid", Origin::Attached));
    assert_eq!(fixture.fake.calls_of("run"), []);
    assert_eq!(fixture.fake.calls_of("start"), []);
    let expected = "ps -a --filter label=hermes-agent=1 --filter label=hermes-task-id=reuse-test \
                    --filter label=hermes-profile=default --no-trunc --format {{.ID}}\t{{.State}}";
    assert_eq!(fixture.fake.calls_of("ps")[0].text(), expected);
}

#[test]
fn test_reuse_starts_stopped_container_before_attaching() {
    let fixture = with("reuse-stopped", "reused-cid\texited\n");
    let container = fixture.acquire();
    assert_eq!((container.id(), container.origin()), ("reused-cid", Origin::Started));
    assert_eq!(fixture.fake.calls_of("start")[0].text(), "start reused-cid");
    assert_eq!(fixture.fake.calls_of("run"), []);
}

#[test]
fn test_reuse_falls_back_to_fresh_run_when_start_fails() {
    let fixture = with("reuse-broken-start", "reused-cid\texited\n");
    fixture.fake.answers("start", Answer::failing("no such container"));
    let container = fixture.acquire();
    assert_eq!(container.id(), "fresh-cid");
    assert_eq!(fixture.fake.calls_of("start").len(), 1);
    assert_eq!(fixture.fake.calls_of("run").len(), 1);
}

#[test]
fn test_no_reuse_when_persist_across_processes_disabled() {
    let mut fixture = with("no-reuse", "reused-cid\trunning\n");
    fixture.terminal.docker_persist_across_processes = false;
    let container = fixture.acquire();
    assert_eq!(fixture.fake.calls_of("ps"), []);
    assert_eq!(container.id(), "fresh-cid");
}

#[test]
fn test_find_reusable_container_prefers_running_over_stopped() {
    let fixture = with("dup-match", "stopped-cid\texited\nrunning-cid\trunning\n");
    assert_eq!(fixture.acquire().id(), "running-cid");
}
