//! What one command leaves for the next.

use std::cell::RefCell;
use std::fs;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::client::{Client, open, run_command};

#[test]
fn directory_exports_functions_and_aliases_are_kept() {
    let mut client = Client::start();
    client.output("cd /usr; export A='a b'; f() { echo \"f $1\"; }; alias say='echo said'");
    assert_eq!(client.output("pwd; echo \"$A\"; f x; say it"), "/usr\na b\nf x\nsaid it\n");
    client.output("unset A; unset -f f; unalias say");
    assert_eq!(client.output("echo \"${A-unset}\"; type f say 2>/dev/null || echo gone"), "unset\ngone\n");
}

/// Their shells do not write the state: it must be the old one, whichever shell they had.
#[test]
fn commands_that_only_start_programs_leave_the_state_and_tell_their_status() {
    let mut client = Client::start();
    client.output("cd /usr; export A=1");
    for _ in 0..3 {
        for (text, code) in
            [("true", 0), ("false", 1), ("ls -d /usr", 0), ("no-such-program x", 127), ("true && false | cat", 0)]
        {
            assert_eq!(client.run(text).exit_code, code, "{text}");
        }
        assert_eq!(client.output("pwd"), "/usr\n");
        assert_eq!(client.output("printenv A"), "1\n");
    }
    client.output("ls() { cd /; }");
    client.output("ls");
    assert_eq!(client.output("pwd"), "/\n", "a function that is called like a program");
    client.output("unset -f ls");
    client.output("alias true='cd /usr'");
    client.output("true");
    assert_eq!(client.output("pwd"), "/usr\n", "and an alias");
}

#[test]
fn options_plain_variables_traps_and_umask_are_not() {
    let mut client = Client::start();
    client.output("set -e; set -o pipefail; shopt -s nullglob; plain=1; trap 'echo trapped' EXIT; umask 077");
    let seen = client.output(
        "set -o | grep -c 'errexit.*on\\|pipefail.*on'; shopt -q nullglob || echo off; echo \"[$plain]\"; true",
    );
    assert_eq!(seen, "0\noff\n[]\n");
    client.output("export SHELLOPTS; set -x");
    assert_eq!(client.output("echo quiet"), "quiet\n");
}

#[test]
fn what_was_given_and_unset_stays_unset_but_what_was_given_anew_is_new() {
    let mut client = Client::start();
    let mut with = |text: &str, value: &str| {
        let mut command = run_command(text);
        command.environment.push(("GIVEN".to_owned(), value.to_owned()));
        client.run_with(command).output
    };
    assert_eq!(with("echo $GIVEN", "1"), "1\n");
    assert_eq!(with("echo $GIVEN", "2"), "2\n", "an unchanged variable is the turn's");
    with("export GIVEN=mine", "3");
    assert_eq!(with("echo $GIVEN", "4"), "mine\n", "a changed one is the session's");
    with("unset GIVEN", "5");
    assert_eq!(with("echo ${GIVEN-unset}", "6"), "unset\n");
}

#[test]
fn session_variables_are_never_kept() {
    let mut client = Client::start();
    let mut with = |text: &str, key: Option<&str>| {
        let mut command = run_command(text);
        command.environment.extend(key.map(|key| ("HERMES_SESSION_KEY".to_owned(), key.to_owned())));
        client.run_with(command).output
    };
    let show = "echo ${HERMES_SESSION_KEY-unset} ${HERMES_SESSION_CHAT_ID-unset}";
    with("export HERMES_SESSION_KEY=forged HERMES_SESSION_CHAT_ID=forged", Some("one"));
    assert_eq!(with(show, Some("two")), "two unset\n");
    assert_eq!(with(show, None), "unset unset\n");
    with("unset HERMES_SESSION_KEY", Some("three"));
    assert_eq!(with(show, Some("four")), "four unset\n");
}

#[test]
fn every_way_to_end_a_command_keeps_the_state() {
    let mut client = Client::start();
    for (index, end) in [
        "exit 3",
        "(exit 3)",
        "set -e; false",
        "set -u; echo $nope",
        "trap 'true' EXIT; true",
        "set -x; exit",
        "trap 'echo D' DEBUG; true",
        "trap 'echo E' ERR; false",
        "exec 3>&1 >/dev/null",
        "kill -TERM $$",
        "echo 'open",
    ]
    .into_iter()
    .enumerate()
    {
        client.run(&format!("export WAY={index}\n{end}"));
        assert_eq!(client.output("echo $WAY"), format!("{index}\n"), "{end}");
    }
}

#[test]
fn a_state_that_is_missing_or_spoiled_leaves_the_old_one() {
    let mut client = Client::start();
    client.output("export GOOD=1; cd /usr; f() { echo f; }");
    for spoil in [
        "echo garbage >&250",
        "exec 250>&-",
        "head -c 3000000 /dev/zero >&250",
        "printf '/\\0declare -x E=\"\\0hermes' >&250",
        "exec true",
        "kill -KILL $$",
        "export BIG; BIG=$(head -c 1100000 /dev/zero | tr '\\0' x)",
        "builtin() { :; }",
        "exec 250</dev/null",
        "yes >&250",
    ] {
        client.run(&format!("export BAD=1; cd /; {spoil}"));
        client.run("unset BAD; cd /usr");
        assert_eq!(client.output("echo ${GOOD-lost}; pwd; f"), "1\n/usr\nf\n", "{spoil}");
    }
}

