//! A container that was made with other settings.

use std::time::Duration;

use hermes_environment::docker::{Container, Origin};
use hermes_testkit::Answer;

use crate::support::Fixture;

async fn end(container: &Container) {
    container.custody().cleanup();
    assert!(container.custody().wait_for_cleanup(Duration::from_secs(20)).await);
}

/// A task whose container was made, and is listed as stopped from then on.
async fn made() -> Fixture {
    let fixture = Fixture::new("fingerprint");
    end(&fixture.acquire()).await;
    fixture.fake.answers("ps", Answer::of("fake-container-id\texited\n"));
    fixture
}

#[tokio::test]
async fn the_same_settings_are_no_news() {
    let fixture = made().await;
    let container = fixture.acquire();
    assert_eq!((container.origin(), container.notes()), (Origin::Started, [].as_slice()));
    let record = fixture.home().path().join("sandboxes/docker/fingerprint/container.json");
    assert!(std::fs::read_to_string(record).unwrap().contains("fake-container-id"));
}

#[tokio::test]
async fn other_settings_replace_a_container_that_nobody_uses() {
    let mut fixture = made().await;
    fixture.terminal.container_memory = 512;
    fixture.terminal.docker_image = "other:1".to_owned();
    let container = fixture.acquire();
    let note = "was made with other settings (image, limits) and has been replaced";
    assert!(container.notes().iter().any(|told| told.contains(note)), "{:?}", container.notes());
    assert_eq!(container.origin(), Origin::Made);
    let calls: Vec<String> = fixture.fake.calls().iter().map(|call| call.text()).collect();
    let removed = calls.iter().position(|call| call == "rm -f fake-container-id").unwrap();
    assert!(calls[removed..].iter().any(|call| call.contains("other:1 sleep infinity")), "{calls:?}");
}

#[tokio::test]
async fn other_settings_are_told_while_the_container_is_in_use() {
    let mut fixture = made().await;
    let _user = fixture.acquire();
    fixture.terminal.docker_env.insert("A".to_owned(), "1".into());
    let container = fixture.acquire();
    let note = "(variables) and is kept while in use";
    assert!(container.notes().iter().any(|told| told.contains(note)), "{:?}", container.notes());
    assert_eq!(fixture.fake.calls_of("rm"), []);
}

#[tokio::test]
async fn a_container_of_unknown_making_is_used_and_told() {
    let fixture = Fixture::new("unknown");
    fixture.fake.answers("ps", Answer::of("0123456789ab\trunning\n"));
    let container = fixture.acquire();
    assert_eq!(container.id(), "0123456789ab");
    assert!(container.notes()[0].contains("settings are unknown"), "{:?}", container.notes());
}

#[tokio::test]
async fn a_network_that_must_not_be_is_not_inherited_from_an_unknown_container() {
    let check = |mode: &str, expected: &str| {
        let mut fixture = Fixture::new("network");
        fixture.terminal.docker_network = false;
        fixture.fake.answers("ps", Answer::of("0123456789ab\trunning\n"));
        fixture.fake.answers("inspect", Answer::of(mode));
        assert_eq!(fixture.acquire().id(), expected, "{mode}");
    };
    check("none\n", "0123456789ab");
    check("bridge\n", "fake-container-id");
    check("", "fake-container-id");
}
