//! Commands that are ended: by time, by the runtime, by the link.

use std::time::{Duration, Instant};

use hermes_proto::executor::{CommandEnd, Frame, FrameKind};

use super::client::{Client, await_process_end, run_command};

/// Long enough that a test that waits for it has failed.
const FOREVER: &str = "300";

#[test]
fn a_timeout_keeps_the_output_and_ends_everything() {
    let mut client = Client::start();
    let mut command = run_command(&format!("echo before; sleep {FOREVER} & setsid sleep {FOREVER} & sleep {FOREVER}"));
    command.timeout_ms = Some(300);
    let result = client.run_with(command);
    assert_eq!(result.output, "before\n[Command timed out after 0.3s]");
    assert_eq!((result.exit_code, result.end), (124, CommandEnd::TimedOut));
    assert!((300..5000).contains(&result.duration_ms), "{}", result.duration_ms);
    assert_eq!(client.leftovers(), [""; 0]);
}

#[test]
fn an_interrupt_keeps_the_output_and_ends_everything() {
    let mut client = Client::start();
    let mut command = run_command(&format!("echo before; (setsid sleep {FOREVER} &); sleep {FOREVER}"));
    command.streams_output = true;
    let id = client.ask_run(command);
    assert_eq!(client.streamed(id, 7), b"before\n");
    client.send(&Frame::new(FrameKind::Cancel, id, Vec::new()));
    let result = client.result(id);
    assert_eq!(result.output, "before\n[Command interrupted]");
    assert_eq!((result.exit_code, result.end), (130, CommandEnd::Interrupted));
    assert_eq!(client.leftovers(), [""; 0]);
    assert_eq!(client.run("exit 130").end, CommandEnd::Exited, "its own 130 is another");
}

#[test]
fn one_that_obeys_ends_at_once_and_may_tidy_up() {
    let mut client = Client::start();
    let mut command = run_command(&format!("trap 'echo tidied; exit' TERM; echo ready; sleep {FOREVER} & wait"));
    command.timeout_ms = Some(200);
    let result = client.run_with(command);
    assert_eq!(result.output, "ready\ntidied\n[Command timed out after 0.2s]");
    assert!(result.duration_ms < 1000, "the second of grace is not waited for: {}", result.duration_ms);
}

#[test]
fn the_session_goes_on_with_its_old_state_after_a_timeout() {
    let mut client = Client::start();
    client.output("cd /usr; export A=1");
    let mut command = run_command(&format!("cd /; export A=2; sleep {FOREVER}"));
    command.timeout_ms = Some(100);
    assert_eq!(client.run_with(command).working_directory, "/usr");
    assert_eq!(client.output("pwd; echo $A"), "/usr\n1\n");
}

#[test]
fn a_detached_grandchild_neither_delays_the_result_nor_dies_of_it() {
    let mut client = Client::start();
    let started = Instant::now();
    let process = client.output(&format!(
        "(trap '' PIPE; while sleep 0.01; do echo noise || exit; done) & echo $!; sleep {FOREVER} & disown"
    ));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    let process = process.lines().next().unwrap().to_owned();
    assert_eq!(client.output(&format!("sleep 0.1; kill -0 {process} && echo alive")), "alive\n");
    assert_eq!(client.close(), Some(0));
    client.assert_nothing_left();
}

#[test]
fn the_last_words_of_a_filter_are_heard() {
    let mut client = Client::start();
    for _ in 0..5 {
        assert_eq!(client.output("exec > >(cat); echo through a filter"), "through a filter\n");
    }
}

#[test]
fn closing_the_link_ends_everything() {
    let mut client = Client::start();
    let mut command =
        run_command(&format!("trap '' TERM; setsid sleep {FOREVER} & sleep {FOREVER} & echo ready; wait"));
    command.streams_output = true;
    let id = client.ask_run(command);
    client.streamed(id, 6);
    client.output(&format!("nohup sleep {FOREVER} >/dev/null 2>&1 & disown"));
    assert!(client.leftovers().len() >= 3);
    assert_eq!(client.close(), Some(0));
    assert_eq!(client.leftovers(), [""; 0]);
}

#[test]
fn killing_the_executor_leaves_no_process() {
    let mut client = Client::start();
    let mut command =
        run_command(&format!("trap '' TERM HUP; (setsid sleep {FOREVER} &); sleep {FOREVER} & echo $$; wait"));
    command.streams_output = true;
    let id = client.ask_run(command);
    let shell = String::from_utf8(client.streamed(id, 2)).unwrap();
    assert!(client.leftovers().len() >= 3, "{:?}", client.leftovers());
    client.kill_executor();
    await_process_end(&shell);
    client.assert_nothing_left();
}

#[test]
fn a_runtime_that_stops_reading_is_an_ended_link() {
    let mut client = Client::start();
    let mut command = run_command(&format!("echo ready; sleep {FOREVER}"));
    command.streams_output = true;
    let id = client.ask_run(command);
    client.streamed(id, 6);
    client.stop_reading();
    client.ask_run(run_command("echo nobody reads this"));
    assert_eq!(client.await_end(), Some(0));
    client.assert_nothing_left();
}
