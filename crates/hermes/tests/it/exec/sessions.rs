//! State that is kept between commands of one session, and kept apart from every other.

use super::{Place, Server, until};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn state_is_kept_between_calls() {
    let place = Place::new();
    let _server = Server::start(&place);
    std::fs::create_dir(place.workspace().join("deep")).unwrap();
    place.in_session(
        "one",
        "cd deep; export COLOUR=blue; plain=lost; greet() { echo hello $1; }; alias shout='echo ALIAS'",
    );
    let seen = place.in_session("one", "pwd; echo $COLOUR $plain; greet you; shout");
    assert_eq!(seen, format!("{}/deep\nblue\nhello you\nALIAS\n", place.workspace().display()));
    // What failed has left its state too.
    assert_eq!(place.run(&["--session", "one", "-c", "export COLOUR=red; false"]).code, 1);
    assert_eq!(place.in_session("one", "echo $COLOUR"), "red\n");
}

#[test]
fn without_a_holder_every_call_is_on_its_own() {
    let place = Place::new();
    place.in_session("one", "export COLOUR=blue");
    assert_eq!(place.in_session("one", "echo -$COLOUR-$HERMES_SESSION_KEY"), "--one\n");
}

#[test]
fn two_sessions_are_two_executors() {
    let place = Place::new();
    let server = Server::start(&place);
    place.in_session("one", "export COLOUR=blue; cd /usr; f() { :; }; sleep 1000 & disown");
    let seen = place.in_session("two", "echo -$COLOUR-; pwd; type f 2>&1; jobs; true");
    assert!(seen.starts_with(&format!("--\n{}\n", place.workspace().display())), "{seen}");
    assert!(seen.contains("f: not found"), "{seen}");
    assert_eq!(server.executors().len(), 2);
    // A call without a session has nothing to do with any of them.
    assert_eq!(place.ok(&["-c", "echo -$COLOUR-"]), "--\n");
}

#[test]
fn a_session_lives_where_its_first_command_was_given() {
    let place = Place::new();
    let _server = Server::start(&place);
    let elsewhere = place.beside("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let pwd = |folder: &std::path::Path, key| {
        let mut command = place.exec(&["--session", key, "-c", "touch here && pwd"]);
        crate::support::finish(command.current_dir(folder).spawn().unwrap()).stdout
    };
    assert_eq!(pwd(&elsewhere, "one").trim(), elsewhere.to_str().unwrap());
    assert_eq!(pwd(&place.workspace(), "one").trim(), elsewhere.to_str().unwrap());
    assert_eq!(pwd(&place.workspace(), "two").trim(), place.workspace().to_str().unwrap());
}

/// The holder hosts sessions: what its own environment says about one is nobody's.
#[test]
fn children_see_their_own_session_and_not_the_servers() {
    let place = Place::new();
    let foreign =
        [("HERMES_SESSION_KEY", "foreign"), ("HERMES_SESSION_CHAT_ID", "foreign"), ("HERMES_CRON_SESSION", "1")];
    let mut command = place.exec(&["--serve"]);
    let _server = Server::spawn({
        command.envs(foreign);
        command
    });
    let report = "echo \"${HERMES_SESSION_KEY-absent} ${HERMES_SESSION_CHAT_ID-absent} ${HERMES_CRON_SESSION-absent}\"";
    assert_eq!(place.in_session("mine", report), "mine  absent\n");
    // Nor does the caller's environment reach a held session.
    let mut command = place.exec(&["--session", "mine", "-c", "echo ${HERMES_SESSION_USER_ID-absent}-$EXTRA"]);
    let run =
        crate::support::finish(command.env("EXTRA", "x").env("HERMES_SESSION_USER_ID", "foreign").spawn().unwrap());
    assert_eq!(run.stdout, "-\n", "{run:?}");
    // A command line that hosts nothing passes on what it was started with.
    let run = crate::support::finish(place.exec(&["-c", report]).envs(foreign).spawn().unwrap());
    assert_eq!(run.stdout, "foreign foreign 1\n", "{run:?}");
}

#[test]
fn a_session_too_many_is_refused_until_one_is_free() {
    let place = Place::configured("max_concurrent_sessions: 2\nterminal:\n  lifetime_seconds: 1\n");
    let _server = Server::start(&place);
    for key in ["one", "two", "one"] {
        place.in_session(key, "true");
    }
    place.check(75, &["--session", "three", "-c", "true"], "2 sessions are held, which is the most");
    until("a session is closed", || place.run(&["--session", "three", "-c", "true"]).code == 0);
}

#[test]
fn a_session_whose_executor_was_killed_begins_again_and_says_so() {
    let place = Place::new();
    let server = Server::start(&place);
    place.in_session("one", "export COLOUR=blue");
    let [executor] = server.executors()[..] else { panic!("not one executor") };
    kill_process(Pid::from_raw(executor.cast_signed()).unwrap(), Signal::KILL).unwrap();
    until("the loss is said", || {
        let run = place.run(&["--session", "one", "-c", "echo -$COLOUR-"]);
        // The very next call may meet it dying.
        let is_told = run.stderr.contains("note: the session's executor had ended");
        assert!(is_told || run.stderr.contains("executor has ended"), "{run:?}");
        is_told && run.code == 0 && run.stdout == "--\n"
    });
    assert_eq!(place.in_session("one", "echo again"), "again\n");
}

/// What keeps a session from being made is told as it would be without a holder.
#[test]
fn a_session_that_cannot_be_made_is_refused_with_the_reason() {
    let place = Place::new();
    let server = Server::start(&place);
    place.sandbox.write("config.yaml", "terminal:\n  sandbox_writable: [/no/such/folder]\n");
    let told = |arguments: &[&str]| {
        let run = place.run(arguments);
        (run.code, run.stderr)
    };
    let (code, own) = told(&["-c", "true"]);
    let (held_code, held) = told(&["--session", "one", "-c", "true"]);
    assert_eq!((held_code, &held), (code, &own));
    assert!(code != 0 && own.contains("/no/such/folder"), "{own}");
    // The configuration is read when a session begins.
    place.sandbox.write("config.yaml", "");
    assert_eq!(place.in_session("one", "echo fine"), "fine\n");
    assert_eq!(server.executors().len(), 1);
}
