//! Found again: by a later environment, by another process, by two at once.

use std::sync::Arc;

use hermes_environment::docker::{DockerEnvironment, Origin, OrphanSweep};
use tokio::task::JoinSet;

use super::support::{Place, output, told};

#[tokio::test]
async fn a_stopped_container_is_started_again_with_its_files() {
    let place = Place::new();
    let first = place.start("again").await;
    let id = first.container_id().await.unwrap();
    output(&first, "echo kept > /root/mounted; echo layer > /etc/layer").await;
    first.close().await.unwrap();
    let second = place.start("again").await;
    assert_eq!(second.origin().await, Some(Origin::Started));
    assert_eq!(Some(&id), second.container_id().await.as_ref(), "{id}");
    assert_eq!(output(&second, "cat /root/mounted /etc/layer").await, "kept\nlayer");
    second.close().await.unwrap();
    assert_eq!(place.containers().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_that_race_for_one_key_get_one_container() {
    let place = Place::new();
    let mut starts = JoinSet::new();
    for _ in 0..6 {
        let settings = place.settings("race");
        starts.spawn(async move {
            // Each as if in a process of its own: nothing is shared but the home.
            DockerEnvironment::start(&settings, &Arc::new(OrphanSweep::new())).await.unwrap().0
        });
    }
    let environments = starts.join_all().await;
    assert_eq!(place.containers().len(), 1);
    for environment in &environments {
        assert_eq!(output(environment, "echo ok").await, "ok");
    }
    for environment in environments {
        environment.close().await.unwrap();
    }
    assert_eq!(told(&["inspect", "--format", "{{.State.Running}}", &place.containers()[0]]), "false");
}

#[tokio::test]
async fn changed_settings_are_told_and_take_effect_when_nobody_uses_the_container() {
    let mut place = Place::new();
    let first = place.start("changed").await;
    let id = first.container_id().await.unwrap();
    place.terminal.container_memory = 300;
    let second = place.start("changed").await;
    assert_eq!(Some(&id), second.container_id().await.as_ref());
    assert!(
        second.notes().iter().any(|note| note.contains("(limits) and is kept while in use")),
        "{:?}",
        second.notes()
    );
    first.close().await.unwrap();
    second.close().await.unwrap();
    let third = place.start("changed").await;
    assert_ne!(Some(&id), third.container_id().await.as_ref());
    assert!(third.notes().iter().any(|note| note.contains("(limits) and has been replaced")), "{:?}", third.notes());
    let memory = "cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes";
    assert_eq!(output(&third, memory).await, (300u64 << 20).to_string());
    third.close().await.unwrap();
    assert_eq!(place.containers().len(), 1);
}

#[tokio::test]
async fn a_network_that_must_not_be_is_never_kept() {
    let mut place = Place::new();
    let first = place.start("network").await;
    place.terminal.docker_network = false;
    let refused = DockerEnvironment::start(&place.settings("network"), &Arc::new(OrphanSweep::new())).await;
    let error = refused.map(drop).unwrap_err().to_string();
    assert!(error.contains("has a network, none is configured"), "{error}");
    first.close().await.unwrap();
    let second = place.start("network").await;
    assert_eq!(output(&second, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").await, "lo");
    second.close().await.unwrap();
}
