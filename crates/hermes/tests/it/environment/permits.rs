//! Permits against a real executor: what is refused does not start, what starts is recorded to its end.

use std::path::Path;
use std::time::Duration;

use hermes_approval::{JobInput, Place};
use hermes_environment::link::LinkError;
use hermes_environment::{CommandText, Environment, EnvironmentError, JobQuery};
use hermes_policy::Isolation;
use hermes_proto::Secret;
use hermes_proto::executor::{FileRequest, JobState, StartJob, Stdin, WriteFile};
use hermes_proto::turn::{Hosting, TurnContext};
use hermes_testkit::Permits;

use super::{arrived, environment, polluted_host};

const PATIENCE: Duration = Duration::from_secs(30);

fn job(command: &str) -> StartJob {
    StartJob {
        command: command.to_owned(),
        environment: Vec::new(),
        working_directory: None,
        terminal: None,
        notify_on_complete: false,
        watch_patterns: Vec::new(),
        persists: false,
    }
}

/// Tries every path with permits that were made for `place` and `turn`; none may leave a trace.
async fn nothing_starts(environment: &Environment, folder: &Path, place: &Place, permitted: &TurnContext) {
    let (own, permits) = (arrived(&Hosting::new()), Permits::new());
    // One that is over is over for the one who uses it, too.
    let own = if permitted.is_over() { permitted } else { &own };
    let command = || CommandText::new("touch started");
    let refused = |error: EnvironmentError| assert!(matches!(error, EnvironmentError::Permit(_)), "{error}");
    let permit = permits.of(permitted, place, command());
    refused(environment.run(own, permit, &mut |_| ()).await.unwrap_err());
    let permit = permits.of(permitted, place, command());
    refused(environment.begin(own, permit, Stdin::Closed).map(drop).unwrap_err());
    let permit = permits.of(permitted, place, job("touch started"));
    refused(environment.start_job(own, permit).await.unwrap_err());
    let input = JobInput::line("proc_1".to_owned().into(), "touch started");
    let permit = permits.of(permitted, place, input);
    refused(environment.job_input(own, permit).await.unwrap_err());
    let path = folder.join("started").to_str().unwrap().to_owned();
    let write = FileRequest::Write(WriteFile { path, content: "x".to_owned() });
    refused(environment.file(own, permits.of(permitted, place, write)).await.unwrap_err());
    assert_eq!(permits.journal.starts(), 0);
    // The executor has done all that it was asked for before it answers this.
    let turn = arrived(&Hosting::new());
    let permit = permits.of(&turn, &environment.place(), CommandText::new("ls"));
    assert_eq!(environment.run(&turn, permit, &mut |_| ()).await.unwrap().output, "");
    assert_eq!(environment.job(&turn, JobQuery::List).await.unwrap(), []);
}

#[tokio::test]
async fn a_permit_for_another_environment_turn_or_time_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let environment_of = async || environment(folder.path(), polluted_host()).await;
    let (environment, other) = (environment_of().await, environment_of().await);
    let turn = arrived(&Hosting::new());
    nothing_starts(&environment, folder.path(), &environment.place(), &turn).await;
    nothing_starts(&environment, folder.path(), &other.place(), &turn).await;
    turn.clone().finish();
    nothing_starts(&environment, folder.path(), &environment.place(), &turn).await;
    environment.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn the_end_of_every_command_is_recorded_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let (permits, turn) = (Permits::new(), arrived(&Hosting::new()));
    let permit = |text| permits.of(&turn, &environment.place(), text);
    for text in ["true", "exit 3", "kill -9 $$"] {
        environment.run(&turn, permit(CommandText::new(text)), &mut |_| ()).await.unwrap();
    }
    let slow = CommandText { timeout: Some(Duration::from_millis(50)), ..CommandText::new("sleep 1000") };
    environment.run(&turn, permit(slow), &mut |_| ()).await.unwrap();
    let interrupted = arrived(&Hosting::new());
    let slow = permits.of(&interrupted, &environment.place(), CommandText::new("echo; sleep 1000"));
    environment.run(&interrupted, slow, &mut |_| interrupted.cancellation().cancel()).await.unwrap();
    drop(environment.begin(&turn, permit(CommandText::new("sleep 1000")), Stdin::Closed).unwrap());
    let ends = ["exit 0", "exit 3", "signal 9", "timed out", "interrupted", "given up"];
    assert_eq!(permits.journal.ends(), ends);
    let killed = format!("kill -9 {}", environment.process_id().unwrap());
    let lost = environment.run(&turn, permit(CommandText::new(killed)), &mut |_| ()).await.unwrap_err();
    assert!(matches!(lost, EnvironmentError::Link { error: LinkError::Closed { .. }, .. }), "{lost}");
    let told = permits.journal.ends().pop().unwrap();
    assert!(told.starts_with("link lost: executor has ended"), "{told}");
    assert_eq!((permits.journal.starts(), permits.journal.ends().len()), (7, 7));
}

