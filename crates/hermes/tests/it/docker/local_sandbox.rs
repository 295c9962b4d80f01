//! The local sandbox inside a default container, which gives no user namespaces: Landlock and
//! seccomp alone have to keep a command in.

use crate::support::{finish, quiet};

const SCRIPT: &str = "\
    mkdir -p /srv/work ~/.ssh ~/.hermes; chmod 700 ~/.hermes; cd /srv/work; \
    echo A=sk-of-the-home > ~/.hermes/.env; echo ssh-key > ~/.ssh/id; \
    hermes exec -c 'cat ~/.hermes/.env ~/.ssh/id; touch /etc/x && echo WROTE; unshare -r true && echo LEFT; \
        echo kept > file; cat file'; \
    echo code $?; hermes config set terminal.sandbox strict; hermes exec -c true; echo code $?";

/// Every attempt is refused, the work in the workspace is done, and `strict` does not start.
const EXPECTED: &str = "\
cat: /root/.hermes/.env: Permission denied
cat: /root/.ssh/id: Permission denied
touch: cannot touch '/etc/x': Permission denied
unshare: unshare failed: Operation not permitted
kept
code 0
code 78
";

#[test]
fn a_command_is_kept_in_without_namespaces_and_strict_refuses() {
    let mount = format!("{}:/usr/local/bin/hermes:ro", env!("CARGO_BIN_EXE_hermes"));
    let mut docker = quiet("docker");
    docker.args(["run", "--rm", "-v", &mount, "debian:bookworm-slim", "bash", "-c", SCRIPT]);
    let run = finish(docker.spawn().unwrap());
    assert_eq!(run.stdout, EXPECTED, "{run:?}");
    assert!(run.stderr.contains("note: no user namespace"), "auto says what is missing: {run:?}");
    assert!(run.stderr.contains("isolation is incomplete: user namespace ("), "strict names it: {run:?}");
}
