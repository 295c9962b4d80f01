//! The document and the routes are the same list. What is behind each is asked with schemathesis, against the real binary.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::served::{Served, ground};

const METHODS: [&str; 5] = ["get", "post", "patch", "put", "delete"];

#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_documented_and_every_documented_route_is_there() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let document = served.caller().get("/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let documented = document["paths"].as_object().unwrap();
    let documented: BTreeSet<(String, String)> = documented
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(move |method| (path.clone(), method.clone())))
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/platforms/api");
    let mut routed = BTreeSet::new();
    read_routes(&folder, &mut routed);
    assert!(routed.len() > 15, "{routed:?}");
    assert_eq!(documented, routed);
    references(&document, &document);
    served.running.stop().await;
}

/// The routes that the sources name: `.route("PATH", get(…).post(…))`.
fn read_routes(folder: &Path, found: &mut BTreeSet<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_routes(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for piece in text.split(".route(\"").skip(1) {
                let (route, rest) = piece.split_once('"').unwrap();
                let line = rest.lines().next().unwrap();
                let is_used =
                    |method: &str| line.contains(&format!(" {method}(")) || line.contains(&format!(").{method}("));
                let used = METHODS.into_iter().filter(|method| is_used(method));
                found.extend(used.map(|method| (route.to_owned(), method.to_owned())));
            }
        }
    }
}

/// Every reference leads somewhere.
fn references(document: &Value, within: &Value) {
    match within {
        Value::Object(fields) => {
            if let Some(Value::String(target)) = fields.get("$ref") {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{target} is not there");
            }
            fields.values().for_each(|value| references(document, value));
        }
        Value::Array(all) => all.iter().for_each(|value| references(document, value)),
        _ => {}
    }
}
