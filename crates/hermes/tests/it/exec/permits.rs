//! What floor rules forbid is not run for the operator either, and is told with its rule.
//!
//! Should one of these commands ever be started, `false &&` keeps it from doing what it is refused for.

use super::{Place, Server, said};

const FORBIDDEN: &str = "touch started; false && mkfs.ext4 /dev/hermes-nowhere";

fn check_refused(place: &Place, arguments: &[&str]) {
    let run = place.run(arguments);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    let said = said(&run.stderr);
    assert!(said.starts_with("hermes: refused") && said.contains("(rule mkfs)"), "{run:?}");
    assert!(said.contains("\nhint: nothing was started"), "{run:?}");
    assert!(!place.workspace().join("started").exists(), "{arguments:?}");
}

#[test]
fn a_floor_command_is_refused_with_its_rule_and_nothing_starts() {
    let place = Place::new();
    check_refused(&place, &["-c", FORBIDDEN]);
    check_refused(&place, &["--json", "-c", FORBIDDEN]);
    check_refused(&place, &["--session", "one", "-c", FORBIDDEN]);
    check_refused(&place, &["--", "mkfs.ext4", "/dev/hermes-nowhere"]);
}

#[test]
fn the_holder_refuses_it_too_and_its_session_goes_on() {
    let place = Place::new();
    let server = Server::start(&place);
    place.in_session("one", "export COLOUR=blue");
    check_refused(&place, &["--session", "one", "-c", FORBIDDEN]);
    assert_eq!(place.in_session("one", "echo $COLOUR"), "blue\n");
    assert_eq!(server.executors().len(), 1);
}

/// A relative path is judged by where the session's shell stands, not by where it once began.
#[test]
fn the_holder_knows_where_the_session_stands() {
    let place = Place::new();
    let _server = Server::start(&place);
    let relative = "touch started; true || rm -rf ./*";
    place.in_session("one", &format!("{relative}; rm started; cd /"));
    let run = place.run(&["--session", "one", "-c", relative]);
    assert!(run.code == 1 && run.stderr.contains("(rule rm-root)"), "{run:?}");
    place.in_session("one", &format!("cd {}", place.workspace().display()));
    place.in_session("one", relative);
}
