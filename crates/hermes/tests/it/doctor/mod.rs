//! `hermes doctor` as a person or a script uses it.

mod home;
mod machine;
mod programs;

use crate::support::quiet;
use machine::{ALL, Machine, Report, run};

use crate::support::{Sandbox, finish};

#[test]
fn a_fresh_machine_passes() {
    let sandbox = Sandbox::new();
    let text = sandbox.ok(["doctor"]);
    assert!(text.starts_with("ok       home           ~/home (0700)\n"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.lines().last().unwrap().starts_with(&format!("{} checks: ", ALL.len())), "{text}");
    assert!(text.ends_with(", 0 failures\n"), "{text}");
    for line in text.lines().filter(|line| line.starts_with("warning")) {
        let below = text.split_once(line).unwrap().1;
        assert!(below.starts_with("\n         -> "), "no advice below {line:?}");
    }
}

#[test]
fn json_has_every_check_with_stable_names() {
    let report = Machine::healthy().report();
    let checks = report.json["checks"].as_array().unwrap();
    let names: Vec<_> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ALL);
    for check in checks {
        let fields: Vec<_> = check.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["area", "name", "status", "seen", "advice"]);
        assert!(["home", "programs", "kernel"].contains(&check["area"].as_str().unwrap()), "{check}");
        assert_eq!(check["advice"].is_null(), check["status"] == "ok", "{check}");
    }
    let worst = if checks.iter().any(|check| check["status"] == "warning") { "warning" } else { "ok" };
    assert_eq!(report.json["status"], worst);
    assert_eq!(report.code, 0);
}

#[test]
fn a_profile_that_does_not_exist_is_an_error_of_the_command_line() {
    let machine = Machine::healthy();
    let run = run(&mut machine.command(&["-p", "../x", "doctor"]));
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
}

#[test]
fn a_machine_without_a_thread_or_process_left_still_gets_its_report() {
    let machine = Machine::healthy();
    let mut command = machine.as_ordinary_user(&["/usr/bin/prlimit", "--nproc=1"], &["doctor", "--json"]);
    let report = Report::of(&mut command);
    assert_eq!(report.json["checks"].as_array().unwrap().len(), ALL.len());
    let line = report.line("bash");
    assert_eq!((report.code, line.status.as_str()), (1, "failure"));
    assert!(line.advice.as_ref().unwrap().starts_with("end some processes"), "{line:?}");
}

/// A namespace of our own, in which no more may be made, shows whether the probe
/// tells a limit from other refusals.
#[test]
fn a_limit_on_user_namespaces_is_told_as_a_limit() {
    let machine = Machine::healthy();
    let mut unshare = quiet("/usr/bin/unshare");
    unshare.args(["--user", "--map-root-user", "/bin/sh", "-c"]);
    unshare.arg("echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"").arg("sh");
    unshare.args([env!("CARGO_BIN_EXE_hermes"), "doctor", "--json"]);
    let run = run(unshare.env("HERMES_HOME", machine.home()).env("PATH", machine.programs.path()));
    if run.stdout.is_empty() {
        // Where unshare is refused, the doctor must have noticed that itself.
        assert_eq!(machine.line("namespaces").1.status, "warning", "{run:?}");
        return;
    }
    let report = Report { code: run.code, json: serde_json::from_str(&run.stdout).unwrap() };
    let line = report.line("namespaces");
    assert_eq!((report.code, line.status.as_str()), (0, "warning"));
    assert_eq!(line.seen, "no user namespace can be made: the limit on their number is reached");
    assert!(line.advice.as_ref().unwrap().contains("sysctl user.max_user_namespaces"), "{line:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let machine = Machine::healthy();
    let mut command = machine.command(&["doctor"]);
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let run = finish(child);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}
