//! `hermes sandbox status`: the layers, as proven here and now, and what `hermes exec` says of them.

use std::collections::BTreeMap;
use std::os::unix::fs::chown;

use serde_json::Value;

use crate::support::{Run, STRANGER, Sandbox, finish, is_root};

/// Who runs the program. An ordinary user may lack layers that root has.
#[derive(Debug, Clone, Copy)]
enum Who {
    Tester,
    Ordinary,
}

/// Runs the program in a folder of its own beside a home with this configuration.
fn run(who: Who, config: &str, arguments: &[&str]) -> Run {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", config);
    let workspace = sandbox.home().with_file_name("work");
    std::fs::create_dir(&workspace).unwrap();
    let mut command = match who {
        Who::Tester => sandbox.command(arguments),
        Who::Ordinary => sandbox.command_as_ordinary_user(&[], arguments),
    };
    if is_root() && matches!(who, Who::Ordinary) {
        for path in [sandbox.home(), sandbox.file("config.yaml"), workspace.clone()] {
            chown(path, Some(STRANGER), Some(STRANGER)).unwrap();
        }
    }
    finish(command.current_dir(workspace).spawn().unwrap())
}

/// The state of every layer, by its name in JSON.
fn states(who: Who, config: &str) -> BTreeMap<String, String> {
    let run = run(who, config, &["sandbox", "status", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let layers = report["layers"].as_array().unwrap();
    layers.iter().map(|line| (text(&line["layer"]), text(&line["state"]))).collect()
}

fn missing(who: Who) -> Vec<String> {
    states(who, "").into_iter().filter(|(_, state)| state == "missing").map(|(layer, _)| layer).collect()
}

#[test]
fn every_layer_is_proven_or_said_to_be_missing() {
    for who in [Who::Tester, Who::Ordinary] {
        let states = states(who, "");
        assert_eq!(states.len(), 12);
        assert_eq!(states["network"], "open");
        let mut others = states.iter().filter(|(layer, _)| *layer != "network");
        assert!(others.all(|(_, state)| state == "proven" || state == "missing"), "{states:?}");
        for always in ["no_new_privileges", "seccomp", "landlock"] {
            assert_eq!(states[always], "proven", "{always}");
        }
    }
}

#[test]
fn the_table_says_the_same_as_the_json() {
    let config = "terminal:\n  sandbox_network: on\n";
    let run = run(Who::Tester, config, &["sandbox", "status"]);
    assert_eq!(run.code, 0, "{run:?}");
    let mut shown: Vec<_> = run.stdout.lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    let mut expected: Vec<_> = states(Who::Tester, config).into_values().collect();
    shown.sort();
    expected.sort();
    assert_eq!(shown, expected);
    let network = run.stdout.lines().find(|line| line.contains(" network ")).unwrap();
    assert!(network.starts_with("open ") && network.contains("terminal.sandbox_network"), "{network}");
    assert!(!run.stdout.contains("switched off"), "{}", run.stdout);
}

#[test]
fn a_closed_network_is_a_layer_like_others() {
    assert_eq!(states(Who::Tester, "terminal:\n  sandbox_network: off\n")["network"], "proven");
}

#[test]
fn without_a_sandbox_every_layer_is_off() {
    let config = "terminal:\n  sandbox: off\n  sandbox_network: off\n";
    let run = run(Who::Tester, config, &["sandbox", "status"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.stdout.lines().all(|line| line.starts_with("off ") && line.ends_with("by terminal.sandbox")),
        "{run:?}"
    );
    assert_eq!(states(Who::Tester, "terminal:\n  sandbox: off\n")["network"], "open");
}

/// On a machine that lacks a layer `strict` is refused with the reason; on any other it is proven.
#[test]
fn strict_is_all_or_nothing() {
    for who in [Who::Tester, Who::Ordinary] {
        let run = run(who, "terminal:\n  sandbox: strict\n", &["sandbox", "status"]);
        if missing(who).is_empty() {
            assert_eq!(run.code, 0, "{run:?}");
        } else {
            assert_eq!(run.code, 78, "{run:?}");
            assert!(run.stderr.contains("isolation is incomplete"), "{run:?}");
            assert!(run.stdout.is_empty(), "{run:?}");
        }
    }
}

/// One line for each on standard error, or a list in the JSON; never both.
#[test]
fn exec_says_what_is_missing() {
    for who in [Who::Tester, Who::Ordinary] {
        let missing = missing(who);
        let shown = run(who, "", &["exec", "-c", "echo out"]);
        assert_eq!((shown.code, shown.stdout.as_str()), (0, "out\n"), "{shown:?}");
        assert_eq!(
            shown.stderr.lines().filter(|line| line.starts_with("note: no ")).count(),
            missing.len(),
            "{shown:?}"
        );
        let told = run(who, "", &["exec", "--json", "-c", "echo out"]);
        assert_eq!(told.stderr, "", "{told:?}");
        let object: Value = serde_json::from_str(&told.stdout).unwrap();
        let listed = object["isolation_missing"].as_array().unwrap();
        let mut layers: Vec<_> = listed.iter().map(|one| one["layer"].as_str().unwrap()).collect();
        layers.sort_unstable();
        assert_eq!(layers, missing);
        assert!(listed.iter().all(|one| !one["reason"].as_str().unwrap().is_empty()), "{object}");
    }
}
