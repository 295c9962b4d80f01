//! What the engine is asked, and how its answers are shown.

use std::process::Command;

use hermes_testkit::{Answer, FakeDocker};
use serde_json::Value;

use crate::support::{Run, Sandbox, finish};

fn container(id: &str, task: &str, profile: &str, state: &str) -> String {
    format!(
        r#"{{"id":"{id}","name":"/hermes-{id}","image":"debian","labels":{{"hermes-agent":"1","hermes-task-id":"{task}","hermes-profile":"{profile}"}},"state":"{state}","created":"2024-02-29T00:00:00.5Z","finished":"0001-01-01T00:00:00Z"}}"#
    )
}

fn with(containers: &[String]) -> (Sandbox, FakeDocker) {
    let fake = FakeDocker::new();
    let ids: Vec<&str> = containers.iter().map(|line| line.split('"').nth(3).unwrap()).collect();
    fake.answers("ps", Answer::of(ids.join("\n")));
    fake.answers("inspect", Answer::of(containers.join("\n")));
    (Sandbox::new(), fake)
}

fn run(place: &(Sandbox, FakeDocker), arguments: &[&str]) -> Run {
    let mut command: Command = place.0.command(arguments);
    command.env("PATH", place.1.folder());
    finish(command.spawn().unwrap())
}

fn called(place: &(Sandbox, FakeDocker), verb: &str) -> Vec<String> {
    place.1.calls_of(verb).iter().map(hermes_testkit::Call::text).collect()
}

fn three() -> (Sandbox, FakeDocker) {
    with(&[
        container("aaaa1111aaaa1111", "default", "default", "running"),
        container("bbbb2222bbbb2222", "default", "coder", "running"),
        container("cccc3333cccc3333", "old", "default", "exited"),
    ])
}

#[test]
fn a_list_shows_all_owners_in_lines_and_in_json() {
    let place = three();
    let shown = run(&place, &["env", "list"]).stdout;
    let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["ID", "STATE", "AGE", "PROFILE", "TASK", "IMAGE", "FILES"]);
    assert_eq!((lines[1][0], lines[1][1], lines[1][3]), ("aaaa1111aaaa", "running", "default"));
    assert_eq!((lines[2][3], lines[3][1], lines[3][4]), ("coder", "exited", "old"));
    let json: Value = serde_json::from_str(&run(&place, &["env", "list", "--json"]).stdout).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 3);
    assert_eq!((&json[0]["id"], &json[0]["task"]), (&"aaaa1111aaaa".into(), &"default".into()));
    assert!(json[0]["age_seconds"].as_u64().unwrap() > 86_400, "{json}");
    // No template function that podman does not have.
    assert!(!place.1.calls().iter().any(|call| call.text().contains(".Label ")));
}

#[test]
fn nothing_to_list_is_an_empty_answer_and_one_call() {
    let place = with(&[]);
    let listed = run(&place, &["env", "list"]);
    assert_eq!((listed.code, listed.stdout.as_str()), (0, ""));
    assert_eq!(run(&place, &["env", "list", "--json"]).stdout, "[]\n");
    assert_eq!(called(&place, "inspect"), Vec::<String>::new());
}

#[test]
fn one_is_stopped_by_id_name_or_task_of_this_profile() {
    let check = |name: &str, expected: &[&str]| {
        let place = three();
        let stopped = run(&place, &["env", "stop", name, "--json"]);
        assert_eq!(called(&place, "stop"), expected, "{name}: {stopped:?}");
    };
    check("bbbb", &["stop -t 10 bbbb2222bbbb2222"]);
    check("hermes-bbbb2222bbbb2222", &["stop -t 10 bbbb2222bbbb2222"]);
    check("default", &["stop -t 10 aaaa1111aaaa1111"]);
    check("bbb", &[]);
    let place = three();
    let refused = run(&place, &["env", "stop", "absent"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("no environment \"absent\"") && refused.stderr.contains("hint: "), "{refused:?}");
}

#[test]
fn all_means_all_running_ones_of_this_profile() {
    let place = three();
    run(&place, &["env", "stop", "--all"]);
    assert_eq!(called(&place, "stop"), ["stop -t 10 aaaa1111aaaa1111"]);
    let place = three();
    let stopped = run(&place, &["env", "stop", "--all", "--all-profiles", "--json"]);
    assert_eq!(stopped.stdout, "[\"aaaa1111aaaa\",\"bbbb2222bbbb\"]\n");
    assert_eq!(run(&place, &["env", "stop"]).code, 2);
    assert_eq!(run(&place, &["env", "stop", "x", "--all"]).code, 2);
}

#[test]
fn only_what_is_over_is_pruned_and_never_by_force() {
    let place = three();
    let pruned = run(&place, &["env", "prune", "--json"]);
    assert_eq!(pruned.stdout, "[\"cccc3333cccc\"]\n");
    assert_eq!(called(&place, "rm"), ["rm cccc3333cccc3333"]);
}

#[test]
fn one_failure_does_not_stop_the_rest_and_is_told() {
    let place = with(&[
        container("aaaa1111aaaa1111", "a", "default", "exited"),
        container("bbbb2222bbbb2222", "b", "default", "dead"),
    ]);
    place.1.answers("rm", Answer::failing("device or resource busy"));
    let pruned = run(&place, &["env", "prune"]);
    assert_eq!((pruned.code, called(&place, "rm").len()), (1, 2));
    assert!(pruned.stderr.contains("device or resource busy") && pruned.stderr.contains("removed 0"), "{pruned:?}");
}

#[test]
fn an_engine_that_does_not_answer_is_told_with_a_hint() {
    let place = with(&[]);
    place.1.answers("version", Answer::failing("Cannot connect to the Docker daemon"));
    let refused = run(&place, &["env", "list"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("'docker version' failed") && refused.stderr.contains("hint: "), "{refused:?}");
}
