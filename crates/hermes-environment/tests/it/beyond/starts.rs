//! Starts that fail, and settings that cannot be meant.

use std::time::Duration;

use hermes_environment::docker::Container;
use hermes_testkit::Answer;

use crate::support::Fixture;

#[test]
fn a_failed_run_leaves_no_container_behind() {
    let fixture = Fixture::new("failing");
    fixture.fake.answers("run", Answer::failing("docker: Error response from daemon: no such image"));
    let error = Container::acquire(&fixture.settings()).unwrap_err().to_string();
    assert!(error.contains("python:3.11") && error.contains("no such image"), "{error}");
    let run = fixture.fake.run_call();
    assert_eq!(fixture.fake.calls().last().unwrap().text(), format!("rm -f {}", run.values("--name")[0]));
}

#[test]
fn a_run_that_names_no_container_is_a_failed_one() {
    let fixture = Fixture::new("silent");
    fixture.fake.answers("run", Answer::of(""));
    let error = Container::acquire(&fixture.settings()).unwrap_err().to_string();
    assert!(error.contains("did not say which"), "{error}");
    assert_eq!(fixture.fake.calls_of("rm").len(), 1);
}

#[test]
fn a_broken_probe_means_a_fresh_container() {
    let fixture = Fixture::new("probe");
    fixture.fake.answers("ps", Answer::failing("engine is busy"));
    assert_eq!(fixture.acquire().id(), "fake-container-id");
}

#[test]
fn a_network_is_off_or_configured_but_not_both() {
    let mut fixture = Fixture::new("network");
    fixture.terminal.docker_network = false;
    fixture.terminal.docker_extra_args = vec!["--network".to_owned(), "host".to_owned()];
    let error = fixture.try_settings().unwrap_err().to_string();
    assert!(error.contains("docker_network is off") && error.contains("--network host"), "{error}");
    fixture.terminal.docker_extra_args = vec!["--network=none".to_owned()];
    fixture.try_settings().unwrap();
}

#[test]
fn docker_from_snap_gets_what_it_takes() {
    let mut fixture = Fixture::new("snap");
    fixture.terminal.docker_snap_compat = true;
    let _container = fixture.acquire();
    let run = fixture.fake.run_call();
    assert!(!run.text().contains("--init") && !run.text().contains("no-new-privileges"), "{run:?}");
}

#[test]
fn a_place_of_the_host_is_not_one_in_the_container() {
    let check = |cwd: &str, expected: &str| {
        let mut fixture = Fixture::new("cwd");
        fixture.terminal.cwd = cwd.to_owned();
        let _container = fixture.acquire();
        assert_eq!(fixture.fake.run_call().values("-w"), [expected], "{cwd}");
    };
    check(".", "/root");
    check("~", "/root");
    check("~/x", "/root/x");
    check("/srv/app", "/srv/app");
    check("/home/me/project", "/root");
    check("relative", "/root");
}

#[test]
fn processes_with_one_shared_key_have_one_label_whatever_their_profile() {
    let label = |profile: Option<&str>| {
        let mut fixture = Fixture::new("task");
        fixture.profile = profile.map(str::to_owned);
        fixture.terminal.docker_shared_container_key = "team/one".to_owned();
        fixture.acquire().labels().clone()
    };
    assert_eq!(label(None), label(Some("coder")));
    assert!(label(None).profile().starts_with("team_one-"));
}

#[tokio::test]
async fn a_container_that_others_use_is_not_stopped_under_them() {
    let fixture = Fixture::new("shared");
    let (one, other) = (fixture.acquire(), fixture.acquire());
    one.custody().cleanup();
    assert!(one.custody().wait_for_cleanup(Duration::from_secs(20)).await);
    assert_eq!(fixture.fake.calls_of("stop"), []);
    other.custody().cleanup();
    assert!(other.custody().wait_for_cleanup(Duration::from_secs(20)).await);
    assert_eq!(fixture.fake.calls_of("stop").len(), 1);
}

/// Whoever is cancelled between the start and the end still cleans up.
#[test]
fn a_dropped_container_is_cleaned_up() {
    let mut fixture = Fixture::new("dropped");
    fixture.terminal.docker_persist_across_processes = false;
    fixture.fake.holds("rm");
    drop(fixture.acquire());
    // Returns when the removal has begun.
    fixture.fake.release("rm");
    assert_eq!(fixture.fake.calls_of("rm")[0].text(), "rm -f fake-container-id");
}
