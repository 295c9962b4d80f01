//! Output that is too much, and output as it comes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use hermes_proto::executor::{CommandEnd, Frame, FrameKind, INITIAL_WINDOW};

use super::client::{Client, open, run_command, wait_for};

#[test]
fn what_fits_is_whole_and_what_does_not_is_cut_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let spill = folder.path().join("spill");
    let mut opening = open("/");
    opening.spill_folder = Some(spill.to_str().unwrap().to_owned());
    let mut client = Client::open(&opening);
    let result = client.run("head -c 50000 /dev/zero | tr '\\0' x");
    assert_eq!((result.output.len(), result.omitted_characters), (50_000, 0));
    assert!(!spill.exists(), "nothing was made for it");

    let result = client.run("seq 100000");
    assert_eq!((result.total_characters, result.omitted_characters), (588_895, 538_895));
    assert!(result.output.starts_with("1\n2\n3\n") && result.output.ends_with("99999\n100000\n"));
    let notice = "\n\n... [OUTPUT TRUNCATED - 538895 chars omitted out of 588895 total] ...\n\n";
    let (head, tail) = result.output.split_once(notice).unwrap();
    assert_eq!((head.len(), tail.len()), (20_000, 30_000));
    let path = std::path::PathBuf::from(result.spill_path.unwrap());
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept.starts_with(head) && kept.ends_with(tail) && kept.len() == 588_895);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&spill).unwrap().permissions().mode() & 0o777, 0o700);

    let result = client.run("head -c 20000000 /dev/zero | tr '\\0' y");
    assert_eq!(fs::metadata(result.spill_path.unwrap()).unwrap().len(), 5_000_000);
}

#[test]
fn a_spill_folder_that_cannot_be_is_said_and_the_result_comes() {
    let mut opening = open("/");
    opening.spill_folder = Some("/proc/nowhere".to_owned());
    let result = Client::open(&opening).run("seq 100000");
    assert_eq!((result.spill_path, result.exit_code), (None, 0));
    assert!(result.notes[0].starts_with("full output is not kept: /proc/nowhere"), "{:?}", result.notes);
}

#[test]
fn output_streams_as_it_comes() {
    let mut client = Client::start();
    let mut command = run_command("printf 'one\\n'; read -r _; printf 'two\\n'");
    command.streams_output = true;
    command.stdin = hermes_proto::executor::Stdin::Streamed;
    let id = client.ask_run(command);
    assert_eq!(client.streamed(id, 4), b"one\n");
    client.send(&Frame::new(FrameKind::Data, id, *b"go\n"));
    assert_eq!(client.streamed(id, 4), b"two\n");
    assert_eq!(client.result(id).output, "one\ntwo\n");
}

#[test]
fn a_whole_stream_arrives_before_its_result() {
    const LENGTH: usize = 3_000_000;
    let mut client = Client::start();
    let mut command = run_command(&format!("head -c {LENGTH} /dev/zero | tr '\\0' x"));
    command.streams_output = true;
    let id = client.ask_run(command);
    let mut seen = 0;
    loop {
        let frame = client.frame().unwrap();
        match frame.kind {
            FrameKind::Data => {
                seen += frame.payload.len();
                client.send(&Frame::credit(id, frame.payload.len() as u32));
            }
            FrameKind::Result => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(seen, LENGTH);
}

#[test]
fn without_credit_the_command_waits_and_everybody_else_does_not() {
    let mut client = Client::start();
    let mut command = run_command("yes");
    command.streams_output = true;
    command.timeout_ms = Some(1500);
    let id = client.ask_run(command);
    let window = INITIAL_WINDOW as usize;
    assert_eq!(client.streamed(id, window).len(), window);
    assert_eq!(client.output("echo others"), "others\n");
    assert!(!wait_for(client.raw_output(), Duration::from_millis(200)), "not a byte without credit");
    let result = client.result(id);
    assert_eq!((result.end, result.exit_code), (CommandEnd::TimedOut, 124));
    assert!(result.output.chars().count() < 50_200, "the result is bounded all the same");
}

#[test]
fn ended_without_credit_for_the_rest_it_waits_for_the_runtime() {
    let mut client = Client::start();
    let length = INITIAL_WINDOW as usize + 40_000;
    let mut command = run_command(&format!("head -c {length} /dev/zero | tr '\\0' x; exit 3"));
    command.streams_output = true;
    let id = client.ask_run(command);
    client.streamed(id, INITIAL_WINDOW as usize);
    assert_eq!(client.output("echo others"), "others\n");
    client.send(&Frame::credit(id, 40_000));
    assert_eq!(client.streamed(id, 40_000).len(), 40_000);
    assert_eq!(client.result(id).exit_code, 3);
}

#[test]
fn a_runtime_that_never_takes_the_rest_can_give_up() {
    let mut client = Client::start();
    let mut command = run_command("head -c 300000 /dev/zero | tr '\\0' x; exit 3");
    command.streams_output = true;
    let id = client.ask_run(command);
    client.streamed(id, INITIAL_WINDOW as usize);
    client.send(&Frame::new(FrameKind::Cancel, id, Vec::new()));
    let result = client.result(id);
    assert!([3, 130].contains(&result.exit_code), "{result:?}");
}

/// Two gigabytes here, ten in the benchmark: what is held does not depend on which.
#[test]
fn a_flood_costs_no_memory() {
    const LENGTH: u64 = 2_000_000_000;
    let folder = tempfile::tempdir().unwrap();
    let mut opening = open("/");
    opening.spill_folder = Some(folder.path().to_str().unwrap().to_owned());
    let mut client = Client::open(&opening);
    client.run("seq 100000");
    let (before, peak_before) = (client.private_memory(), client.peak_memory());
    let result = client.run(&format!("yes | head -c {LENGTH}; echo"));
    let after = client.private_memory();
    assert_eq!(result.total_characters, LENGTH + 1);
    assert!(after < before + 4096, "from {before} to {after} KiB");
    let peak = client.peak_memory();
    assert!(peak < peak_before + 4096, "at its peak from {peak_before} to {peak} KiB");
}

#[test]
fn an_idle_executor_is_small() {
    let mut client = Client::start();
    client.output("export A=1; f() { :; }");
    client.run("seq 100000");
    client.output("echo settled");
    let memory = client.private_memory();
    assert!(memory < 2048, "{memory} KiB");
}