#[tokio::test]
async fn a_first_input_comes_before_all_other_and_is_recorded_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let (permits, turn) = (Permits::new(), arrived(&Hosting::new()));
    let with = |first: String| CommandText { first_input: Some(Secret::new(first)), ..CommandText::new("cat") };
    let permit = |command| permits.of(&turn, &environment.place(), command);
    // The input ends after it: otherwise cat would not.
    let closed = environment.run(&turn, permit(with("hunter2\n".to_owned())), &mut |_| ()).await.unwrap();
    assert_eq!(closed.output, "hunter2\n");
    let streamed = environment.begin(&turn, permit(with("hunter2\n".to_owned())), Stdin::Streamed).unwrap();
    streamed.input().send(b"and more\n").await;
    streamed.input().finish();
    assert_eq!(streamed.finish(&turn, &mut |_| ()).await.unwrap().output, "hunter2\nand more\n");
    // As much as fits in the window of a fresh request; then more as the command reads.
    let long = environment.begin(&turn, permit(with("x".repeat(256 * 1024))), Stdin::Streamed).unwrap();
    long.input().send(&[b'y'; 100]).await;
    long.input().finish();
    assert_eq!(long.finish(&turn, &mut |_| ()).await.unwrap().total_characters, 256 * 1024 + 100);
    let refused = environment.run(&turn, permit(with("x".repeat(256 * 1024 + 1))), &mut |_| ()).await.unwrap_err();
    assert!(refused.to_string().contains("first input has 262145 bytes"), "{refused}");
    assert!(permits.journal.ends()[3].starts_with("not started"), "{:?}", permits.journal.ends());
    assert!(!format!("{:?}", permits.journal.entries()).contains("hunter2"));
    environment.close().await.unwrap();
}

#[tokio::test]
async fn the_end_of_a_job_is_recorded_whoever_learns_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let (permits, turn) = (Permits::new(), arrived(&Hosting::new()));
    let permit = |job| permits.of(&turn, &environment.place(), job);
    let left = environment.start_job(&turn, permit(job("sleep 1000"))).await.unwrap();
    let waited = environment.start_job(&turn, permit(job("read line; exit ${line:-9}"))).await.unwrap();
    assert_eq!(permits.journal.ends(), Vec::<String>::new());
    let input = permits.of(&turn, &environment.place(), JobInput::line(waited.id.clone(), "4"));
    environment.job_input(&turn, input).await.unwrap();
    assert_eq!(permits.journal.ends(), ["done"]);
    let seen = environment.job(&turn, JobQuery::Wait { id: waited.id, time: PATIENCE }).await.unwrap();
    assert_eq!(seen[0].state, JobState::Exited);
    assert_eq!(permits.journal.ends(), ["done", "exit 4"]);
    // Once is enough, however often it is asked about.
    environment.job(&turn, JobQuery::List).await.unwrap();
    let killed = environment.start_job(&turn, permit(job("sleep 1000"))).await.unwrap();
    environment.job(&turn, JobQuery::Kill(killed.id)).await.unwrap();
    assert_eq!(permits.journal.ends(), ["done", "exit 4", "killed"]);
    assert_eq!(left.state, JobState::Running);
    environment.close().await.unwrap();
    assert_eq!(permits.journal.ends(), ["done", "exit 4", "killed", "its environment ended"]);
}

#[tokio::test]
async fn a_notice_records_the_end_of_its_job() {
    let folder = tempfile::tempdir().unwrap();
    let (environment, mut notices) = super::environment_and_notices(folder.path(), polluted_host()).await;
    let (permits, turn) = (Permits::new(), arrived(&Hosting::new()));
    // Some end before the answer to their start is read, some after.
    for command in ["exit 5", "sleep 0.05; exit 5"].repeat(5) {
        let told = StartJob { notify_on_complete: true, ..job(command) };
        environment.start_job(&turn, permits.of(&turn, &environment.place(), told)).await.unwrap();
        tokio::time::timeout(PATIENCE, notices.recv()).await.unwrap().unwrap();
    }
    assert_eq!(permits.journal.ends(), ["exit 5"; 10]);
    environment.close().await.unwrap();
    assert_eq!(permits.journal.ends().len(), 10);
}

#[tokio::test]
async fn typing_into_a_job_is_judged_like_running_it() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let (permits, turn) = (Permits::new(), arrived(&Hosting::new()));
    let id = "proc_1".to_owned().into();
    let refused = permits.guard.permit_typed(&turn, &environment.place(), JobInput::bytes(id, "\u{15}mkfs /dev/x\r"));
    assert!(refused.unwrap_err().to_string().contains("refused"));
    environment.close().await.unwrap();
}

#[tokio::test]
async fn a_place_tells_where_the_session_stands() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let stands = || environment.place().context.folder.unwrap();
    assert_eq!(Path::new(&stands()), folder.path().canonicalize().unwrap());
    let turn = arrived(&Hosting::new());
    super::run(&environment, &turn, "cd /usr").await;
    assert_eq!(stands(), "/usr");
    assert_eq!(environment.place().isolation, Isolation::None, "it was started without a confinement");
    environment.close().await.unwrap();
}
