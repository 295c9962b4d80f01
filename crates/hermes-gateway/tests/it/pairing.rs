//! Codes for strangers: few, short-lived, and worth nothing without the command line.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use hermes_gateway::Platform;
use hermes_gateway::pairing::{Pairing, PairingError};
use hermes_home::{Asked, HomeRoot};
use hermes_proto::HostEnvironment;

use crate::ground::id;

struct Place {
    folder: tempfile::TempDir,
    pairing: Pairing,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let environment = HostEnvironment::from_pairs([("HERMES_HOME", folder.path().join("home"))]);
    let home = HomeRoot::find(&environment).unwrap().select(&Asked::Nothing).unwrap();
    Place { folder, pairing: Pairing::of(&home) }
}

fn telegram() -> Platform {
    "telegram".parse().unwrap()
}

fn after(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

#[test]
fn a_code_lets_in_whoever_got_it_and_only_once() {
    let Place { folder, pairing } = place();
    let code = pairing.request(&telegram(), &id("5"), "Eve\u{1b}[2J", after(0)).unwrap().unwrap();
    assert!(code.len() == 8 && !code.contains(['0', 'O', '1', 'I']), "{code}");
    assert!(!pairing.is_paired(&telegram(), &id("5")).unwrap());
    assert_eq!(pairing.waiting(after(1)).unwrap()[0].person, "5");
    let pending = folder.path().join("home/pairing/telegram-pending.json");
    assert!(!std::fs::read_to_string(&pending).unwrap().contains(&code), "codes are not kept as they are");
    assert_eq!(pending.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // Of another platform it is worth nothing.
    let other = "slack".parse().unwrap();
    assert!(matches!(pairing.approve(&other, &code, after(2)), Err(PairingError::UnknownCode { .. })));
    let paired = pairing.approve(&telegram(), &format!(" {} ", code.to_lowercase()), after(2)).unwrap();
    assert_eq!((paired.person.as_str(), paired.since), ("5", 1_800_000_002));
    assert!(pairing.is_paired(&telegram(), &id("5")).unwrap());
    assert!(!pairing.is_paired(&other, &id("5")).unwrap());
    assert!(matches!(pairing.approve(&telegram(), &code, after(3)), Err(PairingError::UnknownCode { .. })));
    assert!(pairing.revoke(&telegram(), "5").unwrap() && !pairing.revoke(&telegram(), "5").unwrap());
    assert!(!pairing.is_paired(&telegram(), &id("5")).unwrap());
}

#[test]
fn codes_are_few_and_end() {
    let Place { folder: _folder, pairing } = place();
    let ask = |person: &str, seconds| pairing.request(&telegram(), &id(person), "", after(seconds)).unwrap();
    let first = ask("1", 0).unwrap();
    assert_eq!(ask("1", 599), None, "not again so soon");
    let second = ask("1", 600).unwrap();
    assert!(ask("2", 600).is_some() && ask("3", 600).is_some());
    assert_eq!(ask("4", 601), None, "three wait already");
    assert!(pairing.approve(&telegram(), &first, after(601)).is_err(), "a newer code takes the place of the older");
    assert!(pairing.approve(&telegram(), &second, after(600 + 3_600)).is_err(), "it has ended");
    assert!(pairing.waiting(after(600 + 3_600)).unwrap().is_empty());
    assert!(ask("4", 600 + 3_600).is_some(), "there is room again");
    assert_eq!(pairing.clear_waiting().unwrap(), 1);
    assert!(pairing.waiting(after(600)).unwrap().is_empty());
}

#[test]
fn wrong_codes_lock_approving_for_a_while() {
    let Place { folder: _folder, pairing } = place();
    let code = pairing.request(&telegram(), &id("1"), "", after(0)).unwrap().unwrap();
    for _ in 0..5 {
        assert!(matches!(pairing.approve(&telegram(), "AAAAAAAA", after(1)), Err(PairingError::UnknownCode { .. })));
    }
    let locked = pairing.approve(&telegram(), &code, after(2));
    assert!(matches!(locked, Err(PairingError::Locked { minutes: 60, .. })), "{locked:?}");
    assert_eq!(pairing.request(&telegram(), &id("2"), "", after(2)).unwrap(), None);
    assert!(pairing.request(&telegram(), &id("2"), "", after(1 + 3_600)).unwrap().is_some());
}

#[test]
fn who_was_let_in_by_an_older_version_stays_in() {
    let Place { folder, pairing } = place();
    let file = folder.path().join("home/pairing/telegram-approved.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, r#"{"77": {"user_name": "Ann", "approved_at": 1700000000.25}, "78": {}}"#).unwrap();
    assert!(pairing.is_paired(&telegram(), &id("77")).unwrap() && pairing.is_paired(&telegram(), &id("78")).unwrap());
    assert_eq!(pairing.paired().unwrap()[0].since, 1_700_000_000);
    std::fs::write(&file, "[]").unwrap();
    assert!(pairing.is_paired(&telegram(), &id("77")).is_err(), "a broken file lets nobody in");
}
