//! Ends that a command does not choose itself: nothing of it is left.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process_group};

use super::{Place, Server, first_line, is_marked_process_there, marker, said, send, until};
use crate::support::finish;

/// Somebody who has left group, session and parent, and ignores being asked to end.
fn sleepers(marker: &str) -> String {
    format!(
        "MARK={marker} setsid bash -c 'trap \"\" TERM INT HUP; (setsid sleep 1000 & setsid bash -c \"sleep 1000 & wait\" &) ; \
         echo started; sleep 1000' & wait"
    )
}

#[test]
fn a_timeout_ends_everything_the_command_started() {
    let place = Place::new();
    let _server = Server::start(&place);
    for (number, session) in [&[][..], &["--session", "late"]].into_iter().enumerate() {
        let marker = marker(&format!("timeout-{number}"));
        let text = sleepers(&marker);
        let mut child = place.exec(&[session, &["--timeout", "2", "-c", &text]].concat()).spawn().unwrap();
        assert_eq!(first_line(&mut child), "started");
        assert!(is_marked_process_there(&marker), "the test looks at the wrong place");
        let run = finish(child);
        assert_eq!(run.code, 124, "{run:?}");
        assert!(run.stderr.contains("timed out after"), "{run:?}");
        assert!(!is_marked_process_there(&marker), "{session:?}");
    }
}

#[test]
fn a_signal_interrupts_the_command_and_everything_it_started() {
    let place = Place::new();
    let _server = Server::start(&place);
    for (number, signal) in [Signal::INT, Signal::TERM, Signal::HUP].into_iter().enumerate() {
        for session in [&[][..], &["--session", "interrupted"]] {
            let marker = marker(&format!("signal-{number}-{}", session.len()));
            let mut child = place.exec(&[session, &["-c", &sleepers(&marker)]].concat()).spawn().unwrap();
            assert_eq!(first_line(&mut child), "started");
            assert!(is_marked_process_there(&marker), "the test looks at the wrong place");
            send(&child, signal);
            let run = finish(child);
            assert_eq!((run.code, said(&run.stderr).as_str()), (130, "interrupted\n"), "{run:?}");
            assert!(!is_marked_process_there(&marker), "{session:?}");
        }
    }
}

/// The terminal sends Ctrl-C to the whole foreground group, not to one process.
#[test]
fn ctrl_c_at_a_terminal_is_an_interrupt_too() {
    let place = Place::new();
    let text = "trap 'echo asked' TERM; echo started; while :; do sleep 1000; done";
    let mut child = place.exec(&["-c", text]).process_group(0).spawn().unwrap();
    assert_eq!(first_line(&mut child), "started");
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    let run = finish(child);
    assert_eq!((run.code, said(&run.stderr).as_str()), (130, "interrupted\n"), "{run:?}");
}

/// Whoever has stopped reading must not keep the program from being interrupted.
#[test]
fn a_full_pipe_does_not_hold_an_interrupt_up() {
    let place = Place::new();
    let mut child = place.exec(&["-c", "echo started; yes"]).spawn().unwrap();
    assert_eq!(first_line(&mut child), "started");
    until("the pipe is full", || is_full(child.stdout.as_ref().unwrap()));
    send(&child, Signal::INT);
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let mut rest = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
    assert!(rest.iter().all(|byte| b"y\n".contains(byte)));
}

/// Whether a writer would have to wait. How many bytes that takes depends on how they were written, so the
/// kernel is asked at the writing end.
fn is_full(pipe: &impl AsRawFd) -> bool {
    let path = format!("/proc/self/fd/{}", pipe.as_raw_fd());
    let writer = open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).unwrap();
    poll(&mut [PollFd::new(&writer, PollFlags::OUT)], Some(&Timespec::default())).unwrap() == 0
}

#[test]
fn json_tells_an_interrupt_and_a_timeout() {
    let place = Place::new();
    let run = place.run(&["--json", "--timeout", "0.2", "-c", "echo kept; sleep 1000"]);
    assert_eq!(run.code, 124, "{run:?}");
    let object: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&object["end"], &object["exit_code"]), (&"timed_out".into(), &124.into()));
    assert!(object["output"].as_str().unwrap().starts_with("kept\n"), "{object}");
}
