//! Who may know whom: the arrows of the architecture, read from `cargo metadata`.
//!
//! A crate declares its layer in its manifest (`package.metadata.hermes.layer`) and
//! may use only crates of lower layers. Rules that nobody checks are broken by the
//! third person in a hurry, and a check that silently skips a crate is worse.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, Metadata, Package};
use serde::Deserialize;

/// Where a crate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Layer {
    /// Part of the product: uses only what is below it.
    Product(u8),
    /// Beside the product.
    Beside(Beside),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Beside {
    /// Used by tests only.
    Test,
    /// Used by nobody.
    Tool,
}

/// An arrow that points the wrong way and is meant to, for now.
#[derive(Debug, Clone, Deserialize)]
struct Exception {
    from: String,
    to: String,
    reason: String,
}

/// What the check saw.
#[derive(Debug, Default)]
struct Report {
    crates_checked: usize,
    arrows_checked: usize,
    wrong: Vec<String>,
}

fn check(metadata: &Metadata) -> Report {
    let packages = metadata.workspace_packages();
    let mut report = Report::default();
    let mut layers = BTreeMap::new();
    for package in &packages {
        match declared(package) {
            Ok(layer) => {
                layers.insert(package.name.to_string(), layer);
                report.crates_checked += 1;
            }
            Err(problem) => report.wrong.push(problem),
        }
    }
    let exceptions = exceptions(metadata, &mut report);
    let mut used = vec![false; exceptions.len()];
    for package in &packages {
        for dependency in &package.dependencies {
            let (Some(from), Some(to)) = (layers.get(&package.name.to_string()), layers.get(&dependency.name)) else {
                continue;
            };
            report.arrows_checked += 1;
            if allowed(*from, *to, dependency.kind) {
                continue;
            }
            let excused = exceptions.iter().position(|e| e.from == package.name.as_str() && e.to == dependency.name);
            match excused {
                Some(index) => used[index] = true,
                None => {
                    let (user, used) = (&package.name, &dependency.name);
                    report.wrong.push(format!("{user} ({from:?}) must not use {used} ({to:?})"));
                }
            }
        }
    }
    for (exception, used) in exceptions.iter().zip(used) {
        if !used {
            report.wrong.push(format!("stale exception {} -> {}: {}", exception.from, exception.to, exception.reason));
        }
    }
    report
}

fn declared(package: &Package) -> Result<Layer, String> {
    let value = &package.metadata["hermes"]["layer"];
    Layer::deserialize(value)
        .map_err(|_| format!("{}: package.metadata.hermes.layer is missing or unknown: {value}", package.name))
}

fn exceptions(metadata: &Metadata, report: &mut Report) -> Vec<Exception> {
    let value = &metadata.workspace_metadata["hermes"]["layer-exceptions"];
    if value.is_null() {
        return Vec::new();
    }
    Deserialize::deserialize(value).unwrap_or_else(|error| {
        report.wrong.push(format!("workspace.metadata.hermes.layer-exceptions: {error}"));
        Vec::new()
    })
}

fn allowed(from: Layer, to: Layer, kind: DependencyKind) -> bool {
    match (from, to) {
        (_, Layer::Beside(Beside::Tool)) => false,
        (Layer::Beside(Beside::Tool), _) => true,
        (Layer::Product(_), Layer::Beside(Beside::Test)) => kind == DependencyKind::Development,
        (Layer::Beside(Beside::Test), _) => true,
        (Layer::Product(from), Layer::Product(to)) => to < from,
    }
}

#[cfg(test)]
mod tests {
    use super::{Beside, Layer, allowed, check};
    use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

    fn workspace() -> Metadata {
        MetadataCommand::new().no_deps().exec().unwrap()
    }

    /// The check must see every folder of `crates/`, not only those cargo happened to list.
    #[test]
    fn arrows_point_one_way_and_every_crate_is_checked() {
        let metadata = workspace();
        let folders = std::fs::read_dir(metadata.workspace_root.join("crates")).unwrap().count();
        let report = check(&metadata);
        assert_eq!(report.wrong, Vec::<String>::new());
        assert_eq!(report.crates_checked, folders);
        assert!(report.arrows_checked >= report.crates_checked - 1, "{report:?}");
    }

    #[test]
    fn an_arrow_to_the_left_is_found() {
        let mut metadata = workspace();
        let proto = metadata.packages.iter_mut().find(|package| package.name.as_str() == "hermes-proto").unwrap();
        proto.metadata["hermes"]["layer"] = 9.into();
        let report = check(&metadata);
        assert!(report.wrong.iter().any(|line| line.contains("must not use hermes-proto")), "{report:?}");
    }

    #[test]
    fn a_crate_without_a_layer_is_found() {
        let mut metadata = workspace();
        metadata.packages[0].metadata = serde_json::Value::Null;
        let report = check(&metadata);
        assert!(report.wrong[0].contains("missing or unknown"), "{report:?}");
    }

    #[test]
    fn a_stale_exception_is_found() {
        let mut metadata = workspace();
        metadata.workspace_metadata = serde_json::json!({"hermes": {"layer-exceptions": [
            {"from": "hermes-proto", "to": "hermes", "reason": "no longer needed"}
        ]}});
        let report = check(&metadata);
        assert_eq!(report.wrong, ["stale exception hermes-proto -> hermes: no longer needed"]);
    }

    #[test]
    fn who_may_use_whom() {
        let (low, high) = (Layer::Product(1), Layer::Product(2));
        let (test, tool) = (Layer::Beside(Beside::Test), Layer::Beside(Beside::Tool));
        for (from, to, kind, expected) in [
            (high, low, DependencyKind::Normal, true),
            (low, high, DependencyKind::Normal, false),
            (low, low, DependencyKind::Normal, false),
            (low, high, DependencyKind::Development, false),
            (high, test, DependencyKind::Development, true),
            (high, test, DependencyKind::Normal, false),
            (high, tool, DependencyKind::Development, false),
            (tool, high, DependencyKind::Normal, true),
            (test, high, DependencyKind::Normal, true),
        ] {
            assert_eq!(allowed(from, to, kind), expected, "{from:?} -> {to:?} ({kind:?})");
        }
    }
}
