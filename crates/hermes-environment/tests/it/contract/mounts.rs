//! Folders of the host in the container, and the whole argument list.

use crate::support::Fixture;

#[test]
fn test_auto_mount_host_cwd_adds_volume() {
    let mut fixture = Fixture::new("test-task");
    let project = fixture.project("my-project");
    fixture.terminal.cwd = "/workspace".to_owned();
    fixture.terminal.docker_mount_cwd_to_workspace = true;
    fixture.host_directory = Some(project.clone());
    let _container = fixture.acquire();
    let run = fixture.fake.run_call().text();
    assert!(run.contains(&format!("{}:/workspace", project.display())), "{run}");
}

#[test]
fn test_auto_mount_disabled_by_default() {
    let mut fixture = Fixture::new("test-task");
    let project = fixture.project("my-project");
    fixture.host_directory = Some(project.clone());
    let _container = fixture.acquire();
    let run = fixture.fake.run_call().text();
    assert!(!run.contains(&format!("{}:/workspace", project.display())), "{run}");
}

#[test]
fn test_auto_mount_skipped_when_workspace_already_mounted() {
    let mut fixture = Fixture::new("test-task");
    let (project, other) = (fixture.project("my-project"), fixture.project("other"));
    fixture.terminal.cwd = "/workspace".to_owned();
    fixture.terminal.docker_mount_cwd_to_workspace = true;
    fixture.host_directory = Some(project);
    fixture.terminal.docker_volumes = vec![format!("{}:/workspace", other.display())];
    let _container = fixture.acquire();
    let run = fixture.fake.run_call().text();
    assert!(run.contains(&format!("{}:/workspace", other.display())), "{run}");
    assert_eq!(run.matches(":/workspace").count(), 1, "{run}");
}

#[test]
fn test_auto_mount_replaces_persistent_workspace_bind() {
    let mut fixture = Fixture::new("test-persistent-auto-mount");
    let project = fixture.project("my-project");
    fixture.terminal.cwd = "/workspace".to_owned();
    fixture.terminal.container_persistent = true;
    fixture.terminal.docker_mount_cwd_to_workspace = true;
    fixture.host_directory = Some(project.clone());
    let _container = fixture.acquire();
    let run = fixture.fake.run_call().text();
    assert!(run.contains(&format!("{}:/workspace", project.display())), "{run}");
    assert!(!run.contains("/sandboxes/docker/test-persistent-auto-mount/workspace:/workspace"), "{run}");
    assert!(run.contains("/sandboxes/docker/test-persistent-auto-mount/home:/root"), "{run}");
}

/// The whole order, once, as the engine gets it.
#[test]
fn the_arguments_stand_in_their_order() {
    let mut fixture = Fixture::new("order");
    fixture.terminal.container_cpu = 1.5;
    fixture.terminal.container_memory = 512;
    fixture.terminal.docker_shm_size = "1g".to_owned();
    fixture.terminal.docker_network = false;
    fixture.terminal.docker_volumes = vec!["/data:/data:ro".to_owned(), "nonsense".to_owned()];
    fixture.terminal.docker_env.insert("A".to_owned(), "1".into());
    fixture.terminal.docker_extra_args = vec!["--dns".to_owned(), "1.1.1.1".to_owned()];
    let container = fixture.acquire();
    let run = fixture.fake.run_call();
    let name = run.values("--name")[0].to_owned();
    assert!(name.strip_prefix("hermes-").is_some_and(|hex| hex.len() == 8), "{name}");
    let expected = format!(
        "run -d --init --name {name} --label hermes-agent=1 --label hermes-task-id=order \
         --label hermes-profile=default -w /root --cap-drop ALL --cap-add DAC_OVERRIDE --cap-add CHOWN \
         --cap-add FOWNER --cap-add SETUID --cap-add SETGID --security-opt no-new-privileges --pids-limit 256 \
         --tmpfs /tmp:rw,nosuid,size=512m --tmpfs /var/tmp:rw,noexec,nosuid,size=256m \
         --tmpfs /run:rw,noexec,nosuid,size=64m --tmpfs /workspace:rw,exec,size=10g --tmpfs /home:rw,exec,size=1g \
         --tmpfs /root:rw,exec,size=1g --cpus 1.5 --memory 512m --shm-size 1g --network=none -v /data:/data:ro \
         -e A=1 --dns 1.1.1.1 python:3.11 sleep infinity"
    );
    assert_eq!(run.text(), expected);
    assert!(container.notes().iter().any(|note| note.contains("nonsense")), "{:?}", container.notes());
}
