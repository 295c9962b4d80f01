//! The promises about runs, each as it looks from the next process.

use super::{NewRun, RunState, Runs, Taken};
use crate::{Settings, Store, Time};

const LONG_AGO: Time = Time::from_microseconds(0);

fn next(folder: &tempfile::TempDir) -> Runs {
    Runs::open(&Store::of(folder.path(), Settings::default()))
}

fn run(id: &str, owner: &str, request: Option<&str>, asked: &str) -> NewRun {
    let detail = format!("{{\"id\":\"{id}\"}}");
    NewRun {
        id: id.to_owned(),
        owner: owner.to_owned(),
        detail,
        request: request.map(str::to_owned),
        asked: asked.to_owned(),
    }
}

#[test]
fn a_request_is_taken_once_under_its_name_and_only_the_owner_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(next(&folder).take(&run("1", "a", Some("r"), "x"), LONG_AGO).unwrap(), Taken::New);
    let Taken::Before(before) = next(&folder).take(&run("2", "a", Some("r"), "x"), LONG_AGO).unwrap() else { panic!() };
    assert_eq!((before.id.as_str(), before.state, before.ended), ("1", RunState::Open, None));
    assert_eq!(next(&folder).take(&run("3", "a", Some("r"), "y"), LONG_AGO).unwrap(), Taken::Different);
    // A name is its owner's.
    assert_eq!(next(&folder).take(&run("4", "b", Some("r"), "y"), LONG_AGO).unwrap(), Taken::New);
    assert_eq!(next(&folder).get("b", "1").unwrap(), None);
    assert_eq!(next(&folder).get("a", "1").unwrap().unwrap().detail, "{\"id\":\"1\"}");
    assert_eq!(next(&folder).get("a", "2").unwrap(), None);
    // Without a name each is its own, and a name is free again when it is old.
    assert_eq!(next(&folder).take(&run("5", "a", None, "x"), LONG_AGO).unwrap(), Taken::New);
    assert_eq!(next(&folder).take(&run("6", "a", None, "x"), LONG_AGO).unwrap(), Taken::New);
    assert_eq!(next(&folder).take(&run("7", "a", Some("r"), "z"), Time::now()).unwrap(), Taken::New);
    assert!(next(&folder).get("a", "1").unwrap().is_some());
}

#[test]
fn a_run_ends_once_and_what_a_dead_process_left_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["1", "2", "3"] {
        next(&folder).take(&run(id, "a", Some(id), "x"), LONG_AGO).unwrap();
    }
    assert!(next(&folder).end("1", RunState::Completed, "{}").unwrap());
    assert!(!next(&folder).end("1", RunState::Failed, "no").unwrap());
    next(&folder).refuse("3", "{}").unwrap();
    assert_eq!(next(&folder).before("a", "3", LONG_AGO).unwrap(), None);
    assert!(next(&folder).before("a", "2", LONG_AGO).unwrap().is_some());
    assert_eq!(next(&folder).before("a", "2", Time::now()).unwrap(), None);
    assert_eq!(next(&folder).interrupt_open().unwrap(), 1);
    let state = |id: &str| next(&folder).get("a", id).unwrap().map(|run| (run.state, run.ended.is_some()));
    assert_eq!(state("1"), Some((RunState::Completed, true)));
    assert_eq!(state("2"), Some((RunState::Interrupted, true)));
    assert_eq!(state("3"), Some((RunState::Failed, true)));
    assert!(!next(&folder).end("2", RunState::Completed, "{}").unwrap());
}

#[test]
fn the_number_of_runs_that_have_ended_is_bounded_and_open_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let runs = next(&folder);
    for id in ["1", "2", "3", "4"] {
        runs.take(&run(id, "a", None, "x"), LONG_AGO).unwrap();
    }
    for id in ["1", "2", "3"] {
        runs.end(id, RunState::Completed, "{}").unwrap();
    }
    assert_eq!(runs.forget(LONG_AGO, 2).unwrap(), 1);
    assert_eq!(runs.get("a", "1").unwrap(), None);
    assert_eq!(runs.forget(Time::now(), 2).unwrap(), 2);
    assert!(runs.get("a", "4").unwrap().is_some());
}
