use super::{Bounds, Continuation, Response, Responses};
use crate::{Settings, Store};

const ROOM: Bounds = Bounds { responses: 3, bytes: 1_000 };

fn response(id: &str, scope: &str, previous: Option<&str>) -> Response {
    Response {
        id: id.to_owned(),
        scope: scope.to_owned(),
        session: "s".to_owned(),
        previous: previous.map(ToOwned::to_owned),
        conversation: Some("talk".to_owned()),
        said: "[]".to_owned(),
        body: "{}".to_owned(),
    }
}

fn responses() -> (tempfile::TempDir, Responses) {
    let folder = tempfile::tempdir().unwrap();
    let responses = Responses::open(&Store::of(folder.path(), Settings::default()));
    (folder, responses)
}

#[test]
fn an_answer_is_found_in_its_own_scope_only() {
    let (_folder, responses) = responses();
    let mine = response("r1", "mine", None);
    responses.keep(&mine, ROOM).unwrap();
    assert_eq!(responses.find("mine", "r1").unwrap(), Some(mine.clone()));
    assert_eq!(responses.latest("mine", "talk").unwrap(), Some(mine));
    for scope in ["", "other"] {
        assert_eq!(responses.find(scope, "r1").unwrap(), None);
        assert_eq!(responses.latest(scope, "talk").unwrap(), None);
        assert_eq!(responses.go_on(scope, "r1").unwrap(), Continuation::Moved);
        assert!(!responses.remove(scope, "r1").unwrap());
    }
    assert_eq!(responses.go_on("mine", "r1").unwrap(), Continuation::Session, "nobody has taken it");
    assert_eq!(responses.go_on("mine", "r1").unwrap(), Continuation::Moved);
    assert!(responses.remove("mine", "r1").unwrap());
    assert_eq!(responses.find("mine", "r1").unwrap(), None);
}

#[test]
fn only_the_newest_are_kept_by_number_and_by_size() {
    let (_folder, responses) = responses();
    for number in 0..5 {
        responses.keep(&response(&format!("r{number}"), "", None), ROOM).unwrap();
    }
    let known = |id: &str| responses.find("", id).unwrap().is_some();
    assert_eq!(["r0", "r1", "r2", "r3", "r4"].map(known), [false, false, true, true, true]);
    let large = Response { body: "x".repeat(995), ..response("large", "", None) };
    responses.keep(&large, ROOM).unwrap();
    assert_eq!(["r3", "r4", "large"].map(known), [false, false, true]);
}

#[test]
fn a_chain_goes_back_as_far_as_it_is_known() {
    let (_folder, responses) = responses();
    for (id, previous) in [("a", Some("gone")), ("b", Some("a")), ("c", Some("b"))] {
        responses.keep(&response(id, "", previous), ROOM).unwrap();
    }
    let chain = |most| responses.chain("", "c", most).unwrap().into_iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(chain(10), ["a", "b", "c"]);
    assert_eq!(chain(2), ["b", "c"]);
}
