//! Ordinary commands, and odd ones that are nobody's fault.

use hermes_proto::executor::{CommandEnd, Frame, FrameKind, RequestFailure, Stdin};

use super::client::{Client, open, run_command};

#[test]
fn output_status_and_directory_come_back() {
    let mut client = Client::start();
    let result = client.run("echo out; echo err >&2; echo out; cd /usr; (exit 7)");
    assert_eq!(result.output, "out\nerr\nout\n");
    assert_eq!((result.exit_code, result.end), (7, CommandEnd::Exited));
    assert_eq!(result.working_directory, "/usr");
    assert_eq!((result.total_characters, result.omitted_characters, result.spill_path), (12, 0, None));
    assert!(result.notes.is_empty(), "{:?}", result.notes);
    assert_eq!(client.close(), Some(0));
}

#[test]
fn the_exit_status_is_the_shells_own() {
    let mut client = Client::start();
    let mut check = |text: &str, code: i32, output: &str| {
        let result = client.run(text);
        assert_eq!((result.exit_code, result.output.as_str()), (code, output), "{text}");
        assert_eq!(result.end, CommandEnd::Exited, "{text}");
    };
    check("", 0, "");
    check("true", 0, "");
    check("false", 1, "");
    check("exit 42", 42, "");
    check("(exit 3)", 3, "");
    check("set -e; false; echo no", 1, "");
    check("set -e; true; echo yes", 0, "yes\n");
    check("set -o pipefail; false | true", 1, "");
    check("exec true", 0, "");
    check("exec bash -c 'exit 9'", 9, "");
    check("trap 'echo bye $?' EXIT; (exit 4)", 4, "bye 4\n");
    check("trap 'echo bye $?' EXIT; exit 5", 5, "bye 5\n");
    check("trap 'echo D' DEBUG; true", 0, "D\n");
    check("trap 'echo E' ERR; false", 1, "E\n");
    check("f() { return 6; }; f", 6, "");
    check("cat <<END\na 'b' \"c\" $((1+1))\nEND", 0, "a 'b' \"c\" 2\n");
    check("echo 'it'\\''s' # comment", 0, "it's\n");
    check("echo last \\", 0, "last \\\n");
    check("set -n; echo nothing", 0, "");
    check("no-such-program-here 2>/dev/null", 127, "");
    check("echo $#-$0", 0, "0-bash\n");
    check("exec 250>&-; echo closed", 0, "closed\n");
    check("shopt -q expand_aliases && echo on", 0, "on\n");
    check("set -x; echo traced", 0, "++ echo traced\ntraced\n");
}

#[test]
fn a_syntax_error_is_told_once_and_spoils_nothing() {
    let mut client = Client::start();
    for text in ["echo 'open", "echo \"open", "if true", "foo(", "}", "do", "echo $(", "cat <<", "case x in", "\\"] {
        let result = client.run(text);
        let is_harmless = text == "\\";
        assert!(is_harmless || (1..=2).contains(&result.exit_code), "{text}: {result:?}");
        assert!(!result.output.contains("hermes"), "{text}: {result:?}");
    }
    let result = client.run("return 3");
    assert!(result.exit_code != 0 && result.output.contains("return"), "{result:?}");
    assert_eq!(client.output("echo fine"), "fine\n");
}

#[test]
fn a_signal_is_told_as_one() {
    let mut client = Client::start();
    let result = client.run("kill -KILL $$");
    assert_eq!((result.end, result.exit_code), (CommandEnd::Signalled { signal: 9 }, 137));
    let result = client.run("bash -c 'kill -SEGV $$'");
    assert_eq!((result.end, result.exit_code), (CommandEnd::Exited, 139));
}

#[test]
fn a_command_longer_than_an_argument_may_be_runs() {
    let mut client = Client::start();
    for length in [90_000, 130_000, 300_000, 2_000_000] {
        let text = format!(": '{}'\necho \"$#\" it\\'s; f() {{ echo inside; }}; f", "x".repeat(length));
        assert_eq!(client.output(&text), "0 it's\ninside\n", "{length}");
    }
    assert_eq!(client.output("echo \"[${__hermes_script-gone}]\"; f"), "[gone]\ninside\n");
}

#[test]
fn a_nul_character_is_refused_and_nothing_runs() {
    let mut client = Client::start();
    let id = client.ask_run(run_command("echo a\0b"));
    assert_eq!(client.failure(id), RequestFailure::NulInCommand);
    let mut command = run_command("echo a");
    command.environment.push(("A".to_owned(), "x\0y".to_owned()));
    let id = client.ask_run(command);
    let failure = client.failure(id).to_string();
    assert_eq!(failure, "shell cannot be started: variable A contains a NUL byte");
}

#[test]
fn an_environment_no_program_can_have_is_told() {
    let mut client = Client::start();
    let mut command = run_command("echo a");
    command.environment.push(("BIG".to_owned(), "x".repeat(200_000)));
    let id = client.ask_run(command);
    let failure = client.failure(id).to_string();
    assert!(failure.starts_with("shell cannot be started: bash cannot be executed: "), "{failure}");
    assert_eq!(client.output("echo next"), "next\n");
}

