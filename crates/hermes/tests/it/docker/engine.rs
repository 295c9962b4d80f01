//! An engine that goes away in the middle of a command and comes back.
//!
//! The engine is shared with other tests, so it is not the engine that stops but the only way
//! to it: a relay in front of its socket, which this test ends and starts again.

use std::path::Path;
use std::time::Duration;

use hermes_environment::CommandText;
use hermes_environment::docker::RECREATED;
use hermes_proto::Explain;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::support::{Place, run, try_run, turn};

const ENGINE: &str = "/var/run/docker.sock";

/// Relays every connection to the engine for as long as it lives.
fn relay(socket: &Path) -> JoinSet<()> {
    let _ = std::fs::remove_file(socket);
    let listener = UnixListener::bind(socket).unwrap();
    let mut listening = JoinSet::new();
    listening.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut client, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut engine = UnixStream::connect(ENGINE).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut engine).await;
            });
        }
    });
    listening
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_that_stops_in_the_middle_of_a_command_is_told_and_used_again() {
    let mut place = Place::new();
    let socket = place.path().join("engine.sock");
    place.variables = vec![("DOCKER_HOST".to_owned(), format!("unix://{}", socket.display()))];
    let mut engine = Some(relay(&socket));
    let environment = place.start("engine").await;
    let id = environment.container_id().await.unwrap();

    let command = CommandText { timeout: Some(Duration::from_secs(60)), ..CommandText::new("echo begun; sleep 1000") };
    // The first output proves that the command runs; then the way to the engine is cut.
    let cut = try_run(&environment, &turn(), command, &mut |_| drop(engine.take())).await;
    assert!(cut.unwrap_err().to_string().contains("executor has ended"));

    let away = try_run(&environment, &turn(), CommandText::new("true"), &mut |_| ()).await.unwrap_err();
    assert!(away.to_string().contains("'docker version' failed"), "{away}");
    assert!(away.hint().unwrap().contains("start the daemon"), "{away}");

    let _engine = relay(&socket);
    let result = run(&environment, "cat /proc/[0-9]*/comm | grep -cx sleep").await;
    assert_eq!(result.output, "1\n", "the command was left running: {result:?}");
    assert!(result.notes.iter().any(|note| note.starts_with(RECREATED)), "{result:?}");
    assert_eq!(environment.container_id().await.unwrap(), id);
    environment.close().await.unwrap();
}
