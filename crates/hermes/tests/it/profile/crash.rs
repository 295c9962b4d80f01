//! What a kill at a bad moment leaves: nothing that looks like a profile.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{archive, in_profiles, listed};
use crate::support::Sandbox;

const FILES: usize = 150;
const KILLS: u32 = 20;

/// Waits until something is true. The program tells nobody when it is in the middle
/// of its work, so its folder is watched.
fn until(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain");
        std::thread::yield_now();
    }
}

#[test]
fn a_kill_during_create_leaves_a_whole_profile_or_none() {
    let sandbox = Sandbox::new();
    for number in 0..FILES {
        sandbox.write(format!("skills/{number}"), "x");
    }
    let began = Instant::now();
    sandbox.ok(["profile", "create", "measure", "--clone"]);
    let whole = began.elapsed();

    for step in 0..KILLS {
        let mut child = sandbox.command(["profile", "create", "work", "--clone"]).spawn().unwrap();
        let killed_at = Instant::now() + whole * step / KILLS;
        until(|| Instant::now() >= killed_at);
        child.kill().unwrap();
        child.wait().unwrap();
        let (names, _) = listed(&sandbox);
        if names.contains(&"work".to_owned()) {
            let copied = std::fs::read_dir(sandbox.file("profiles/work/skills")).unwrap().count();
            assert_eq!(copied, FILES, "killed in step {step}");
            assert!(sandbox.file("profiles/work/SOUL.md").exists());
            sandbox.ok(["profile", "delete", "work", "--yes"]);
        }
    }
    // The next attempt clears away what the dead ones left.
    sandbox.ok(["profile", "create", "last"]);
    assert_eq!(in_profiles(&sandbox), ["last", "measure"]);
}

#[test]
fn a_kill_during_import_leaves_nothing_visible_and_the_next_attempt_clears_up() {
    let sandbox = Sandbox::new();
    let noise: Vec<u8> = (0..400_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let bytes = archive::packed(&[("work/big", &noise)]);
    let mut child = sandbox.command(["profile", "import", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(&bytes[..bytes.len() / 2]).unwrap();
    until(|| in_profiles(&sandbox).iter().any(|name| sandbox.file("profiles").join(name).join("big").exists()));

    // One that is still at work is left alone.
    sandbox.ok(["profile", "create", "other"]);
    assert_eq!(in_profiles(&sandbox).len(), 2);

    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(listed(&sandbox).0, ["default", "other"]);
    sandbox.ok(["profile", "create", "third"]);
    assert_eq!(in_profiles(&sandbox), ["other", "third"]);
}

#[test]
fn eight_at_once_make_one_profile() {
    let sandbox = Sandbox::new();
    let children: Vec<_> = (0..8).map(|_| sandbox.command(["profile", "create", "work"]).spawn().unwrap()).collect();
    let runs: Vec<_> = children.into_iter().map(crate::support::finish).collect();
    assert_eq!(runs.iter().filter(|run| run.code == 0).count(), 1, "{runs:?}");
    assert_eq!(runs.iter().filter(|run| run.stderr.contains("already exists")).count(), 7, "{runs:?}");
    assert_eq!(in_profiles(&sandbox), ["work"]);
}
