//! The same on a real engine: a container's life as a person sees it.

use serde_json::Value;

use crate::docker::{Place, output, quiet_hermes};

#[tokio::test]
async fn a_container_is_listed_stopped_and_pruned() {
    let place = Place::new();
    let environment = place.start("seen").await;
    output(&environment, "head -c 100000 /dev/urandom > /workspace/file").await;
    let id = environment.container_id().await.unwrap();
    let own = || {
        let listed: Value = serde_json::from_str(&quiet_hermes(&place, &["env", "list", "--json"])).unwrap();
        let own = listed.as_array().unwrap().iter().find(|one| one["profile"] == place.profile.as_str()).cloned();
        own.map(|one| (one["state"].clone(), one["files_bytes"].as_u64().unwrap_or_default(), one["id"].clone()))
    };
    let (state, bytes, shown) = own().unwrap();
    assert_eq!((state, shown), ("running".into(), id[..12].into()));
    assert!(bytes >= 100_000, "{bytes}");
    quiet_hermes(&place, &["env", "stop", "seen"]);
    assert_eq!(own().unwrap().0, "exited");
    let pruned = quiet_hermes(&place, &["env", "prune", "--json"]);
    assert_eq!(pruned.trim(), format!("[\"{}\"]", &id[..12]));
    assert_eq!(own(), None);
    assert_eq!(place.containers(), Vec::<String>::new());
    drop(environment);
}
