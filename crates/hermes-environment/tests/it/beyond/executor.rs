//! The executor in the container: mounted, copied, or not to be had.

use std::sync::Arc;

use hermes_environment::docker::{DockerEnvironment, DockerError, OrphanSweep};
use hermes_environment::{CommandText, JobQuery};
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use hermes_testkit::{Answer, permit};

use crate::support::Fixture;

fn turn() -> TurnContext {
    TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)))
}

/// Without the sweep, whose calls would come in between.
fn fixture(task: &str) -> Fixture {
    let mut fixture = Fixture::new(task);
    fixture.terminal.docker_orphan_reaper = false;
    fixture
}

async fn start(fixture: &Fixture) -> Result<DockerEnvironment, DockerError> {
    let program = fixture.project("build").join("program");
    std::fs::write(&program, "an executor").unwrap();
    let settings = fixture.settings_with(&program);
    DockerEnvironment::start(&settings, &Arc::new(OrphanSweep::new())).await.map(|(environment, _)| environment)
}

#[tokio::test]
async fn one_that_cannot_run_is_copied_in_and_then_done_without() {
    let fixture = fixture("foreign");
    fixture.fake.answers("exec", Answer { stderr: "exec format error".to_owned(), code: 126, ..Answer::default() });
    let environment = start(&fixture).await.unwrap();
    let mounted = fixture.fake.run_call().values("-v").join(" ");
    assert!(mounted.contains("/cache/executor/") && mounted.ends_with(":/opt/hermes-executor:ro"), "{mounted}");
    let name = mounted.split("/cache/executor/").nth(1).unwrap().split(':').next().unwrap().to_owned();
    let after_run: Vec<String> = fixture
        .fake
        .calls()
        .iter()
        .map(|call| call.text())
        .skip_while(|call| !call.starts_with("run"))
        .skip(1)
        .collect();
    assert_eq!(after_run[0], "exec -i fake-container-id /opt/hermes-executor/hermes executor");
    assert!(after_run[1].starts_with("cp ") && after_run[1].ends_with(&format!(":/opt/hermes-executor-{name}")));
    assert_eq!(after_run[2], format!("exec -i fake-container-id /opt/hermes-executor-{name}/hermes executor"));
    let told = environment.notes().join("\n");
    assert!(told.contains("docker exec of its own") && told.contains("exec format error"), "{told}");
    let refused = environment.job(&turn(), JobQuery::List).await.unwrap_err();
    assert!(refused.to_string().contains("needs the executor"), "{refused}");
    environment.close().await.unwrap();
}

#[tokio::test]
async fn without_an_executor_no_value_stands_on_a_command_line() {
    let mut fixture = fixture("each");
    fixture.terminal.docker_forward_env = vec!["TOKEN".to_owned()];
    fixture.variables = vec![("TOKEN".to_owned(), "very-secret".to_owned())];
    fixture.fake.answers("exec", Answer { stdout: "printed\n".to_owned(), code: 7, ..Answer::default() });
    let sweep = Arc::new(OrphanSweep::new());
    let environment = DockerEnvironment::start(&fixture.settings(), &sweep).await.unwrap().0;
    let mut seen = Vec::new();
    let command = CommandText::new("echo $TOKEN");
    let turn = turn();
    let permit = permit(&turn, &environment.place(), command);
    let result = environment.run(&turn, permit, &mut |bytes| seen.extend_from_slice(bytes)).await.unwrap();
    assert_eq!((result.output.as_str(), result.exit_code), ("printed\n", 7));
    assert_eq!(seen, b"printed\n");
    assert!(result.notes[0].contains("remembers nothing"), "{result:?}");
    let exec = &fixture.fake.calls_of("exec")[0];
    assert!(exec.text().starts_with("exec -w /root -e TOKEN fake-container-id sh -c "), "{exec:?}");
    assert!(!fixture.fake.calls().iter().any(|call| call.text().contains("very-secret")));
    environment.close().await.unwrap();
    assert!(matches!(environment.job(&turn, JobQuery::List).await, Err(DockerError::Closed)));
}

#[tokio::test]
async fn a_container_that_never_runs_is_tried_twice_and_removed() {
    let fixture = fixture("dying");
    fixture.fake.answers("exec", Answer::failing("Error response from daemon: container fake is not running"));
    let error = start(&fixture).await.unwrap_err().to_string();
    assert!(error.contains("is not running"), "{error}");
    assert_eq!((fixture.fake.calls_of("run").len(), fixture.fake.calls_of("rm").len()), (2, 2));
    assert_eq!(fixture.fake.calls_of("cp"), [], "a copy would not help");
}
