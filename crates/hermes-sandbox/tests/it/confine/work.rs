//! Ordinary work passes.

use std::fs;
use std::path::Path;

use super::support::{FULL, Namespaces, PATH, Scene, User, Variant, variants};

fn works(variant: Variant, script: &str, expected: &str) {
    let scene = Scene::new(variant);
    let run = scene.bash(&format!("set -e\n{script}"));
    assert_eq!(run.code, 0, "{variant:?}: {}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(expected), "{variant:?}: {}{}", run.stdout, run.stderr);
}

fn everywhere(script: &str, expected: &str) {
    variants().into_iter().for_each(|variant| works(variant, script, expected));
}

fn with_namespaces(script: &str, expected: &str) {
    let there = variants().into_iter().filter(|variant| variant.namespaces == Namespaces::There);
    there.for_each(|variant| works(variant, script, expected));
}

#[test]
fn git_keeps_history() {
    everywhere(
        "git init -q . && git config user.email a@b.c && git config user.name a
         echo text > file && git add file && git commit -qm first && git log --oneline && git gc -q && git fsck
         git clone -q . copy && git -C copy log --format=%s",
        "first",
    );
}

#[test]
fn make_builds_in_parallel() {
    everywhere(
        r#"printf 'all: a b c d\na b c d:\n\t@echo made $@ > $@.out\n' > Makefile
           make -s -j4 && cat *.out | sort | tr '\n' ' '"#,
        "made a made b made c made d",
    );
}

#[test]
fn shells_pipe_and_write_temporary_files() {
    everywhere(
        r#"cat <<END | tr a-z A-Z
here
END
           file=$(mktemp) && echo kept > "$file" && cat "$file" && rm "$file"
           diff <(echo same) <(echo same) && seq 100000 | sort -rn | head -1
           exec 5<>/dev/tcp/127.0.0.1/1 || true
           mkfifo pipe && (echo through > pipe &) && cat pipe && ln -s pipe link && mv link other
           test "$(cat /dev/zero | head -c 3 | wc -c)" = 3 && echo done"#,
        "HERE\nkept\n100000\n",
    );
}

#[test]
fn private_temporary_folders_are_empty_and_usable() {
    with_namespaces(
        "test -z \"$(find /var/tmp /dev/shm -mindepth 1)\" && touch /tmp/a /var/tmp/a /dev/shm/a && ls /var/tmp /dev/shm | sort -u",
        "a",
    );
}

#[test]
fn names_can_be_resolved_and_the_system_can_be_read() {
    everywhere(
        "cat /etc/resolv.conf /etc/hosts /etc/passwd > copy && getent hosts localhost && cat /proc/cpuinfo > c
        head -c 4 /dev/urandom | wc -c && ls /usr/bin > names && id && date && echo fine",
        "fine",
    );
}

#[test]
fn python_uses_processes_and_terminals() {
    let script = r#"cat > work.py <<'END'
import multiprocessing, os, pty, sys, tempfile, threading, subprocess, socket, concurrent.futures
def square(n): return n * n
if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool: print(sum(pool.map(square, range(50))))
    with concurrent.futures.ThreadPoolExecutor(8) as threads: print(len(list(threads.map(square, range(99)))))
    a, b = socket.socketpair(); a.send(b"pair"); print(b.recv(4))
    child, terminal = pty.fork()
    if child == 0: os.execvp("sh", ["sh", "-c", "tty; stty size; echo in a terminal"])
    text = b""
    while True:
        try: part = os.read(terminal, 999)
        except OSError: break
        if not part: break
        text += part
    os.waitpid(child, 0)
    print(text.decode())
    print(subprocess.run(["sh", "-c", "echo $PPID"], capture_output=True).returncode)
END
python3 work.py"#;
    everywhere(script, "in a terminal");
    everywhere(script, "40425");
    with_namespaces(
        "python3 -c 'import multiprocessing as m; d = m.Manager().dict(); d[1] = 2; print(dict(d))'",
        "{1: 2}",
    );
}

#[test]
fn pip_installs_into_a_venv() {
    everywhere(
        r#"mkdir -p package/greeting && echo 'text = "hello from a package"' > package/greeting/__init__.py
           printf 'from setuptools import setup\nsetup(name="greeting", version="1", packages=["greeting"])\n' > package/setup.py
           python3 -m venv --system-site-packages venv
           ./venv/bin/pip install -q --no-index --no-build-isolation --disable-pip-version-check ./package
           ./venv/bin/python -c 'import greeting; print(greeting.text)'"#,
        "hello from a package",
    );
}

#[test]
fn node_and_npm_work_if_they_are_there() {
    if !Path::new("/usr/bin/node").exists() {
        return;
    }
    everywhere(
        r#"node -e 'require("child_process").exec("echo from node", (e, out) => { console.log(out); })'
           node -e 'new (require("worker_threads").Worker)("console.log(\"a worker\")", {eval: true})'"#,
        "from node",
    );
    if Path::new("/usr/bin/npm").exists() {
        everywhere(
            r#"mkdir -p library && echo '{"name":"library","version":"1.0.0"}' > library/package.json
               echo 'module.exports = "hello from npm"' > library/index.js
               echo '{"name":"app","version":"1.0.0"}' > package.json
               npm install --offline --no-audit --no-fund --cache "$PWD/cache" ./library > log 2>&1 || { cat log; exit 1; }
               node -e 'console.log(require("library"))'"#,
            "hello from npm",
        );
    }
}

/// With the toolchain of whoever runs the tests, read from their own home.
#[test]
fn cargo_builds_and_runs() {
    let mut scene = Scene::new(FULL);
    assert_eq!(FULL.user, User::Ours);
    let home = option_env!("HOME").unwrap_or("/root");
    scene.environment.retain(|(name, _)| name != "HOME");
    scene.environment.push(("HOME".to_owned(), home.to_owned()));
    let tools = Path::new(env!("CARGO")).parent().unwrap().display();
    scene.environment.push(("PATH".to_owned(), format!("{tools}:{PATH}")));
    scene.confinement.limits.open_files = Some(1024);
    for (name, text) in [
        ("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("src/main.rs", "fn main() { println!(\"hello from cargo\"); }\n"),
    ] {
        let path = scene.path("home/workspace/tiny").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let run = scene.bash(&format!("cd tiny && {} run -q --offline", env!("CARGO")));
    assert_eq!((run.code, run.stdout.as_str()), (0, "hello from cargo\n"), "{}", run.stderr);
}
