//! What a hostile command tries from inside.

use std::time::Duration;

use hermes_environment::CommandText;

use super::support::{Place, output, run, turn};

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

/// A command that finds its executor's streams can write to them: the runtime ends the link
/// and goes on with a new one.
#[tokio::test]
async fn forged_frames_end_the_link_and_nothing_else() {
    let place = Place::new();
    let environment = place.start("forged").await;
    // Both directions of the link, and every other pipe of an executor.
    let forge = "for f in $(grep -la '^/opt/hermes-executor' /proc/[0-9]*/cmdline); do for d in ${f%cmdline}fd/*; do \
                 case $(readlink $d) in pipe:*) printf '\\377\\377\\377\\377\\377garbage' 1<>$d >&1;; esac; done; done; sleep 5";
    let command = CommandText { timeout: Some(Duration::from_secs(10)), ..CommandText::new(forge) };
    let error = environment.run(&turn(), command, &mut |_| ()).await.unwrap_err().to_string();
    assert!(error.contains("frame"), "either side may notice first: {error}");
    assert_eq!(output(&environment, "echo fine").await, "fine");
    environment.close().await.unwrap();
}

#[tokio::test]
async fn processes_and_memory_run_out_inside_and_nowhere_else() {
    let place = Place::new();
    let environment = place.start("exhaust").await;
    let fork = "for i in $(seq 1 400); do sleep 30 & done";
    let command = CommandText { timeout: Some(Duration::from_secs(5)), ..CommandText::new(fork) };
    let result = environment.run(&turn(), command, &mut |_| ()).await.unwrap();
    assert!(result.output.contains("Resource temporarily unavailable"), "{result:?}");
    assert_eq!(output(&environment, "echo still here").await, "still here");
    let eat = "head -c 2000000000 /dev/zero | tail";
    let command = CommandText { timeout: Some(Duration::from_secs(20)), ..CommandText::new(eat) };
    // The kernel picks whom to kill; if that is the executor, the next command gets a new one.
    let _ = environment.run(&turn(), command, &mut |_| ()).await;
    assert_eq!(output(&environment, "echo still here").await, "still here");
    environment.close().await.unwrap();
}
