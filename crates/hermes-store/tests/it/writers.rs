//! Several processes write one store.

use std::collections::BTreeMap;
use std::path::Path;

use hermes_store::audit::{Entry, Filter, Kind, RequestId};

use super::child::{AGAIN, audit};

const PROCESSES: usize = 8;
const COMMANDS: usize = 40;

/// The child: the entries of some commands.
pub(super) fn append(home: &Path) {
    let audit = audit(home);
    for _ in 0..COMMANDS {
        let request = RequestId::new();
        audit.append(&[Kind::Request, Kind::Decision, Kind::Start].map(|kind| Entry::new(kind, &request))).unwrap();
        audit.append(&[Entry::new(Kind::End, &request)]).unwrap();
    }
}

/// They all start on an empty home: the file is made once.
#[test]
fn eight_processes_write_one_chain() {
    let home = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..PROCESSES).map(|_| AGAIN.child("append", home.path()).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let audit = audit(home.path());
    assert_eq!(audit.verify().unwrap().count, i64::try_from(PROCESSES * COMMANDS * 4).unwrap());
    let mut commands: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for entry in audit.entries(&Filter::first(usize::MAX)).unwrap() {
        commands.entry(entry.request.to_string()).or_default().push(entry.sequence.0);
    }
    assert_eq!(commands.len(), PROCESSES * COMMANDS);
    for sequences in commands.values() {
        let [request, decision, start, end] = sequences[..] else { panic!("{sequences:?}") };
        assert!(decision == request + 1 && start == request + 2 && end > start, "{sequences:?}");
    }
    let mixed = commands.values().any(|sequences| sequences[3] != sequences[2] + 1);
    assert!(mixed, "the processes did not meet: the test showed nothing");
}
