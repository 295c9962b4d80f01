//! A layer that is claimed and not in force is found out, each of them.

use hermes_proto::executor::{Layer, LayerState};
use hermes_sandbox::confine::Network;

use super::support::{FULL, NOT_CONFINED, Scene, Variant, WITHOUT_NAMESPACES, is_root};

fn is_found_out(variant: Variant, layer: Layer, network: Network) {
    let mut scene = Scene::new(variant);
    scene.confinement.network = network;
    scene.unapplied = Some(layer);
    if layer != Layer::Cgroup {
        // Other layers keep processes in their group: its proof would fail before theirs.
        scene.unavailable.push(Layer::Cgroup);
    }
    let run = scene.bash("echo ran");
    assert_eq!(run.code, NOT_CONFINED, "{layer:?}: {}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(&format!("{layer}: claimed, but not in force")), "{layer:?}: {}", run.stderr);
    assert!(!run.stdout.contains("ran"), "{layer:?}");
}

#[test]
fn a_missing_layer_fails_its_proof() {
    for layer in [
        Layer::MountNamespace,
        Layer::PidNamespace,
        Layer::IpcNamespace,
        Layer::UtsNamespace,
        Layer::NoNewPrivileges,
        Layer::Landlock,
        Layer::Seccomp,
        Layer::ResourceLimits,
        Layer::Network,
    ] {
        is_found_out(FULL, layer, Network::Off);
    }
}

#[test]
fn a_missing_layer_fails_its_proof_without_namespaces() {
    for layer in [Layer::Landlock, Layer::ResourceLimits, Layer::ControlSockets] {
        is_found_out(WITHOUT_NAMESPACES, layer, Network::On);
    }
}

/// Only root can make the other namespaces without one of users, and a control group.
#[test]
fn a_missing_user_namespace_or_group_fails_its_proof() {
    if !is_root() {
        return;
    }
    is_found_out(FULL, Layer::UserNamespace, Network::On);
    let has_group =
        |(layer, state): &(Layer, LayerState)| *layer == Layer::Cgroup && matches!(state, LayerState::Proven { .. });
    if Scene::new(FULL).report().iter().any(has_group) {
        is_found_out(FULL, Layer::Cgroup, Network::On);
    }
}
