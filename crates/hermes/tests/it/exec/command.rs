//! One command: what it gets, what it prints, how its end is told.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Place, Server, first_line, piped, said};
use crate::support::finish;

#[test]
fn the_exit_code_is_the_commands() {
    let place = Place::new();
    for (text, code) in [("true", 0), ("exit 7", 7), ("exit 255", 255), ("no-such-program-x", 127), ("kill -9 $$", 137)]
    {
        let run = place.run(&["-c", text]);
        assert_eq!(run.code, code, "{text}: {run:?}");
    }
}

#[test]
fn words_reach_the_program_as_they_are() {
    let place = Place::new();
    let words = ["--", "printf", "%s|", "a b", "it's", "$HOME", "*", "", "~", "x;y", "-n"];
    assert_eq!(place.ok(&words), "a b|it's|$HOME|*||~|x;y|-n|");
    // Neither an assignment nor a keyword.
    assert_eq!(place.run(&["--", "A=b", "env"]).code, 127);
    assert_eq!(place.run(&["--", "if"]).code, 127);
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    let place = Place::new();
    place.check(2, &[], "no command to run");
    place.check(2, &["--json"], "no command to run");
    place.check(2, &["-c", "true", "--", "true"], "cannot be used with");
    for seconds in ["0", "-1", "nan", "inf", "1e300"] {
        place.check(2, &["--timeout", seconds, "-c", "true"], "is not a number of seconds above 0");
    }
    place.check(2, &["--timeout", "soon", "-c", "true"], "invalid value 'soon'");
    place.check(2, &["--backend", "moon", "-c", "true"], "invalid value 'moon'");
    place.check(2, &["--session", "", "-c", "true"], "session key cannot be empty");
    place.check(2, &["--session", "a\nb", "-c", "true"], "contains a control character");
    place.check(2, &["--session", &"k".repeat(257), "-c", "true"], "longer than 256");
    place.check(2, &["--serve", "-c", "true"], "cannot be used with");
    place.check(2, &["--serve", "--session", "a"], "cannot be used with");
    assert_eq!(place.run(&["--session", &"k".repeat(256), "-c", "true"]).code, 0);
}

#[test]
fn the_help_tells_about_sessions() {
    let help = Place::new().ok(&["--help"]);
    for text in ["--serve", "--session <KEY>", "--stdin", "--json", "124 after a timeout", "terminal.lifetime_seconds"]
    {
        assert!(help.contains(text), "{text} in {help}");
    }
}

#[test]
fn another_backend_is_never_silently_the_local_one() {
    let place = Place::configured("terminal:\n  backend: ssh\n");
    place.check(78, &["-c", "true"], "terminal.backend is ssh, and only local and docker");
    place.check(78, &["--session", "a", "-c", "true"], "hint: give --backend local");
    place.check(78, &["--serve"], "terminal.backend is ssh");
    place.check(78, &["--serve", "--backend", "docker"], "only local sessions can be held");
    assert_eq!(place.ok(&["--backend", "local", "-c", "echo here"]), "here\n");
    let _server = Server::spawn(place.exec(&["--serve", "--backend", "local"]));
}

#[test]
fn ten_megabytes_of_input_arrive() {
    let place = Place::new();
    let _server = Server::start(&place);
    for session in [&[][..], &["--session", "input"]] {
        let mut child = piped(place.exec(&[session, &["--stdin", "--", "wc", "-c"]].concat()));
        child.stdin.take().unwrap().write_all(&vec![7; 10_000_000]).unwrap();
        assert_eq!(crate::support::finish(child).stdout, "10000000\n", "{session:?}");
    }
}

#[test]
fn without_the_option_there_is_no_input() {
    let place = Place::new();
    let mut child = piped(place.exec(&["-c", "cat; echo end"]));
    let _ = child.stdin.take().unwrap().write_all(b"for nobody\n");
    assert_eq!(crate::support::finish(child).stdout, "end\n");
}

