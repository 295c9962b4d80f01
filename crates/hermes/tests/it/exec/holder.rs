//! The process that holds sessions: one per home, private, replaced when dead, gone when told.

use std::io::Read;
use std::os::unix::net::{UnixListener, UnixStream};

use rustix::process::{Signal, Uid};

use super::{Place, Server, first_line, is_marked_process_there, marker, until};
use crate::support::{STRANGER, finish, is_root, mode, set_mode};

#[test]
fn the_socket_is_private_and_goes_with_the_holder() {
    let place = Place::new();
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let server = Server::start(&place);
        assert_eq!((mode(place.sandbox.file("exec.sock")), mode(place.sandbox.file("exec.lock"))), (0o600, 0o600));
        place.in_session("one", "sleep 1000 & disown");
        let executors = server.executors();
        assert_eq!(executors.len(), 1);
        assert_eq!(server.end(signal), (Some(0), String::new()));
        assert!(!place.sandbox.file("exec.sock").exists());
        assert!(!std::path::Path::new(&format!("/proc/{}", executors[0])).exists());
    }
}

#[test]
fn an_orderly_end_interrupts_commands_and_tells_their_callers() {
    let place = Place::new();
    let server = Server::start(&place);
    let marker = marker("orderly");
    let text = format!("echo started; MARK={marker} sleep 1000");
    let mut child = place.exec(&["--session", "one", "--json", "-c", &text]).spawn().unwrap();
    until("the command runs", || is_marked_process_there(&marker));
    let mut shown = place.exec(&["--session", "one", "-c", &text]).spawn().unwrap();
    assert_eq!(first_line(&mut shown), "started");
    assert_eq!(server.end(Signal::TERM).0, Some(0));
    assert!(!is_marked_process_there(&marker));
    assert_eq!(finish(shown).code, 130);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let object: serde_json::Value = serde_json::from_str(&finish(child).stdout).unwrap();
    assert_eq!(object["end"], "interrupted");
}

#[test]
fn a_second_holder_is_told_who_the_first_is() {
    let place = Place::new();
    let server = Server::start(&place);
    place.check(75, &["--serve"], &format!("process {} (hermes) has it", server.pid()));
    place.check(75, &["--serve"], &format!("hint: it ends with: kill {}", server.pid()));
    // And has done no harm.
    assert_eq!(place.in_session("one", "echo fine"), "fine\n");
    assert_eq!(server.end(Signal::TERM).0, Some(0));
    Server::start(&place);
}

#[test]
fn a_killed_holder_leaves_nothing_that_is_in_the_way() {
    let place = Place::new();
    let server = Server::start(&place);
    let marker = marker("killed");
    let text = format!("echo started; MARK={marker} setsid sleep 1000");
    let mut child = place.exec(&["--session", "one", "-c", &text]).spawn().unwrap();
    assert_eq!(first_line(&mut child), "started");
    server.end(Signal::KILL);
    let run = finish(child);
    assert_eq!(run.code, 75, "{run:?}");
    assert!(run.stderr.contains("the process that holds the session has ended"), "{run:?}");
    until("its commands end with it", || !is_marked_process_there(&marker));
    // Its socket is still there, and nobody listens: as if there were no holder.
    assert!(place.sandbox.file("exec.sock").exists());
    assert_eq!(place.in_session("one", "echo alone"), "alone\n");
    let _server = Server::start(&place);
    place.in_session("one", "export COLOUR=blue");
    assert_eq!(place.in_session("one", "echo $COLOUR"), "blue\n");
}

#[test]
fn something_else_at_its_place_is_not_removed() {
    let place = Place::new();
    place.sandbox.write("exec.sock", "mine");
    place.check(1, &["--serve"], "is there and is not a socket");
    assert_eq!(place.sandbox.read("exec.sock"), "mine");
    std::fs::remove_file(place.sandbox.file("exec.sock")).unwrap();
    // A link is not followed.
    std::os::unix::fs::symlink("/etc/hostname", place.sandbox.file("exec.sock")).unwrap();
    place.check(1, &["--serve"], "is there and is not a socket");
}

#[test]
fn a_home_with_a_long_path_can_be_served() {
    let place = Place::new();
    let long = place.beside(&"long".repeat(50));
    let with_home = |arguments: &[&str]| {
        let mut command = place.exec(arguments);
        command.env("HERMES_HOME", &long);
        command
    };
    let _server = Server::spawn(with_home(&["--serve"]));
    finish(with_home(&["--session", "one", "-c", "export COLOUR=blue"]).spawn().unwrap());
    let run = finish(with_home(&["--session", "one", "-c", "echo $COLOUR"]).spawn().unwrap());
    assert_eq!(run.stdout, "blue\n", "{run:?}");
    assert_eq!(mode(&long), 0o700);
}

/// The kernel says who connects, whatever the modes of files allow.
#[test]
fn another_user_is_refused_even_where_files_would_let_him_in() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let _server = Server::start(&place);
    let socket = place.sandbox.file("exec.sock");
    for path in [place.beside("."), place.sandbox.home(), socket.clone()] {
        set_mode(path, 0o777);
    }
    let answer = std::thread::spawn(move || {
        let stranger = Uid::from_raw(STRANGER);
        rustix::thread::set_thread_res_uid(stranger, stranger, stranger).unwrap();
        let mut answer = Vec::new();
        UnixStream::connect(socket).unwrap().read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    });
    let answer = answer.join().unwrap();
    assert!(answer.contains(&format!("sessions of user 0 are not for user {STRANGER}")), "{answer}");
    assert_eq!(place.in_session("one", "echo fine"), "fine\n");
}

/// A caller does not give its commands and its input to whoever made a socket in its home.
#[test]
fn a_socket_of_another_user_is_not_spoken_to() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let socket = place.sandbox.file("exec.sock");
    set_mode(place.beside("."), 0o777);
    set_mode(place.sandbox.home(), 0o777);
    let listener = std::thread::spawn(move || {
        let stranger = Uid::from_raw(STRANGER);
        rustix::thread::set_thread_res_uid(stranger, stranger, stranger).unwrap();
        UnixListener::bind(socket).unwrap()
    });
    let _listener = listener.join().unwrap();
    place.check(1, &["--session", "one", "-c", "true"], &format!("is held by the user {STRANGER}"));
}