#[test]
fn functions_survive_whatever_they_are_called_and_contain() {
    let mut client = Client::start();
    client.output(
        "shopt -s extglob expand_aliases
         alias ls='echo aliased'
         cd() { builtin cd \"$@\" && echo \"now $PWD\"; }
         my-odd.name:x() { echo odd; }
         glob() { [[ $1 == @(a|b) ]] && echo match; }
         here() { cat <<'END'
it's \"here\" $x
END
}
         trap() { echo not a trap; }
         eval() { echo not an eval; }
         read() { echo not a read; }
         exec() { echo not an exec; }
         unset() { echo not an unset; }
         exported() { echo exported; }; export -f exported
         ",
    );
    assert_eq!(client.output("cd /usr"), "now /usr\n");
    assert_eq!(
        client.output("my-odd.name:x; glob a; here; trap; eval; read; exec; unset; bash -c exported; ls"),
        "odd\nmatch\nit's \"here\" $x\nnot a trap\nnot an eval\nnot a read\nnot an exec\nnot an unset\nexported\naliased\n"
    );
    assert_eq!(client.output("shopt -q extglob || echo off"), "off\n");
}

#[test]
fn an_alias_does_not_change_a_function_that_was_there_before() {
    let mut client = Client::start();
    client.output("f() { greet; }; greet() { echo plain; }");
    client.output("alias greet='echo alias'");
    assert_eq!(client.output("f; greet"), "plain\nalias\n");
}

#[test]
fn a_startup_file_for_children_does_not_reach_our_own_shell() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("startup");
    fs::write(&file, "echo startup; exit 1").unwrap();
    let mut client = Client::start();
    client.output(&format!("export BASH_ENV={}", file.display()));
    let result = client.run("echo ours; bash -c 'echo never'");
    assert_eq!((result.output.as_str(), result.exit_code), ("ours\nstartup\n", 1));
    client.output("unset BASH_ENV");
    assert_eq!(client.output("bash -c 'echo again'"), "again\n");
}

#[test]
fn an_explicit_directory_does_not_move_the_session() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let path = folder.path().canonicalize().unwrap();
    let mut client = Client::open(&open(path.to_str().unwrap()));
    let mut command = run_command("pwd; cd /; export A=1");
    command.working_directory = Some("sub".to_owned());
    let result = client.run_with(command);
    assert_eq!(result.output, format!("{}/sub\n", path.display()));
    assert_eq!(result.working_directory, path.to_str().unwrap());
    assert_eq!(client.output("pwd; echo $A"), format!("{}\n1\n", path.display()));
    let mut command = run_command("touch made");
    command.working_directory = Some("missing".to_owned());
    let result = client.run_with(command);
    assert_eq!((result.exit_code, result.notes.as_slice()), (126, ["the command was not run".to_owned()].as_slice()));
    assert!(result.output.contains("missing: working directory cannot be entered"), "{}", result.output);
    assert!(!path.join("made").exists());
}

#[test]
fn a_vanished_directory_is_replaced_by_its_nearest_ancestor_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    fs::create_dir_all(path.join("a/b/c")).unwrap();
    let mut client = Client::open(&open(path.join("a/b/c").to_str().unwrap()));
    let result = client.run("rm -r ../../b; cd /no/such 2>/dev/null; true");
    assert_eq!(result.working_directory, path.join("a/b/c").to_str().unwrap());
    let result = client.run("pwd");
    assert_eq!(result.output, format!("{}/a\n", path.display()));
    assert_eq!(result.working_directory, path.join("a").to_str().unwrap());
    assert!(result.notes[0].ends_with(&format!("using {}", path.join("a").display())), "{:?}", result.notes);
    assert!(client.run("pwd").notes.is_empty(), "it is said once");
}

#[test]
fn a_variable_no_program_could_be_started_with_is_not_kept_and_said() {
    let mut client = Client::start();
    let result = client.run("export LONG=$(head -c 140000 /dev/zero | tr '\\0' x)");
    assert_eq!(result.notes, ["variable LONG is too long to be kept"]);
    assert_eq!(client.output("echo ${LONG-unset}"), "unset\n");
}

#[test]
fn commands_at_the_same_time_do_not_undo_each_other() {
    let mut client = Client::start();
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    client.output(&format!("mkfifo {}", fifo.display()));
    let slow = client.ask_run(run_command(&format!("export SLOW=1; read -r _ < {}", fifo.display())));
    client.output("export QUICK=1");
    client.output(&format!("echo go > {}", fifo.display()));
    client.result(slow);
    assert_eq!(client.output("echo $SLOW $QUICK"), "1 1\n");
}

/// As one word for bash, whatever the bytes.
fn quoted(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("$'{escaped}'")
}

#[test]
fn arbitrary_exported_values_survive() {
    let client = RefCell::new(Client::start());
    let byte =
        prop_oneof![1u8..=255, Just(b'\n'), Just(b'\''), Just(b'"'), Just(b'\\'), Just(b'$'), Just(0xc3), Just(b'`')];
    let value = proptest::collection::vec(byte, 0..60);
    let locale = prop_oneof![Just("C"), Just("C.UTF-8"), Just("POSIX")];
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    runner
        .run(&(value, locale), |(value, locale)| {
            let mut client = client.borrow_mut();
            client.output(&format!("export LC_ALL={locale}; export VALUE={}", quoted(&value)));
            let seen = client.output("printf %s \"$VALUE\" | od -An -v -tx1 | tr -d ' \\n'");
            let expected: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
            prop_assert_eq!(seen, expected);
            Ok(())
        })
        .unwrap();
}
