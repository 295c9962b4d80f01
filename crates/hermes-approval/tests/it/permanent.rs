//! Several processes that allow something for good at once.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use hermes_approval::PermanentGrants;
use hermes_policy::allow_list::Grant;

use crate::support::home_at;

const HOME: &str = "HERMES_TEST_HOME";
const WRITER: &str = "HERMES_TEST_WRITER";
const PROCESSES: usize = 8;
const ENTRIES: usize = 5;

#[test]
fn eight_processes_add_at_once_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (home, environment) = home_at(folder.path(), "# mine\ncommand_allowlist:\n  - first\n");
    let children: Vec<_> = (0..PROCESSES).map(|writer| child(folder.path().into(), writer).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let mut entries = PermanentGrants::of(&home, &environment).entries().unwrap();
    entries.sort();
    let mut expected: Vec<_> =
        (0..PROCESSES).flat_map(|writer| (0..ENTRIES).map(move |number| text(writer, number))).collect();
    expected.push("first".to_owned());
    expected.sort();
    assert_eq!(entries, expected);
    assert!(std::fs::read_to_string(home.config_path()).unwrap().starts_with("# mine\n"));
}

/// The other process; in an ordinary run of the tests there is nothing to do.
#[test]
#[expect(clippy::disallowed_methods, reason = "a child is told what to do by its environment")]
fn child_adds_its_entries() {
    let (Ok(folder), Ok(writer)) = (std::env::var(HOME), std::env::var(WRITER)) else { return };
    let environment = hermes_proto::HostEnvironment::from_pairs([("HERMES_HOME", &folder)]);
    let home = hermes_home::HomeRoot::find(&environment).unwrap().select(&hermes_home::Asked::Nothing).unwrap();
    let permanent = PermanentGrants::of(&home, &environment);
    for number in 0..ENTRIES {
        permanent.add(&Grant::parse(&text(writer.parse().unwrap(), number)).unwrap()).unwrap();
    }
}

fn text(writer: usize, number: usize) -> String {
    format!("git push --force remote{writer} branch{number}")
}

#[expect(clippy::disallowed_methods, reason = "a test starts other processes to compete with")]
fn child(home: PathBuf, writer: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "permanent::child_adds_its_entries"]).env(HOME, home).env(WRITER, writer.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
