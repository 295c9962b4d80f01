//! A permit for something else starts nothing, and what was permitted is recorded to its end.

use std::sync::Arc;

use hermes_approval::{Moment, Place};
use hermes_environment::CommandText;
use hermes_environment::docker::{DockerEnvironment, DockerError, OrphanSweep};
use hermes_policy::Isolation;
use hermes_proto::Secret;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::StartJob;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use hermes_testkit::{Answer, Permits};

use crate::logged::logged;
use crate::support::Fixture;

fn turn() -> TurnContext {
    TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)))
}

/// Without an executor, so that every command is a call that the fake records.
fn fixture(task: &str) -> Fixture {
    let mut fixture = Fixture::new(task);
    fixture.terminal.docker_orphan_reaper = false;
    fixture
}

async fn start(fixture: &Fixture) -> DockerEnvironment {
    DockerEnvironment::start(&fixture.settings(), &Arc::new(OrphanSweep::new())).await.unwrap().0
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Tries a command in one environment with a permit that was made for another place or moment.
fn refused(expected: &str, permitted: impl FnOnce(&Place, &Place, &TurnContext) -> (Place, TurnContext)) {
    let (fixture, other) = (fixture("one"), fixture("other"));
    let permits = Permits::new();
    let (outcome, log) = logged(|| {
        block_on(async {
            let (environment, other) = (start(&fixture).await, start(&other).await);
            let own = turn();
            let (place, permitted_turn) = permitted(&environment.place(), &other.place(), &own);
            let permit = permits.of(&permitted_turn, &place, CommandText::new("echo hello"));
            environment.run(&own, permit, &mut |_| ()).await
        })
    });
    let error = outcome.unwrap_err();
    assert!(matches!(error, DockerError::Permit(_)) && error.to_string().contains(expected), "{error}");
    assert_eq!(fixture.fake.calls_of("exec"), []);
    assert_eq!(permits.journal.starts(), 0);
    assert!(log.contains("a permit was not taken, and nothing was started"), "{log}");
    assert!(log.contains(expected) && !log.contains("echo hello"), "{log}");
}

#[test]
fn a_permit_for_another_environment_is_refused() {
    refused("another environment", |_, other, turn| (other.clone(), turn.clone()));
}

#[test]
fn a_permit_of_another_turn_is_refused() {
    refused("another turn", |own, _, _| (own.clone(), turn()));
}

#[test]
fn a_permit_ends_with_its_turn() {
    refused("turn is over", |own, _, turn| {
        // The one who finishes it may hold any clone.
        turn.clone().finish();
        (own.clone(), turn.clone())
    });
}

#[tokio::test]
async fn start_and_end_are_recorded_where_there_is_no_executor() {
    let fixture = fixture("recorded");
    fixture.fake.answers("exec", Answer { stdout: "printed\n".to_owned(), code: 7, ..Answer::default() });
    let (environment, permits, turn) = (start(&fixture).await, Permits::new(), turn());
    let permit = permits.of(&turn, &environment.place(), CommandText::new("echo hello"));
    environment.run(&turn, permit, &mut |_| ()).await.unwrap();
    let moments: Vec<_> = permits.journal.entries().into_iter().map(|entry| entry.moment).collect();
    let ended = Moment::Ended { outcome: "exit 7".to_owned() };
    assert_eq!(moments[2..], [Moment::Started, ended]);
    assert!(permits.journal.entries().iter().all(|entry| entry.place == "container recorded (python:3.11)"));
    // What cannot be done is not left open in the record.
    let job = StartJob {
        command: "true".to_owned(),
        environment: Vec::new(),
        working_directory: None,
        terminal: None,
        notify_on_complete: false,
        watch_patterns: Vec::new(),
        persists: false,
    };
    let permit = permits.of(&turn, &environment.place(), job);
    environment.start_job(&turn, permit).await.unwrap_err();
    assert!(permits.journal.ends()[1].contains("needs the executor"), "{:?}", permits.journal.ends());
}

#[tokio::test]
async fn a_first_input_stands_in_no_argument_and_in_no_record() {
    let fixture = fixture("secret");
    let (environment, permits, turn) = (start(&fixture).await, Permits::new(), turn());
    let command = CommandText { first_input: Some(Secret::new("hunter2\n")), ..CommandText::new("read -r password") };
    let permit = permits.of(&turn, &environment.place(), command);
    assert!(!format!("{permit:?}").contains("hunter2"));
    environment.run(&turn, permit, &mut |_| ()).await.unwrap();
    let exec = &fixture.fake.calls_of("exec")[0];
    assert!(exec.text().starts_with("exec -i -w /root "), "{exec:?}");
    assert!(!format!("{:?}{:?}", fixture.fake.calls(), permits.journal.entries()).contains("hunter2"));
}

/// Should it ever be started, `true ||` keeps it from doing what it is refused for.
#[tokio::test]
async fn a_command_is_judged_by_the_folder_it_would_run_in() {
    let fixture = fixture("folder");
    let (environment, permits, turn) = (start(&fixture).await, Permits::new(), turn());
    let check = |folder: &str, is_allowed: bool| {
        let text = "true || rm -rf ./*";
        let command = CommandText { working_directory: Some(folder.to_owned()), ..CommandText::new(text) };
        let permit = permits.guard.permit_typed(&turn, &environment.place(), command);
        assert_eq!(permit.is_ok(), is_allowed, "{folder:?}");
    };
    check("/root/project", true);
    check("project", true);
    check("/", false);
    check("..", false);
    check("project/../..", false);
    check("/root/..", false);
}

#[tokio::test]
async fn a_container_says_what_it_sees_of_the_host() {
    let check = async |expected: Isolation, change: &dyn Fn(&mut Fixture)| {
        let mut fixture = fixture("isolation");
        change(&mut fixture);
        let place = start(&fixture).await.place();
        assert_eq!(place.isolation, expected);
        assert_eq!(place.context.home.as_deref(), Some("/root"));
        assert_eq!(place.context.folder.as_deref(), Some("/root"));
    };
    let volume = |text: &'static str| move |fixture: &mut Fixture| fixture.terminal.docker_volumes = vec![text.into()];
    check(Isolation::Container, &|_| ()).await;
    check(Isolation::Container, &|fixture| fixture.terminal.container_persistent = true).await;
    check(Isolation::Container, &volume("named:/data")).await;
    check(Isolation::ContainerWithHostMount, &volume("/srv:/data:ro")).await;
    check(Isolation::ContainerWithHostMount, &volume("~/x:/data")).await;
    check(Isolation::ContainerWithHostMount, &|fixture| {
        fixture.terminal.docker_extra_args = vec!["--privileged".to_owned()];
    })
    .await;
    check(Isolation::ContainerWithHostMount, &|fixture| {
        fixture.host_directory = Some(fixture.project("work"));
        fixture.terminal.docker_mount_cwd_to_workspace = true;
    })
    .await;
    check(Isolation::Container, &|fixture| fixture.host_directory = Some(fixture.project("work"))).await;
}
