//! s6 played by scripts that record how they were called: what is published, and what is rolled back.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hermes_home::{HomeName, HomeRoot};
use hermes_proto::HostEnvironment;

use super::S6;
use crate::manager::{Registration, ServiceError, ServiceManager, StartAfter};
use crate::places::Places;

pub(crate) struct Fake {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) root: HomeRoot,
    pub(crate) s6: S6,
}

/// The scanner starts a supervisor: it writes its status.
pub(crate) const SCANS: &str = "for slot in \"$2\"/gateway-*; do [ -d $slot ] || continue; : >$slot/supervise/status; : >$slot/log/supervise/status; done";

impl Fake {
    pub(crate) fn new(scanner: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["service", "command", "home/profiles/coder"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        let calls = at("calls");
        for (name, body) in [("s6-svscanctl", scanner), ("s6-svc", ""), ("s6-svstat", "echo -1 false")] {
            let script = format!("#!/bin/sh\necho \"{name} $*\" >>{}\n{body}\n", calls.display());
            std::fs::write(at("command").join(name), script).unwrap();
            std::fs::set_permissions(at("command").join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let places = Places {
            scan: at("service"),
            state: at("s6"),
            tools: at("command"),
            programs: "/opt/hermes/supervise".into(),
        };
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", at("home"))])).unwrap();
        Self { s6: S6::new(places, root.clone()), root, folder }
    }

    fn register(&self, home: &str, start: StartAfter) -> Result<(), ServiceError> {
        self.s6.register(&home.parse().unwrap(), &Registration { environment: BTreeMap::new(), start })
    }

    fn slot(&self, name: &str) -> PathBuf {
        self.folder.path().join("service/gateway-coder").join(name)
    }

    fn calls(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("calls")).unwrap_or_default()
    }

    fn left(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path().join("service")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn coder() -> HomeName {
    "coder".parse().unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn test_s6_register_creates_service_dir_and_triggers_scan() {
    let fake = Fake::new(SCANS);
    fake.register("coder", StartAfter::WhenAsked).unwrap();
    assert_eq!(std::fs::read_to_string(fake.slot("type")).unwrap(), "longrun\n");
    assert_eq!(std::fs::read_link(fake.slot("run")).unwrap(), Path::new("/opt/hermes/supervise/gateway"));
    for name in ["finish", "log/run", "down", "timeout-kill"] {
        assert!(fake.slot(name).symlink_metadata().is_ok(), "{name}");
    }
    for folder in ["", "log/"] {
        let at = |name: &str| fake.slot(&format!("{folder}{name}"));
        assert_eq!((mode(&at("event")), mode(&at("supervise")), mode(&at("supervise/event"))), (0o3730, 0o755, 0o3730));
        assert_eq!(mode(&at("supervise/control")), 0o660);
    }
    assert!(fake.calls().starts_with("s6-svscanctl -a "), "{}", fake.calls());
    let text = std::fs::read_to_string(fake.slot("slot.json")).unwrap();
    assert!(!text.contains("HERMES_HOME"), "the home is found when it runs: {text}");
    assert_eq!(fake.s6.list().unwrap(), [coder()]);
    let again = fake.register("coder", StartAfter::Now);
    assert!(matches!(again, Err(ServiceError::AlreadyRegistered { .. })), "{again:?}");
    assert!(fake.slot("down").exists(), "the first one is untouched");
    assert_eq!(fake.left(), ["gateway-coder"]);
}

#[test]
fn a_slot_that_starts_now_has_no_down() {
    let fake = Fake::new(SCANS);
    fake.register("coder", StartAfter::Now).unwrap();
    assert!(!fake.slot("down").exists());
}

#[test]
fn a_failed_scan_leaves_nothing() {
    let fake = Fake::new("echo no scanner >&2; exit 111");
    let error = fake.register("coder", StartAfter::Now).unwrap_err();
    assert!(error.to_string().contains("ended with exit code 111: no scanner"), "{error}");
    assert_eq!(fake.left(), Vec::<String>::new());
}

#[test]
fn a_leftover_of_a_killed_registration_is_in_nobodys_way() {
    let fake = Fake::new(SCANS);
    std::fs::create_dir_all(fake.folder.path().join("service/.gateway-coder.1.new/log")).unwrap();
    fake.register("coder", StartAfter::Now).unwrap();
    assert_eq!(fake.s6.list().unwrap(), [coder()], "what starts with a dot is no slot");
}

#[test]
fn a_missing_slot_is_told_before_anything_is_asked() {
    let fake = Fake::new(SCANS);
    for outcome in [fake.s6.start(&coder()), fake.s6.stop(&coder()), fake.s6.restart(&coder())] {
        let error = outcome.unwrap_err();
        assert_eq!(error.to_string(), "no such gateway 'coder'");
    }
    assert_eq!(fake.calls(), "");
    fake.s6.unregister(&coder()).unwrap();
    let absent = fake.s6.status(&coder()).unwrap();
    assert_eq!(absent.state, crate::ServiceState::Absent);
}

#[test]
fn start_and_stop_keep_what_the_operator_wants() {
    let fake = Fake::new(SCANS);
    fake.register("coder", StartAfter::WhenAsked).unwrap();
    let intent = || std::fs::read_to_string(fake.folder.path().join("home/profiles/coder/gateway_intent.json"));
    assert!(intent().is_err(), "registering is no wish");
    fake.s6.start(&coder()).unwrap();
    assert!(intent().unwrap().contains("\"running\"") && !fake.slot("down").exists());
    fake.s6.stop(&coder()).unwrap();
    assert!(intent().unwrap().contains("\"stopped\"") && fake.slot("down").exists());
    fake.s6.restart(&coder()).unwrap();
    assert!(intent().unwrap().contains("\"running\"") && !fake.slot("down").exists());
    let slot = fake.folder.path().join("service/gateway-coder");
    let calls = fake.calls();
    let last: Vec<&str> = calls.lines().rev().take(2).collect();
    assert_eq!(last[0], format!("s6-svc -u {}", slot.display()));
    assert!(last[1].starts_with("s6-svc -wD -T 12000 -d "), "a restart waits for the end: {calls}");
}

#[test]
fn an_ended_slot_leaves_nothing() {
    let fake = Fake::new(SCANS);
    fake.register("coder", StartAfter::Now).unwrap();
    fake.s6.unregister(&coder()).unwrap();
    assert_eq!(fake.left(), Vec::<String>::new());
    assert!(fake.calls().contains("s6-svscanctl -an "));
    fake.register("coder", StartAfter::Now).unwrap();
}

#[test]
fn a_variable_that_no_process_can_have_is_refused_at_once() {
    let fake = Fake::new(SCANS);
    for (name, value) in [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0y")] {
        let environment = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let registration = Registration { environment, start: StartAfter::Now };
        fake.s6.register(&coder(), &registration).unwrap_err();
    }
    assert_eq!(fake.left(), Vec::<String>::new());
}