#[test]
fn programs_are_told_that_an_agent_runs_them_unless_somebody_said_otherwise() {
    let mut client = Client::start();
    let show = "echo $AI_AGENT $HERMES_AGENT $GIT_PAGER $PAGER";
    assert_eq!(client.output(show), "hermes-agent true cat cat\n");
    let mut command = run_command(show);
    command.environment.push(("PAGER".to_owned(), "less".to_owned()));
    assert_eq!(client.run_with(command).output, "hermes-agent true cat less\n");
}

#[test]
fn the_environment_is_what_was_given() {
    let mut client = Client::start();
    let seen = client.output("env | cut -d= -f1 | sort | tr '\\n' ' '");
    assert_eq!(seen, "AI_AGENT GIT_PAGER HERMES_AGENT HERMES_TEST_MARK PAGER PATH PWD SHELL SHLVL _ ");
    let mut kept = open("/");
    kept.keeps_own_environment = true;
    let mut client = Client::open(&kept);
    assert_eq!(client.output("echo $OWN_VARIABLE"), "own\n");
}

#[test]
fn no_descriptor_but_the_usual_ones_reaches_a_program() {
    let mut client = Client::start();
    let seen = client.output("exec 250>&-; ls /proc/self/fd | tr '\\n' ' '");
    assert_eq!(seen, "0 1 2 3 ", "the fourth is ls reading the folder");
    assert_eq!(client.output("cat; echo end"), "end\n", "standard input is at its end");
    let stat = client.output("cut -d' ' -f1,5,6 /proc/$$/stat");
    let numbers: Vec<_> = stat.trim().split(' ').collect();
    assert!(numbers.iter().all(|number| *number == numbers[0]), "a session and a group of its own: {stat}");
}

#[test]
fn no_signal_is_ignored_or_blocked() {
    let mut client = Client::start();
    let seen = client.output("grep -E 'SigBlk|SigIgn' /proc/self/status | cut -f2");
    assert_eq!(seen, "0000000000000000\n0000000000000000\n");
}

#[test]
fn input_is_streamed_under_credit() {
    const LENGTH: usize = 3_000_000;
    let mut client = Client::start();
    let mut command = run_command("wc -c; echo after");
    command.stdin = Stdin::Streamed;
    let id = client.ask_run(command);
    let mut window = hermes_proto::executor::INITIAL_WINDOW as usize;
    let mut left = LENGTH;
    while left > 0 {
        while window == 0 {
            let credit = client.frame_where(|frame| frame.kind == FrameKind::Credit && frame.request == id).unwrap();
            window += credit.granted().unwrap() as usize;
        }
        let piece = left.min(window).min(50_000);
        client.send(&Frame::new(FrameKind::Data, id, vec![b'x'; piece]));
        (window, left) = (window - piece, left - piece);
    }
    client.send(&Frame::new(FrameKind::EndOfInput, id, Vec::new()));
    assert_eq!(client.result(id).output, format!("{LENGTH}\nafter\n"));
}

#[test]
fn one_that_does_not_read_its_input_holds_nobody_up() {
    let mut client = Client::start();
    let mut command = run_command("read -r line; echo \"got $line\"; read -r _ </dev/null; sleep 300");
    command.stdin = Stdin::Streamed;
    command.streams_output = true;
    let id = client.ask_run(command);
    let window = hermes_proto::executor::INITIAL_WINDOW as usize;
    let mut data = b"first\n".to_vec();
    data.resize(window, b'x');
    client.send(&Frame::new(FrameKind::Data, id, data));
    assert_eq!(client.streamed(id, 10), b"got first\n");
    assert_eq!(client.output("echo others go on"), "others go on\n");
    client.send(&Frame::new(FrameKind::Cancel, id, Vec::new()));
    assert_eq!(client.result(id).end, CommandEnd::Interrupted);
}

#[test]
fn input_that_nobody_wants_any_more_is_let_go() {
    let mut client = Client::start();
    let mut command = run_command("exec 0<&-; sleep 0.05; echo done");
    command.stdin = Stdin::Streamed;
    let id = client.ask_run(command);
    for _ in 0..4 {
        client.send(&Frame::new(FrameKind::Data, id, vec![b'x'; 60_000]));
    }
    assert_eq!(client.result(id).output, "done\n");
    client.send(&Frame::new(FrameKind::Data, id, vec![b'x'; 60_000]));
    client.send(&Frame::new(FrameKind::EndOfInput, id, Vec::new()));
    assert_eq!(client.output("echo next"), "next\n");
}

#[test]
fn a_hundred_at_once_share_one_link() {
    let mut client = Client::start();
    let ids: Vec<_> = (0..100)
        .map(|number| (number, client.ask_run(run_command(&format!("echo {number}; exit {number}")))))
        .collect();
    for (number, id) in ids.into_iter().rev() {
        let result = client.result(id);
        assert_eq!((result.exit_code, result.output), (number, format!("{number}\n")));
    }
    assert_eq!(client.close(), Some(0));
    client.assert_nothing_left();
}

#[test]
fn a_file_operation_shares_the_directory() {
    use hermes_proto::executor::{Answer, FileAnswer, FileRequest, ReadFile, Request};
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start();
    client.output(&format!("cd {} && printf 'one\\ntwo\\n' > file", folder.path().display()));
    let request = ReadFile { path: "file".to_owned(), offset: 2, limit: 10 };
    let id = client.ask(&Request::File(FileRequest::Read(request)));
    match client.answer(id) {
        Answer::File(FileAnswer::Text { content, .. }) => assert!(content.contains("two"), "{content}"),
        other => panic!("{other:?}"),
    }
}
