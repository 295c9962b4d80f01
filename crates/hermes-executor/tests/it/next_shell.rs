//! The shell that is started before its command: used where it cannot be told from a fresh one, gone where it could.

use std::fs;
use std::time::{Duration, Instant};

use hermes_proto::executor::{Frame, FrameKind, RunCommand, Stdin};
use rustix::process::{Pid, Signal, kill_process};

use super::client::{Client, await_process_end, run_command};

#[test]
fn it_runs_the_next_command_and_no_other() {
    let (mut client, mut waiting) = Client::with_waiting_shell("/");
    for _ in 0..5 {
        assert_eq!(client.output("echo $$"), format!("{waiting}\n"));
        let next = client.await_waiting_shell();
        assert_ne!(next, waiting);
        waiting = next;
    }
    assert_eq!(client.close(), Some(0));
    client.assert_nothing_left();
}

#[test]
fn it_cannot_be_told_from_a_fresh_one() {
    const LOOK: &str = "echo $$; pwd; env | sort; set -o; shopt; declare -F; alias; trap -p; umask; ulimit -a; jobs; \
        echo \"$- $# $0 $SECONDS $SHLVL $BASH_SUBSHELL $LINENO $PWD ${OLDPWD-unset} ${FUNCNAME-unset}\"; \
        ls /proc/self/fd; cat; grep -E 'Sig(Blk|Ign|Cgt)|Groups|Cap' /proc/self/status; f x; say it; (exit 3); echo $?; \
        exec 250>&-; ls /proc/self/fd; return 5; echo reached $?; exit 6";
    let prepare = "cd /usr; export A='a b'; f() { echo \"f $1\"; }; alias say='echo said'";
    let look = |client: &mut Client| {
        let result = client.run(LOOK);
        let (number, seen) = result.output.split_once('\n').unwrap();
        (number.to_owned(), seen.replace(&client.mark().1, "MARK"), result.exit_code)
    };
    let mut fresh = Client::start();
    fresh.output(prepare);
    let (_, seen_by_fresh, code_of_fresh) = look(&mut fresh);
    assert!(seen_by_fresh.contains("\nreached 2\n"), "{seen_by_fresh}");
    let mut client = Client::start();
    client.output(prepare);
    client.output("true");
    client.await_waiting_shell();
    // What it waited must not be the command's time.
    std::thread::sleep(Duration::from_millis(1100));
    let waiting = client.await_waiting_shell();
    assert_eq!(look(&mut client), (waiting, seen_by_fresh, code_of_fresh));
}

#[test]
fn it_tells_what_is_wrong_as_a_fresh_one_does() {
    for text in
        ["echo $?", "echo $(; echo unreached", "echo 'open", "no-such-program", "return 5", "set -u; echo $none"]
    {
        let expected = Client::start().run(text);
        let (mut client, waiting) = Client::with_waiting_shell("/");
        let result = client.run(text);
        assert_eq!((result.output, result.exit_code), (expected.output, expected.exit_code), "{text}");
        await_process_end(&waiting);
    }
}

#[test]
fn the_state_it_leaves_is_kept_like_any_other() {
    let (mut client, _) = Client::with_waiting_shell("/");
    client.output("cd /usr; export A=1; f() { echo f; }");
    assert_eq!(client.output("pwd; echo $A; f"), "/usr\n1\nf\n");
    let waiting = client.await_waiting_shell();
    let result = client.run("echo $$; export A=2; exit 3");
    assert_eq!((result.exit_code, result.output), (3, format!("{waiting}\n")));
    client.await_waiting_shell();
    assert_eq!(client.output("echo $A"), "2\n");
}

#[test]
fn another_environment_gets_another_shell() {
    let (mut client, waiting) = Client::with_waiting_shell("/");
    let mut command = run_command("echo $$ $GIVEN");
    command.environment.push(("GIVEN".to_owned(), "anew".to_owned()));
    let output = client.run_with(command).output;
    assert!(output.ends_with(" anew\n") && !output.starts_with(&format!("{waiting} ")), "{output}");
    await_process_end(&waiting);
}

