//! Containers and executors that die, and starts that fail.

use std::sync::Arc;
use std::time::Duration;

use hermes_environment::CommandText;
use hermes_environment::docker::{DockerEnvironment, OrphanSweep, RECREATED};
use hermes_proto::Secret;
use hermes_proto::executor::CommandResult;

use super::support::{IMAGE, Place, docker, output, run, told, try_run, turn};

/// The result of a command after the executor died. The end of its link is an event that may
/// reach the session before this command or in the middle of it: then it fails, and the next
/// one finds the new place.
async fn run_after_death(environment: &DockerEnvironment, text: &str) -> CommandResult {
    match try_run(environment, &turn(), CommandText::new(text), &mut |_| ()).await {
        Ok(result) => result,
        Err(_) => run(environment, text).await,
    }
}

#[tokio::test]
async fn a_container_that_was_removed_between_commands_is_made_anew_once_and_told() {
    let place = Place::new();
    let environment = place.start("removed").await;
    let id = environment.container_id().await.unwrap();
    output(&environment, "echo kept > /root/file; export GONE=1").await;
    told(&["rm", "-f", &id]);
    let result = run_after_death(&environment, "cat /root/file; echo ${GONE-unset}").await;
    assert_eq!(result.output, "kept\nunset\n");
    assert!(result.notes.iter().any(|note| note.starts_with(RECREATED) && note.contains("made anew")), "{result:?}");
    let next = run(&environment, "true").await;
    assert!(!next.notes.iter().any(|note| note.starts_with(RECREATED)), "said once: {next:?}");
    environment.close().await.unwrap();
}

#[tokio::test]
async fn an_executor_that_was_killed_is_started_again_in_the_same_container() {
    let place = Place::new();
    let environment = place.start("killed").await;
    let id = environment.container_id().await.unwrap();
    // A command may do that to its own executor, and loses its answer with it.
    let _ = try_run(
        &environment,
        &turn(),
        CommandText::new(
            "kill -9 $(ls /proc | while read p; do grep -qa 'executor$' /proc/$p/cmdline 2>/dev/null && echo $p; done)",
        ),
        &mut |_| (),
    )
    .await;
    told(&[
        "exec",
        &id,
        "sh",
        "-c",
        "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline | grep -q '[h]ermes executor' && kill -9 ${p#/proc/}; done; true",
    ]);
    let result = run_after_death(&environment, "echo alive").await;
    assert_eq!(result.output, "alive\n");
    assert!(
        result.notes.iter().any(|note| note.starts_with(RECREATED) && note.contains("executor had ended")),
        "{result:?}"
    );
    assert_eq!(Some(&id), environment.container_id().await.as_ref());
    environment.close().await.unwrap();
}

#[tokio::test]
async fn a_stopped_container_is_started_again_and_told() {
    let place = Place::new();
    let environment = place.start("stopped").await;
    told(&["stop", "-t", "1", &environment.container_id().await.unwrap()]);
    let result = run_after_death(&environment, "echo alive").await;
    assert!(result.notes.iter().any(|note| note.contains("had stopped and was started again")), "{result:?}");
    environment.close().await.unwrap();
}

#[tokio::test]
async fn a_second_failure_is_an_error() {
    let mut place = Place::new();
    place.terminal.docker_image = format!("hermes-test-{}", place.profile);
    told(&["tag", IMAGE, &place.terminal.docker_image]);
    let environment = place.start("twice").await;
    told(&["rm", "-f", &environment.container_id().await.unwrap()]);
    told(&["rmi", &place.terminal.docker_image]);
    let attempt =
        async || try_run(&environment, &turn(), CommandText::new("true"), &mut |_| ()).await.unwrap_err().to_string();
    let (first, second) = (attempt().await, attempt().await);
    assert!(first.contains("cannot be started") || second.contains("cannot be started"), "{first}; {second}");
    // The session is not lost: once the cause is gone, the next command works.
    told(&["tag", IMAGE, &place.terminal.docker_image]);
    let result = run(&environment, "echo back").await;
    assert!(result.output == "back\n" && result.notes.iter().any(|note| note.starts_with(RECREATED)), "{result:?}");
    environment.close().await.unwrap();
    told(&["rm", "-f", &place.containers()[0]]);
    told(&["rmi", &place.terminal.docker_image]);
    assert_eq!(place.containers(), Vec::<String>::new());
}

#[tokio::test]
async fn a_failed_start_leaves_no_container() {
    let mut place = Place::new();
    // The engine makes the container and then fails to start it. A program that is missing would not do: the init
    // process starts, and may live long enough for an executor to get in.
    place.terminal.docker_extra_args = vec!["--device=/dev/not-there".to_owned()];
    let refused = DockerEnvironment::start(&place.settings("failed"), &Arc::new(OrphanSweep::new())).await;
    assert!(refused.is_err());
    assert_eq!(place.containers(), Vec::<String>::new());
}

/// An image without any program that our executor needs: no executor file can run from a
/// mount that the image forbids, so one `docker exec` per command is used.
#[tokio::test]
async fn where_the_executor_cannot_run_each_command_is_an_exec_and_says_so() {
    let mut place = Place::new();
    let script = place.path().join("not-a-program");
    std::fs::write(&script, "#!/nowhere/interpreter\n").unwrap();
    place.terminal.docker_forward_env = vec!["SECRET_VALUE".to_owned()];
    place.variables = vec![("SECRET_VALUE".to_owned(), "forwarded".to_owned())];
    let settings = place.settings_with(&script, "fallback");
    let environment = DockerEnvironment::start(&settings, &Arc::new(OrphanSweep::new())).await.unwrap().0;
    assert!(
        environment.notes().iter().any(|note| note.contains("docker exec of its own")),
        "{:?}",
        environment.notes()
    );
    let result = run(&environment, "echo $SECRET_VALUE; exit 3").await;
    assert_eq!((result.output.as_str(), result.exit_code), ("forwarded\n", 3));
    assert!(result.notes.iter().any(|note| note.contains("docker exec of its own")), "{result:?}");
    let slow = CommandText {
        timeout: Some(Duration::from_millis(600)),
        ..CommandText::new("echo before; sleep 1000 & sleep 1000")
    };
    let result = try_run(&environment, &turn(), slow, &mut |_| ()).await.unwrap();
    assert_eq!((result.output.as_str(), result.exit_code), ("before\n", 124));
    let secret = CommandText { first_input: Some(Secret::new("hunter2\n")), ..CommandText::new("cat") };
    let result = try_run(&environment, &turn(), secret, &mut |_| ()).await.unwrap();
    assert_eq!((result.output.as_str(), result.exit_code), ("hunter2\n", 0));
    let left = docker(&[
        "exec",
        &environment.container_id().await.unwrap(),
        "sh",
        "-c",
        "cat /proc/[0-9]*/cmdline | tr '\\0' ' '",
    ]);
    assert!(!String::from_utf8_lossy(&left.stdout).contains("sleep 1000"), "{left:?}");
    environment.close().await.unwrap();
}
