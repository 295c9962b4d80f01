//! What the doctor says about the home, its files and what is in them.

use std::fs;
use std::os::unix::fs::chown;

use rustix::process::geteuid;

use super::machine::{ALL, Line, Machine, Report, run};
use crate::support::finish;
use crate::support::{STRANGER, is_root, set_mode};

#[test]
fn a_home_that_others_may_enter_is_a_warning() {
    let machine = Machine::healthy();
    let home = machine.home();
    for bits in [0o755, 0o710, 0o707] {
        set_mode(&home, bits);
        let advice = format!("chmod 700 {}", home.display());
        let seen = format!("~/home ({bits:04o}) is open to others than its owner");
        assert_eq!(machine.line("home"), (0, Line::new("warning", seen, Some(&advice))));
    }
}

#[test]
fn a_home_of_somebody_else_is_a_failure() {
    let machine = Machine::healthy();
    let mut command = machine.command(&["doctor", "--json"]);
    if is_root() {
        chown(machine.home(), Some(STRANGER), None).unwrap();
    } else {
        command.env("HERMES_HOME", "/usr");
    }
    let report = Report::of(&mut command);
    let line = report.line("home");
    assert_eq!((report.code, line.status.as_str()), (1, "failure"));
    assert!(line.seen.contains(" belongs to "), "{line:?}");
    assert!(line.advice.as_ref().unwrap().contains("sudo chown -R "), "{line:?}");
}

#[test]
fn a_home_that_cannot_be_is_reported_beside_all_other_checks() {
    let machine = Machine::healthy();
    let nowhere = machine.command(&["doctor", "--json"]).env_remove("HERMES_HOME").env_remove("HOME").spawn().unwrap();
    let below_a_file = machine.command(&["doctor", "--json"]).env("HERMES_HOME", "/dev/null/home").spawn().unwrap();
    for child in [nowhere, below_a_file] {
        let run = finish(child);
        let report = Report { code: run.code, json: serde_json::from_str(&run.stdout).unwrap() };
        let line = report.line("home");
        assert_eq!((report.code, line.status.as_str()), (1, "failure"), "{line:?}");
        assert!(line.advice.is_some());
        assert_eq!(report.line("auth.json").seen, "not looked at: there is no usable home");
        assert_eq!(report.line("bash").status, "ok");
        assert_eq!(report.json["checks"].as_array().unwrap().len(), ALL.len());
    }
}

#[test]
fn a_home_that_cannot_be_written_is_a_failure() {
    let machine = Machine::healthy();
    let mut command = machine.as_ordinary_user(&["/usr/bin/env"], &["doctor", "--json"]);
    set_mode(machine.home(), 0o500);
    let report = Report::of(&mut command);
    set_mode(machine.sandbox.home(), 0o700);
    let line = report.line("home");
    assert_eq!((report.code, line.status.as_str()), (1, "failure"));
    assert!(line.seen.contains("(0500) cannot be used: Permission denied"), "{line:?}");
}

#[test]
fn files_are_judged_by_who_else_may_use_them() {
    let check = |name: &str, bits: u32, code: i32, status: &str, advice: Option<&str>| {
        let machine = Machine::healthy();
        machine.file(name, if name == "auth.json" { "{}" } else { "" }, bits);
        let (found, line) = machine.line(name);
        let advice = advice.map(|command| format!("{command} {}", machine.sandbox.file(name).display()));
        assert_eq!((found, line.status.as_str(), line.advice), (code, status, advice), "{name} {bits:04o}");
        assert!(line.seen.contains(&format!("{bits:04o}")), "{}", line.seen);
    };
    for secret in [".env", "auth.json"] {
        check(secret, 0o600, 0, "ok", None);
        check(secret, 0o644, 1, "failure", Some("chmod 600"));
        check(secret, 0o640, 1, "failure", Some("chmod 600"));
    }
    check("config.yaml", 0o600, 0, "ok", None);
    check("config.yaml", 0o640, 0, "ok", None);
    check("config.yaml", 0o644, 0, "warning", Some("chmod 640"));
    check("config.yaml", 0o660, 0, "warning", Some("chmod 640"));
    check("config.yaml", 0o646, 1, "failure", Some("chmod 640"));
}