#[test]
fn a_directory_that_was_made_anew_is_not_the_one_it_waits_in() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    fs::create_dir(&place).unwrap();
    let (mut client, waiting) = Client::with_waiting_shell(place.to_str().unwrap());
    // Kept, so that its number is not given away again.
    fs::rename(&place, folder.path().join("old")).unwrap();
    fs::create_dir(&place).unwrap();
    fs::write(place.join("new"), "").unwrap();
    assert_eq!(client.output("ls"), "new\n");
    await_process_end(&waiting);
    client.output("true");
    let waiting = client.await_waiting_shell();
    fs::remove_dir_all(&place).unwrap();
    let result = client.run("pwd");
    assert_eq!(result.output, format!("{}\n", folder.path().display()));
    assert_eq!(result.notes.len(), 1, "{result:?}");
    await_process_end(&waiting);
}

#[test]
fn a_command_with_input_or_of_any_length_runs_as_ever() {
    let (mut client, waiting) = Client::with_waiting_shell("/");
    let id = client.ask_run(RunCommand { stdin: Stdin::Streamed, ..run_command("cat") });
    client.send(&Frame::new(FrameKind::Data, id, *b"typed"));
    client.send(&Frame::new(FrameKind::EndOfInput, id, []));
    assert_eq!(client.result(id).output, "typed");
    await_process_end(&waiting);
    for length in [4095, 4096, 4097, 65_536, 200_000] {
        client.output("true");
        client.output("true");
        let waiting = client.await_waiting_shell();
        let mut text = "echo $$; : ".to_owned();
        text.extend(std::iter::repeat_n('x', length - text.len()));
        let used = client.output(&text) == format!("{waiting}\n");
        assert_eq!(used, length <= 4096, "one that is sent as one piece: {length}");
    }
    client.output("true");
    client.await_waiting_shell();
    assert_eq!(client.output(""), "");
}

#[test]
fn one_that_died_is_not_missed() {
    let (mut client, waiting) = Client::with_waiting_shell("/");
    kill_process(Pid::from_raw(waiting.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    await_process_end(&waiting);
    assert_eq!(client.output("echo fine"), "fine\n");
}

#[test]
fn one_whose_executor_is_killed_goes() {
    let (mut client, waiting) = Client::with_waiting_shell("/");
    client.kill_executor();
    await_process_end(&waiting);
    client.assert_nothing_left();
}

#[test]
fn it_does_not_wait_for_ever() {
    let begin = Instant::now();
    let (mut client, waiting) = Client::with_waiting_shell("/");
    await_process_end(&waiting);
    assert!(begin.elapsed() >= Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(client.output("echo fine"), "fine\n");
}

/// Not by what another command left running, and not by root.
#[test]
fn nobody_else_can_send_it_a_command() {
    let (mut client, waiting) = Client::with_waiting_shell("/");
    let socket = format!("/proc/{waiting}/fd/251");
    assert!(fs::symlink_metadata(&socket).is_ok());
    let error = fs::OpenOptions::new().write(true).open(&socket).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(rustix::io::Errno::NXIO.raw_os_error()));
    assert_eq!(client.output("echo $$"), format!("{waiting}\n"));
}

/// Whoever ends late changes what the next one starts with.
#[test]
fn none_is_made_while_a_command_runs() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    let (mut client, waiting) = Client::with_waiting_shell("/");
    let text = format!("mkfifo {0}; echo begun; read line < {0}; cd /usr", fifo.display());
    let long = client.ask_run(RunCommand { streams_output: true, ..run_command(&text) });
    client.streamed(long, 6);
    for _ in 0..10 {
        // Only a shell that has waited knows its script by this name.
        assert_eq!(client.output("echo ${__hermes_script-fresh}"), "fresh\n");
    }
    fs::write(&fifo, "end\n").unwrap();
    assert_eq!(client.result(long).exit_code, 0);
    await_process_end(&waiting);
    client.output("true");
    client.await_waiting_shell();
    assert_eq!(client.output("pwd"), "/usr\n");
}
