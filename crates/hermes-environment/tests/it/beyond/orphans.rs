//! What earlier processes left behind.

use hermes_environment::docker::OrphanSweep;
use hermes_testkit::Answer;

use crate::support::Fixture;

fn with_exited(finished: &str) -> Fixture {
    let fixture = Fixture::new("any");
    fixture.fake.answers("ps", Answer::of("one\ntwo\n"));
    fixture.fake.answers("inspect", Answer::of(finished));
    fixture
}

#[test]
fn only_what_ended_long_ago_is_removed_and_never_by_force() {
    let check = |finished: &str, expected: usize| {
        let fixture = with_exited(finished);
        assert_eq!(OrphanSweep::new().once(&fixture.settings()), expected, "{finished}");
        assert_eq!(fixture.fake.calls_of("rm").len(), expected, "{finished}");
        assert!(!fixture.fake.calls().iter().any(|call| call.text().contains("rm -f")));
    };
    check("\"2024-02-29T00:00:00.123456789Z\"\n", 2);
    check("\"2024-02-29T00:00:00+01:00\"\n", 2);
    check("\"0001-01-01T00:00:00Z\"\n", 0);
    check("\"9999-01-01T00:00:00Z\"\n", 0);
    check("whatever\n", 0);
    check("", 0);
}

#[test]
fn only_this_profile_is_looked_at() {
    let mut fixture = with_exited("");
    fixture.profile = Some("coder".to_owned());
    OrphanSweep::new().once(&fixture.settings());
    let exited = "ps -a --filter label=hermes-agent=1 --filter status=exited --filter label=hermes-profile=coder \
                  --format {{.ID}}";
    let asked: Vec<String> = fixture.fake.calls_of("ps").iter().map(|call| call.text()).collect();
    assert!(asked.contains(&exited.to_owned()), "{asked:?}");
    assert!(asked.iter().all(|call| call.contains("hermes-profile=coder") && call.contains("hermes-agent=1")));
}

#[test]
fn one_failure_does_not_stop_the_rest() {
    let fixture = with_exited("\"2024-02-29T00:00:00Z\"\n");
    fixture.fake.answers("rm", Answer::failing("busy"));
    assert_eq!(OrphanSweep::new().once(&fixture.settings()), 0);
    assert_eq!(fixture.fake.calls_of("rm").len(), 2);
}

#[test]
fn it_happens_once_and_being_switched_off_does_not_count() {
    let mut fixture = with_exited("\"2024-02-29T00:00:00Z\"\n");
    let sweep = OrphanSweep::new();
    fixture.terminal.docker_orphan_reaper = false;
    assert_eq!(sweep.once(&fixture.settings()), 0);
    assert_eq!(fixture.fake.calls(), []);
    fixture.terminal.docker_orphan_reaper = true;
    assert_eq!(sweep.once(&fixture.settings()), 2);
    assert_eq!(sweep.once(&fixture.settings()), 0);
}

#[test]
fn an_engine_that_is_away_is_no_failure() {
    let fixture = with_exited("");
    fixture.fake.answers("version", Answer::failing("no daemon"));
    assert_eq!(OrphanSweep::new().once(&fixture.settings()), 0);
}