#[test]
fn output_is_passed_on_byte_for_byte() {
    let place = Place::new();
    let _server = Server::start(&place);
    let bytes: Vec<u8> = (0..1_000_003_u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(place.workspace().join("bytes"), &bytes).unwrap();
    for session in [&[][..], &["--session", "bytes"]] {
        let child = place.exec(&[session, &["--", "cat", "bytes"]].concat()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout == bytes, "{session:?}: {} bytes", output.stdout.len());
    }
}

/// The command goes on only after its first words have been answered.
#[test]
fn output_is_printed_as_it_comes() {
    let place = Place::new();
    let _server = Server::start(&place);
    for session in [&[][..], &["--session", "talk"]] {
        let mut child = piped(place.exec(&[session, &["--stdin", "-c", "echo who; read x; echo $x"]].concat()));
        assert_eq!(first_line(&mut child), "who");
        child.stdin.take().unwrap().write_all(b"me\n").unwrap();
        assert_eq!(crate::support::finish(child).stdout, "me\n");
    }
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let place = Place::new();
    let _server = Server::start(&place);
    for session in [&[][..], &["--session", "json"]] {
        let run = place.run(&[session, &["--json", "-c", "echo out; echo err >&2; exit 3"]].concat());
        assert_eq!(run.code, 3, "{run:?}");
        let mut object: Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(object["duration_ms"].take().is_u64());
        assert!(object["isolation_missing"].take().is_array());
        let expected = json!({
            "output": "out\nerr\n", "total_characters": 8, "omitted_characters": 0, "spill_path": null, "exit_code": 3,
            "end": "exited", "working_directory": place.workspace(), "notes": [], "duration_ms": null,
            "isolation_missing": null
        });
        assert_eq!(object, expected);
        assert_eq!(run.stdout.lines().count(), 1);
    }
}

#[test]
fn no_confinement_is_said_once_and_plainly() {
    let place = Place::configured("terminal:\n  sandbox: off\n");
    for arguments in [&["-c", "true"][..], &["--json", "-c", "true"]] {
        let run = place.run(arguments);
        assert_eq!(run.stderr, "warning: commands are not confined (terminal.sandbox is off)\n", "{run:?}");
    }
    assert_eq!(Place::new().run(&["-c", "true"]).stderr.matches("not confined").count(), 0);
}

#[test]
fn a_note_goes_to_standard_error() {
    let place = Place::new();
    let _server = Server::start(&place);
    place.in_session("gone", "mkdir here && cd here");
    std::fs::remove_dir(place.workspace().join("here")).unwrap();
    let run = place.run(&["--session", "gone", "-c", "pwd"]);
    assert_eq!(run.stdout.trim(), place.workspace().to_str().unwrap(), "{run:?}");
    assert!(run.stderr.starts_with("note: "), "{run:?}");
}

#[test]
fn a_reader_that_has_gone_ends_the_command_quietly() {
    let place = Place::new();
    let _server = Server::start(&place);
    for session in [&[][..], &["--session", "pipe"]] {
        let mut child = place.exec(&[session, &["-c", "yes"]].concat()).stdout(Stdio::piped()).spawn().unwrap();
        assert_eq!(first_line(&mut child), "y");
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), said(&String::from_utf8(output.stderr).unwrap()).as_str()), (Some(0), ""));
    }
}

/// A provider's key is not a matter of configuration, and that is said.
#[test]
fn a_credential_is_not_passed_to_commands_even_if_configuration_says_so() {
    let place = Place::configured("terminal:\n  env_passthrough: [OPENAI_API_KEY, MY_MODE]\n");
    let mut command = place.exec(&["-c", "echo \"$MY_MODE ${OPENAI_API_KEY-absent}\""]);
    command.env("OPENAI_API_KEY", "sk-secret").env("MY_MODE", "fast");
    let run = finish(command.spawn().unwrap());
    assert_eq!((run.code, run.stdout.as_str()), (0, "fast absent\n"), "{run:?}");
    assert!(run.stderr.contains("OPENAI_API_KEY is a credential of Hermes and is not passed to commands"), "{run:?}");
}
