//! Commands that do not want to end, or do not want others to work.

use std::time::{Duration, Instant};

use hermes_proto::executor::{CommandEnd, CommandResult, Frame, FrameKind};

use super::client::{Client, run_command};

const FOREVER: &str = "300";

/// Runs a command that must be ended by its time, and checks that nothing of it is left.
fn timed_out(text: &str) -> CommandResult {
    let mut client = Client::start();
    let mut command = run_command(text);
    command.timeout_ms = Some(300);
    let started = Instant::now();
    let result = client.run_with(command);
    assert_eq!(result.end, CommandEnd::TimedOut, "{text}: {result:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{text}: {:?}", started.elapsed());
    assert_eq!(client.leftovers(), [""; 0], "{text}");
    assert_eq!(client.output("echo alive"), "alive\n", "{text}");
    result
}

#[test]
fn one_that_ignores_the_polite_signal() {
    let result = timed_out("trap '' TERM INT HUP; echo ready; while :; do sleep 1; done");
    assert!(result.output.starts_with("ready\n"), "{}", result.output);
}

#[test]
fn one_that_forks_twice_and_begins_a_session() {
    timed_out(&format!(
        "(setsid bash -c 'trap \"\" TERM; (setsid sleep {FOREVER} &); sleep {FOREVER}' &); sleep {FOREVER}"
    ));
}

#[test]
fn one_whose_children_are_stopped() {
    timed_out(&format!("sleep {FOREVER} & kill -STOP $!; setsid sleep {FOREVER} & kill -STOP $!; kill -STOP $$"));
}

/// Bounded, because not even a limit on processes stops root: 255 processes, each of which ignores
/// the polite signal, half of them in sessions of their own.
#[test]
fn one_that_forks_a_whole_tree() {
    timed_out(&format!(
        "branch() {{ (trap '' TERM; [ $1 -gt 0 ] && {{ branch $(($1 - 1)) & setsid bash -c \"trap '' TERM; sleep {FOREVER}\" & \
         branch $(($1 - 1)) & }}; sleep {FOREVER}) & }}; branch 6; wait"
    ));
}

#[test]
fn one_that_is_always_somebody_else() {
    // A process that forks and ends at once, on and on, is never where it was looked for.
    timed_out(
        "cat > /dev/null & python3 -c '
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.setsid() if os.getpid() != os.getsid(0) else None
end = time.monotonic() + 20
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
' & sleep 300",
    );
}

#[test]
fn one_that_closes_all_descriptors() {
    timed_out("for n in /proc/$$/fd/*; do n=${n##*/}; eval \"exec $n>&-\" 2>/dev/null; done; while :; do :; done");
}

#[test]
fn one_that_kills_its_warden() {
    let mut client = Client::start();
    let before = client.output("echo 1");
    let text = format!(
        "(trap '' TERM; setsid sleep {FOREVER} &); sleep {FOREVER} & disown; echo last words; kill -KILL $PPID; sleep {FOREVER}"
    );
    let result = client.run(&text);
    assert_eq!((result.end, result.exit_code), (CommandEnd::Signalled { signal: 9 }, 137));
    assert!(result.notes[0].contains("was killed"), "{:?}", result.notes);
    assert_eq!(result.output, "last words\n");
    assert_eq!(client.leftovers(), [""; 0]);
    assert_eq!(client.output("echo 1"), before);
}

#[test]
fn one_that_kills_its_warden_does_not_take_others_with_it() {
    let mut client = Client::start();
    let mut command = run_command("echo ready; read -r line; echo \"still $line\"");
    command.stdin = hermes_proto::executor::Stdin::Streamed;
    command.streams_output = true;
    let other = client.ask_run(command);
    client.streamed(other, 6);
    client.run("kill -KILL $PPID; sleep 300");
    client.send(&Frame::new(FrameKind::Data, other, *b"here\n"));
    assert_eq!(client.result(other).output, "ready\nstill here\n");
}

#[test]
fn one_that_stops_its_warden() {
    timed_out(&format!("(setsid sleep {FOREVER} &); while :; do kill -STOP $PPID; sleep 0.01; done"));
}

#[test]
fn one_that_tells_its_warden_to_end() {
    let mut client = Client::start();
    let result = client.run(&format!("echo a; kill -TERM $PPID; sleep {FOREVER}"));
    // The signal may come just before the shell starts something that never hears of it.
    assert!(matches!(result.end, CommandEnd::Signalled { signal: 15 | 9 }), "{result:?}");
    assert_eq!(result.output, "a\n");
    client.assert_nothing_left();
}

#[test]
fn one_that_floods_starves_nobody() {
    let mut client = Client::start();
    let mut command = run_command("yes");
    command.streams_output = true;
    let flood = client.ask_run(command);
    client.send(&Frame::credit(flood, u32::MAX));
    client.streamed(flood, 1_000_000);
    let quiet_flood = client.ask_run(run_command("yes"));
    let started = Instant::now();
    for _ in 0..10 {
        let id = client.ask_run(run_command("echo through"));
        assert_eq!(client.passing(id, flood).output, "through\n");
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    for id in [flood, quiet_flood] {
        client.send(&Frame::new(FrameKind::Cancel, id, Vec::new()));
        let result = client.passing(id, flood);
        assert_eq!(result.end, CommandEnd::Interrupted);
        assert!(result.output.chars().count() < 50_200, "{}", result.output.len());
    }
    assert_eq!(client.leftovers(), [""; 0]);
}

#[test]
fn one_that_prints_nonsense_gets_replacements() {
    let mut client = Client::start();
    assert_eq!(
        client.output("printf 'a\\xff\\xc3'; sleep 0.02; printf '\\xa4\\x00z\\xe2\\x82'"),
        "a\u{fffd}ä\0z\u{fffd}"
    );
}
