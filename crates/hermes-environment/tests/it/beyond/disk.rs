//! A disk limit where the engine can have one, and never a container to try it with.

use hermes_environment::docker::Container;
use hermes_testkit::Answer;

use crate::support::Fixture;

fn limited(storage: &str) -> Fixture {
    let mut fixture = Fixture::new("disk");
    fixture.terminal.container_disk = 1024;
    fixture.fake.answers("info", Answer::of(storage));
    fixture
}

#[test]
fn only_storage_with_quotas_is_asked_for_one() {
    let check = |storage: &str, expected: &[&str]| {
        let fixture = limited(storage);
        let _container = fixture.acquire();
        assert_eq!(fixture.fake.run_call().values("--storage-opt"), expected, "{storage}");
        assert_eq!(fixture.fake.calls_of("create"), []);
        assert_eq!(fixture.fake.calls_of("run").len(), 1);
    };
    check("overlay2 [[\"Backing Filesystem\",\"xfs\"]]\n", &["size=1024m"]);
    check("btrfs null\n", &["size=1024m"]);
    check("overlay2 [[\"Backing Filesystem\",\"extfs\"]]\n", &[]);
    check("", &[]);
}

#[test]
fn storage_that_refuses_the_limit_is_used_without() {
    let fixture = limited("overlay2 [[\"Backing Filesystem\",\"xfs\"]]\n");
    fixture.fake.answers("run", Answer::failing("--storage-opt is supported only for overlay over xfs with 'pquota'"));
    // The fake refuses the second as well: what counts is how it was asked.
    Container::acquire(&fixture.settings()).unwrap_err();
    let runs = fixture.fake.calls_of("run");
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[1].values("--storage-opt"), Vec::<&str>::new());
    assert_eq!(fixture.fake.calls_of("rm").len(), 2, "nothing stays of either");
}
