//! Every attempt to get out fails, in every variant; and succeeds where nothing confines.

use std::fs;
use std::time::{Duration, Instant};

use hermes_proto::executor::{Layer, LayerState};
use hermes_sandbox::confine::Mode;
use hermes_sandbox::process::Helper;
use serde_json::json;

use super::support::{MIB, Namespaces, Run, Scene, User, Variant, install, is_root, variants};

const ATTACKS: &str = include_str!("../../programs/attacks.py");
const FORK_BOMB: &str = include_str!("../../programs/fork_bomb.py");
const MEMORY_BOMB: &str = include_str!("../../programs/memory_bomb.py");
/// As many as the program has without namespaces; with them there are more.
const AT_LEAST: usize = 90;

/// Those that change nothing but the test's own folder, and that anybody may do.
const HARMLESS: [&str; 17] = [
    "secret_by_path",
    "other_secret_by_path",
    "secret_by_link",
    "secret_by_link_made_before",
    "secret_by_hard_link",
    "secret_by_inherited_descriptor",
    "secret_by_relative_path",
    "secret_through_own_proc_root",
    "names_in_the_home",
    "key_of_the_user",
    "environment_of_the_runtime",
    "environment_of_the_executor",
    "abstract_socket",
    "control_socket_by_path",
    "signal_the_runtime",
    "write_folder_of_the_user",
    "change_a_file_outside",
];

fn attack(scene: &Scene) -> Run {
    let program = install(scene, "attacks.py", ATTACKS);
    let temporary = tempfile::Builder::new().prefix("hermes-confine-shared-").tempfile().unwrap();
    fs::write(&temporary, "of the host").unwrap();
    let facts = json!({
        "home": scene.path("home"),
        "workspace": scene.path("home/workspace"),
        "outside": scene.path("user"),
        "key": scene.path("user/.ssh/id"),
        "runtime": std::process::id(),
        "outer": 0,
        "descriptor": 9,
        "abstract": scene.abstract_name,
        "socket": scene.path("home/control.sock"),
        "segment": 0,
        "open_files": 256,
        "temporary_mib": 256,
        "temporary_file": temporary.path(),
        "confined": scene.confinement.mode != Mode::Off,
        "harmless": HARMLESS,
        "namespaces": scene.variant.namespaces == Namespaces::There && scene.confinement.mode != Mode::Off,
    });
    scene.run(&["/usr/bin/python3", &program, &facts.to_string()])
}

fn all_fail(variant: Variant) {
    let run = attack(&Scene::new(variant));
    assert_eq!(run.code, 0, "{variant:?}: {}{}", run.stdout, run.stderr);
    let lines: Vec<_> = run.stdout.lines().collect();
    let bad: Vec<_> = lines.iter().filter(|line| !line.starts_with("held ")).collect();
    assert!(bad.is_empty(), "{variant:?}: {bad:#?}");
    assert!(lines.len() >= AT_LEAST, "{variant:?}: only {} attacks", lines.len());
}

#[test]
fn all_attacks_fail_with_namespaces() {
    variants().into_iter().filter(|variant| variant.namespaces == Namespaces::There).for_each(all_fail);
}

#[test]
fn all_attacks_fail_without_namespaces() {
    variants().into_iter().filter(|variant| variant.namespaces == Namespaces::Refused).for_each(all_fail);
}

/// The attacks are real: what an unconfined process may do, they do.
#[test]
fn attacks_succeed_where_nothing_confines() {
    let mut scene = Scene::new(variants()[0]);
    scene.confinement.mode = Mode::Off;
    let run = attack(&scene);
    let breached: Vec<_> = run.stdout.lines().filter_map(|line| line.strip_prefix("BREACH ")).collect();
    assert_eq!(breached.len(), HARMLESS.len(), "{}{}", run.stdout, run.stderr);
}

fn proven(scene: &Scene, wanted: Layer) -> bool {
    scene.report().iter().any(|(layer, state)| *layer == wanted && matches!(state, LayerState::Proven { .. }))
}

#[test]
fn a_fork_bomb_is_held_and_the_host_answers() {
    const MOST: u64 = 60;
    let with_limits = |variant: &Variant| variant.namespaces == Namespaces::There;
    for variant in variants().into_iter().filter(with_limits) {
        let mut scene = Scene::new(variant);
        scene.confinement.limits.processes = Some(MOST);
        let by_user = !is_root() || variant.user == User::Ordinary;
        assert!(by_user || proven(&scene, Layer::Cgroup), "{variant:?}: no limit to try");
        let program = install(&scene, "bomb.py", FORK_BOMB);
        let bomb = scene.start(&["/usr/bin/python3", &program], super::support::Report::Unwanted);
        let asked = Instant::now();
        Helper::new("/bin/true").run().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(5), "the host is slow: {:?}", asked.elapsed());
        let run = super::support::collect(bomb);
        let count: u64 = run.stdout.trim().strip_prefix("processes ").unwrap().parse().unwrap();
        assert!((MOST / 2..=MOST).contains(&count), "{variant:?}: {count} processes, {}", run.stderr);
    }
}

#[test]
fn a_memory_bomb_gets_an_error() {
    for variant in variants() {
        let mut scene = Scene::new(variant);
        scene.confinement.limits.memory_bytes = Some(128 * MIB);
        let program = install(&scene, "bomb.py", MEMORY_BOMB);
        let run = scene.bash(&format!("/usr/bin/python3 {program} 512; echo ended with $?"));
        assert!(!run.stdout.contains("BREACH"), "{variant:?}: {}", run.stdout);
        assert!(run.stdout.contains("ended with"), "{variant:?}: the session is gone: {}{}", run.stdout, run.stderr);
    }
}
