//! Capabilities and whose processes they are.

use std::collections::BTreeSet;

use hermes_environment::docker::HostAccount;
use hermes_testkit::Call;

use crate::logged::logged;
use crate::support::Fixture;

fn added(run: &Call) -> BTreeSet<String> {
    run.values("--cap-add").into_iter().map(str::to_owned).collect()
}

const CORE: [&str; 3] = ["CHOWN", "DAC_OVERRIDE", "FOWNER"];

fn all() -> BTreeSet<String> {
    CORE.iter().chain(&["SETUID", "SETGID"]).map(|name| (*name).to_owned()).collect()
}

#[test]
fn test_security_args_include_setuid_setgid_for_privdrop() {
    let fixture = Fixture::new("test-task");
    let _container = fixture.acquire();
    assert_eq!(added(&fixture.fake.run_call()), all());
    assert_eq!(fixture.fake.run_call().values("--cap-drop"), ["ALL"]);
    assert_eq!(fixture.fake.run_call().values("--security-opt"), ["no-new-privileges"]);
}

#[test]
fn test_run_as_host_user_passes_uid_gid() {
    let mut fixture = Fixture::new("test-task");
    fixture.terminal.docker_run_as_host_user = true;
    let _container = fixture.acquire();
    assert_eq!(fixture.fake.run_call().values("--user"), ["1234:5678"]);
}

#[test]
fn test_run_as_host_user_drops_setuid_setgid_caps() {
    let mut fixture = Fixture::new("test-task");
    fixture.terminal.docker_run_as_host_user = true;
    let _container = fixture.acquire();
    assert_eq!(added(&fixture.fake.run_call()), CORE.map(str::to_owned).into());
}

#[test]
fn test_run_as_host_user_default_off() {
    let fixture = Fixture::new("test-task");
    let _container = fixture.acquire();
    assert!(!fixture.fake.run_call().arguments.contains(&"--user".to_owned()));
}

#[test]
fn test_run_as_host_user_warns_and_skips_when_no_posix_ids() {
    let mut fixture = Fixture::new("test-task");
    fixture.terminal.docker_run_as_host_user = true;
    fixture.account = HostAccount::Unknown;
    let (_container, log) = logged(|| fixture.acquire());
    let run = fixture.fake.run_call();
    assert!(!run.arguments.contains(&"--user".to_owned()), "{run:?}");
    assert_eq!(added(&run), all());
    assert!(log.contains("WARN") && log.contains("does not expose POSIX uid/gid"), "{log}");
}

#[test]
fn an_image_with_an_init_of_its_own_gets_no_other_and_an_executable_run() {
    let check = |entry: &str, has_init: bool, run_folder: &str| {
        let fixture = Fixture::new("test-task");
        fixture.fake.answers("image", hermes_testkit::Answer::of(entry));
        let _container = fixture.acquire();
        let run = fixture.fake.run_call();
        assert_eq!(run.arguments.contains(&"--init".to_owned()), has_init, "{entry}");
        assert!(run.values("--tmpfs").contains(&run_folder), "{entry}: {run:?}");
    };
    let plain = "/run:rw,noexec,nosuid,size=64m";
    check("null\n", true, plain);
    check("[\"docker-entrypoint.sh\"]\n", true, plain);
    check("", true, plain);
    check("[\"/init\"]\n", false, "/run:rw,exec,nosuid,size=64m");
    check("[\"/package/admin/s6-overlay/libexec/init\"]\n", false, "/run:rw,exec,nosuid,size=64m");
}
