//! What boot does to a volume: numbers, owners, seeds; never through a link.

use crate::harness::{Container, run_image};

#[test]
fn test_puid_pgid_remap() {
    for (options, expected) in [
        (["-e", "PUID=1000", "-e", "PGID=1000"], "1000:1000"),
        (["-e", "HERMES_UID=99", "-e", "HERMES_GID=100"], "99:100"),
        (["-e", "HERMES_UID=0", "-e", "HERMES_GID=x"], "10000:10000"),
    ] {
        let run = run_image(
            &options,
            &["sh", "-c", "echo $(id -u):$(id -g); touch /opt/data/x && stat -c %u:%g /opt/data/x"],
        );
        assert_eq!(run.stdout, format!("{expected}\n{expected}\n"), "{run:?}");
    }
}

#[test]
fn test_supervision_works_after_a_remap() {
    let container = Container::sleeping(&["-e", "PUID=1234", "-e", "PGID=1235"]);
    container.exec(&["hermes", "profile", "create", "coder"]).ok();
    container.exec(&["hermes", "-p", "coder", "gateway", "start"]).ok();
    container.wait_for("the gateway", |container| container.is_wanted("gateway-coder"));
    container.exec_with(&[], &["hermes", "config", "set", "_test.remap", "1"]).ok();
    let owner = container.exec_with(&[], &["stat", "-c", "%u:%g", "/opt/data/config.yaml"]).ok();
    assert_eq!(owner.trim(), "1234:1235");
    let users = container.exec(&["ps", "axo", "uid=,args="]).ok();
    assert!(users.lines().all(|line| line.trim_start().starts_with("1234 ")), "{users}");
}

#[test]
fn test_remap_on_a_read_only_root_reaches_docker_exec() {
    let options = ["--read-only", "--tmpfs", "/run", "-e", "PUID=1234", "-e", "PGID=1235"];
    let container = Container::start(&options, &["sleep", "infinity"]);
    container.wait_ready();
    container.exec_with(&[], &["hermes", "config", "set", "_test.remap", "1"]).ok();
    let owner = container.exec_with(&[], &["stat", "-c", "%u:%g", "/opt/data/config.yaml"]).ok();
    assert_eq!(owner.trim(), "1234:1235");
}

#[test]
fn test_toplevel_chown() {
    let container = Container::with_volume();
    let root = "cd /opt/data && touch auth.json state.db gateway.lock gateway_state.json host_secret.json && chown root:root \
                auth.json state.db gateway.lock gateway_state.json host_secret.json && mkdir -p workspace/deep";
    container.sh_as("root", root).ok();
    container.restart();
    let owners = container.sh_as("root", "cd /opt/data && stat -c '%n %U' auth.json state.db gateway.lock gateway_state.json host_secret.json workspace/deep").ok();
    let expected = "auth.json hermes\nstate.db hermes\ngateway.lock hermes\ngateway_state.json hermes\nhost_secret.json root\nworkspace/deep root\n";
    assert_eq!(owners, expected);
}

#[test]
fn test_symlinked_state_files_are_refused() {
    let container = Container::with_volume();
    let links = "cd /opt/data && touch /etc/victim && rm -f auth.json && ln -s /etc/victim auth.json && ln -s /etc/victim gateway_state.json \
                 && ln -s /etc/victim gateway.pid && rm -f logs/container-boot.log.1";
    container.sh_as("root", links).ok();
    container.restart();
    let after = "stat -c %U /etc/victim; cd /opt/data; test -L auth.json && test -L gateway_state.json && ! test -e gateway.pid && echo kept";
    assert_eq!(container.sh_as("root", after).ok(), "root\nkept\n");
    let logs = container.logs();
    for name in ["auth.json", "gateway_state.json"] {
        assert!(logs.lines().any(|line| line.contains("refusing") && line.contains(name)), "{name}: {logs}");
    }
}

#[test]
fn test_a_new_volume_is_seeded_and_an_old_one_kept() {
    let container = Container::with_volume();
    let listed = container.sh("cd /opt/data && stat -c '%n %a %U' .env config.yaml SOUL.md logs logs/gateways").ok();
    assert_eq!(
        listed,
        ".env 600 hermes\nconfig.yaml 640 hermes\nSOUL.md 600 hermes\nlogs 700 hermes\nlogs/gateways 700 hermes\n"
    );
    container.sh("cd /opt/data && echo A=1 >.env && echo mine >SOUL.md").ok();
    container.restart();
    assert_eq!(container.sh("cat /opt/data/.env /opt/data/SOUL.md").ok(), "A=1\nmine\n");
}

#[test]
fn test_the_application_cannot_be_changed_by_hermes() {
    let script = "for p in /opt/hermes /opt/hermes/bin /opt/hermes/bin/hermes /opt/hermes/supervise /opt/hermes/supervise/gateway /command /run/hermes; \
                  do test -w $p && echo writable $p; done; cat /opt/hermes/.install_method";
    assert_eq!(run_image(&[], &["sh", "-c", script]).ok(), "docker\n");
}

#[test]
fn test_without_the_right_to_change_owners_it_still_boots() {
    let run = run_image(&["--cap-drop", "CHOWN"], &["sh", "-c", "echo up"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "up\n"), "{run:?}");
}
