//! The three labels.

use hermes_environment::docker::sanitized;

use crate::support::Fixture;

#[test]
fn test_run_command_tags_hermes_agent_label() {
    let fixture = Fixture::new("my-task");
    let _container = fixture.acquire();
    assert!(fixture.fake.run_call().values("--label").contains(&"hermes-agent=1"));
}

#[test]
fn test_run_command_tags_task_and_profile_labels() {
    let mut fixture = Fixture::new("kanban-42");
    fixture.profile = Some("research-bot".to_owned());
    let _container = fixture.acquire();
    let run = fixture.fake.run_call();
    let labels = run.values("--label");
    assert_eq!(labels, ["hermes-agent=1", "hermes-task-id=kanban-42", "hermes-profile=research-bot"]);
}

#[test]
fn test_label_sanitizer_rejects_invalid_characters() {
    for (value, expected) in [
        ("plain-name_1.0", "plain-name_1.0"),
        ("with/slash", "with_slash"),
        ("with:colon", "with_colon"),
        ("emoji-😀-here", "emoji-_-here"),
        ("", "unknown"),
    ] {
        assert_eq!(sanitized(value), expected);
    }
    assert_eq!(sanitized(&"x".repeat(100)).len(), 63);
}

#[test]
fn test_run_command_sanitizes_unsafe_task_id() {
    let fixture = Fixture::new("task/with:weird*chars");
    let _container = fixture.acquire();
    assert!(fixture.fake.run_call().values("--label").contains(&"hermes-task-id=task_with_weird_chars"));
}

#[test]
fn test_labels_attribute_populated_after_init() {
    let fixture = Fixture::new("abc");
    let container = fixture.acquire();
    let expected = [("hermes-agent", "1"), ("hermes-task-id", "abc"), ("hermes-profile", "default")];
    assert_eq!(container.labels().pairs(), expected);
}
