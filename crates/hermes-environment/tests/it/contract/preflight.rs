//! Finding the program and asking its engine.

use std::ffi::OsString;

use hermes_environment::docker::{Client, Container, Search};

use crate::logged::logged;
use crate::support::Fixture;

fn nowhere() -> Search {
    Search { named: None, path: OsString::new(), known: Vec::new(), environment: Vec::new() }
}

#[test]
fn test_ensure_docker_available_logs_and_raises_when_not_found() {
    let (outcome, log) = logged(|| Client::connect(&nowhere()));
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("Docker executable not found in PATH or known install locations"), "{error}");
    assert!(log.contains("ERROR"), "{log}");
    assert!(log.contains("no docker executable was found in PATH or known install locations"), "{log}");

    // The environment says the same, before it calls anything.
    let mut fixture = Fixture::new("test-task");
    fixture.variables = vec![("HERMES_DOCKER_BINARY".to_owned(), "/nowhere/docker".to_owned())];
    let error = Container::acquire(&fixture.settings()).unwrap_err().to_string();
    assert!(error.contains("Docker executable not found in PATH or known install locations"), "{error}");
    assert!(error.contains("/nowhere/docker"), "{error}");
    assert_eq!(fixture.fake.calls(), []);
}

#[test]
fn test_ensure_docker_available_logs_and_raises_on_timeout() {
    let fixture = Fixture::new("test-task");
    fixture.fake.hangs("version");
    let (outcome, log) = logged(|| Container::acquire(&fixture.settings()));
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("Docker daemon is not responding"), "{error}");
    let expected = format!("{} version' timed out", fixture.fake.program().display());
    assert!(log.contains(&expected), "{log}");
    assert_eq!(fixture.fake.calls().len(), 1, "nothing else is asked");
}

#[test]
fn test_ensure_docker_available_uses_resolved_executable() {
    let fixture = Fixture::new("test-task");
    let search = Search { known: vec!["/nowhere/docker".into(), fixture.fake.program()], ..nowhere() };
    Client::connect(&search).unwrap();
    let calls: Vec<_> = fixture.fake.calls().into_iter().map(|call| call.arguments).collect();
    assert_eq!(calls, [["version"]]);
}

#[test]
fn an_engine_that_refuses_and_a_program_that_is_none_are_told_apart() {
    let check = |prepare: &dyn Fn(&Fixture), expected: &str, hint: &str| {
        let fixture = Fixture::new("test-task");
        prepare(&fixture);
        let (outcome, log) = logged(|| Container::acquire(&fixture.settings()));
        let error = outcome.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(hermes_proto::Explain::hint(&error).unwrap().contains(hint), "{error:?}");
        assert!(log.contains("ERROR"), "{log}");
    };
    let refuses = |fixture: &Fixture| {
        fixture.fake.answers("version", hermes_testkit::Answer::failing("Cannot connect to the Docker daemon"));
    };
    check(&refuses, "Docker command is available but 'docker version' failed", "start the daemon");
    check(&refuses, "Cannot connect to the Docker daemon", "start the daemon");
    let is_none = |fixture: &Fixture| {
        let program = fixture.fake.program();
        std::fs::remove_file(&program).unwrap();
        std::fs::write(&program, "#!/nowhere/interpreter\n").unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    check(&is_none, "Docker executable could not be executed", "check the mode");
}

#[test]
fn podman_is_taken_where_there_is_no_docker() {
    let podman = hermes_testkit::FakeDocker::named("podman");
    let search = Search { path: podman.folder().into(), ..nowhere() };
    Client::connect(&search).unwrap();
    assert_eq!(podman.calls().len(), 1);
    let named = Search { named: Some("podman".into()), ..search };
    Client::connect(&named).unwrap();
    assert_eq!(podman.calls().len(), 2);
}
