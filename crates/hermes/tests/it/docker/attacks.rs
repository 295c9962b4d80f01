//! What a hostile command tries from inside.

use std::time::Duration;

use hermes_environment::CommandText;

use super::support::{Place, output, run, try_run, turn};

#[tokio::test]
async fn the_home_and_the_engine_are_out_of_reach() {
    let place = Place::new();
    let secret = place.home().path().join(".env");
    std::fs::write(&secret, "OPENAI_API_KEY=sk-of-the-host\n").unwrap();
    let environment = place.start("reach").await;
    let tries = format!(
        "cat {0}; ls {1}; ls /proc/1/root/home; cat /proc/*/environ | tr '\\0' '\\n'; ls -la /var/run/docker.sock; \
         mount; find / -xdev -name '.env' -newer /etc/hostname 2>/dev/null; mknod /tmp/disk b 8 0 && cat /tmp/disk",
        secret.display(),
        place.path().display()
    );
    let result = run(&environment, &tries).await;
    assert!(!result.output.contains("sk-of-the-host"), "{}", result.output);
    assert!(result.output.contains("/var/run/docker.sock': No such file"), "{}", result.output);
    assert!(result.output.contains("mknod"), "making a device is refused: {}", result.output);
    environment.close().await.unwrap();
}

#[tokio::test]
async fn the_executor_cannot_be_changed_and_the_next_session_gets_the_true_one() {
    let place = Place::new();
    let environment = place.start("executor").await;
    let program = "/opt/hermes-executor/hermes";
    for attack in [
        &format!("echo evil > {program}"),
        &format!("rm -f {program}"),
        &format!("mount -o remount,rw /opt/hermes-executor && echo evil > {program}"),
        &format!("umount /opt/hermes-executor && mkdir -p /opt/hermes-executor && echo evil > {program}"),
        "mv /opt/hermes-executor /opt/x",
    ] {
        let result = run(&environment, attack).await;
        assert_ne!(result.exit_code, 0, "{attack}: {result:?}");
    }
    let second = place.start("executor").await;
    assert_eq!(output(&second, "echo true one").await, "true one");
    second.close().await.unwrap();
    environment.close().await.unwrap();
}

/// Executors of one container run as the same user as all its commands. Neither its own nor another
/// session's can be opened: no frame can be forged, no memory read.
#[tokio::test]
async fn the_links_of_executors_cannot_be_found_by_commands() {
    let place = Place::new();
    let (environment, other) = (place.start("forged").await, place.start("forged").await);
    let forge = "for f in $(grep -la '^/opt/hermes-executor' /proc/[0-9]*/cmdline); do p=${f%cmdline}; echo found; \
                 readlink ${p}fd/1 && echo REACHED; head -c 1 ${p}mem && echo REACHED; \
                 for d in 0 1 3 4 5 6 7 8; do (printf garbage > ${p}fd/$d) && echo REACHED; done; done 2>&1";
    let attempt = run(&environment, forge).await.output;
    assert!(attempt.matches("found").count() >= 2, "both executors are there to be attacked: {attempt}");
    assert!(attempt.contains("Permission denied") && !attempt.contains("REACHED"), "{attempt}");
    for session in [&environment, &other] {
        assert_eq!(output(session, "echo fine").await, "fine");
    }
    other.close().await.unwrap();
    environment.close().await.unwrap();
}

#[tokio::test]
async fn processes_and_memory_run_out_inside_and_nowhere_else() {
    let place = Place::new();
    let environment = place.start("exhaust").await;
    let fork = "for i in $(seq 1 400); do sleep 30 & done";
    let command = CommandText { timeout: Some(Duration::from_secs(5)), ..CommandText::new(fork) };
    let result = try_run(&environment, &turn(), command, &mut |_| ()).await.unwrap();
    assert!(result.output.contains("Resource temporarily unavailable"), "{result:?}");
    assert_eq!(output(&environment, "echo still here").await, "still here");
    let eat = "head -c 2000000000 /dev/zero | tail";
    let command = CommandText { timeout: Some(Duration::from_secs(20)), ..CommandText::new(eat) };
    // The kernel picks whom to kill; if that is the executor, the next command gets a new one.
    let _ = try_run(&environment, &turn(), command, &mut |_| ()).await;
    assert_eq!(output(&environment, "echo still here").await, "still here");
    environment.close().await.unwrap();
}