/// Invariant 13: a permission error is told as one, with owner, mode and remedy.
#[test]
fn invariant_13_a_file_that_cannot_be_read_is_told_with_owner_mode_and_remedy() {
    for name in [".env", "auth.json", "config.yaml"] {
        let machine = Machine::healthy();
        // Root's own file is unreadable to the stranger; anybody else's by its mode.
        let bits = if is_root() { 0o600 } else { 0o000 };
        machine.file(name, "", bits);
        let report = Report::of(&mut machine.as_ordinary_user(&["/usr/bin/env"], &["doctor", "--json"]));
        let line = report.line(name);
        assert_eq!((report.code, line.status.as_str()), (1, "failure"), "{name}");
        assert!(line.seen.contains(&format!("mode {bits:04o}")), "{line:?}");
        assert!(line.seen.contains(&format!("uid {}", geteuid().as_raw())), "{line:?}");
        let remedy = if is_root() { format!("sudo chown {STRANGER} ") } else { "chmod u+rw ".to_owned() };
        assert!(line.advice.as_ref().unwrap().contains(&remedy), "{line:?}");
    }
}

#[test]
fn a_folder_in_place_of_a_file_is_a_failure() {
    let machine = Machine::healthy();
    fs::create_dir(machine.home().join("auth.json")).unwrap();
    let (code, line) = machine.line("auth.json");
    assert_eq!((code, line.status.as_str()), (1, "failure"), "{line:?}");
}

#[test]
fn the_configuration_is_judged_by_whether_it_can_be_used() {
    // The words are the library's; the place and the count are what the doctor adds.
    let check = |content: &str, code: i32, status: &str, start: &str, end: &str| {
        let machine = Machine::healthy();
        machine.file("config.yaml", content, 0o600);
        let (found, line) = machine.line("configuration");
        assert_eq!((found, line.status.as_str()), (code, status), "{content:?}: {line:?}");
        let start = start.replace("FILE", &machine.sandbox.file("config.yaml").display().to_string());
        assert!(line.seen.starts_with(&start) && line.seen.ends_with(end), "{content:?}: {line:?}");
        assert_eq!(line.advice.is_some(), status != "ok");
    };
    check("", 0, "ok", "can be used", "can be used");
    check("terminal:\n  timeout: 60\n", 0, "ok", "can be used", "can be used");
    check("terminal:\n  timeoutt: 60\n", 0, "warning", "FILE:2:3: unknown key terminal.timeoutt", "?");
    let two = "unheard: 1\nterminal:\n  timeout: soon\n";
    check(two, 1, "failure", "FILE:3:12: terminal.timeout: ", " (and 1 more)");
    let machine = Machine::healthy();
    machine.file("config.yaml", "terminal: [\n", 0o600);
    let (code, line) = machine.line("configuration");
    assert_eq!((code, line.status.as_str()), (1, "failure"), "{line:?}");
    assert!(line.seen.contains("config.yaml:"), "{line:?}");
}

#[test]
fn credentials_are_listed_with_their_source() {
    let machine = Machine::healthy();
    let (code, line) = machine.line("credentials");
    assert_eq!((code, line.status.as_str(), line.seen.as_str()), (0, "warning", "no provider has one"));
    assert!(line.advice.as_ref().unwrap().contains("hermes auth add PROVIDER"), "{line:?}");

    machine.file(".env", "ANTHROPIC_API_KEY=sk-one\n", 0o600);
    let mut command = machine.command(&["doctor", "--json"]);
    command.env("ANTHROPIC_API_KEY", "sk-two").env("OPENROUTER_API_KEY", "sk-three");
    let line = Report::of(&mut command).line("credentials");
    assert_eq!(line.status, "ok");
    assert!(line.seen.contains("anthropic (.env ANTHROPIC_API_KEY, environment ANTHROPIC_API_KEY)"), "{line:?}");
    assert!(line.seen.contains("openrouter (environment OPENROUTER_API_KEY)"), "{line:?}");

    machine.file("auth.json", "{ broken", 0o600);
    let (code, line) = machine.line("credentials");
    assert_eq!((code, line.status.as_str()), (1, "failure"), "{line:?}");
    assert!(line.seen.contains("auth.json"), "{line:?}");
}

#[test]
fn the_values_of_secrets_are_never_shown() {
    const SECRET: &str = "sk-do-not-show-0123456789";
    for bits in [0o600, 0o644] {
        let machine = Machine::healthy();
        let end = if bits == 0o600 { "}}" } else { "" };
        machine.file(".env", &format!("OPENAI_API_KEY={SECRET}\nbroken {SECRET}\n"), bits);
        machine.file("auth.json", &format!("{{\"openai\": {{\"api_key\": \"{SECRET}\"{end}"), bits);
        machine.file("config.yaml", &format!("model: {{ api_key: {SECRET}\n"), bits);
        for arguments in [["doctor", "-vv"], ["doctor", "--json"]] {
            let mut command = machine.command(&arguments);
            command.env("OPENAI_API_KEY", SECRET);
            let run = run(&mut command);
            assert!(run.stdout.contains("auth.json"), "{run:?}");
            assert!(!run.stdout.contains("do-not-show") && !run.stderr.contains("do-not-show"), "{run:?}");
        }
    }
}
