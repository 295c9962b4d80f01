//! What each mode and network setting means, and what is said when something is missing.

use std::fs;
use std::net::TcpListener;

use hermes_proto::executor::{Layer, LayerState};
use hermes_sandbox::confine::{Mode, Network};
use hermes_sandbox::process::Helper;

use super::support::{FULL, NOT_CONFINED, Namespaces, Scene, WITHOUT_NAMESPACES, variants};

fn state(scene: &Scene, wanted: Layer) -> LayerState {
    scene.report().into_iter().find_map(|(layer, state)| (layer == wanted).then_some(state)).unwrap()
}

fn is_proven(state: &LayerState) -> bool {
    matches!(state, LayerState::Proven { .. })
}

#[test]
fn every_layer_is_proven_where_the_kernel_has_them() {
    for variant in variants() {
        let report = Scene::new(variant).report();
        assert_eq!(report.len(), 12);
        assert!(report.is_sorted_by_key(|(layer, _)| *layer));
        for (layer, state) in report {
            let by_namespace = matches!(
                layer,
                Layer::UserNamespace
                    | Layer::MountNamespace
                    | Layer::PidNamespace
                    | Layer::IpcNamespace
                    | Layer::UtsNamespace
            );
            match layer {
                Layer::Network => assert_eq!(state, LayerState::Off),
                // Depends on who runs the tests and where.
                Layer::Cgroup => assert_ne!(state, LayerState::Off),
                _ if by_namespace && variant.namespaces == Namespaces::Refused => {
                    assert!(matches!(state, LayerState::Missing { .. }), "{variant:?} {layer:?} {state:?}");
                }
                _ => assert!(is_proven(&state), "{variant:?} {layer:?} {state:?}"),
            }
        }
    }
}

#[test]
fn strict_refuses_to_start_without_every_layer() {
    let mut scene = Scene::new(WITHOUT_NAMESPACES);
    scene.confinement.mode = Mode::Strict;
    let run = scene.bash("echo ran");
    assert_eq!((run.code, run.stdout.as_str()), (NOT_CONFINED, ""), "{}", run.stderr);
    for layer in ["user namespace", "mount namespace", "process namespace", "ipc namespace", "host name namespace"] {
        assert!(run.stderr.contains(&format!("{layer} (made unavailable")), "{}", run.stderr);
    }
}

#[test]
fn strict_starts_when_nothing_is_missing() {
    let mut scene = Scene::new(FULL);
    scene.confinement.mode = Mode::Strict;
    if matches!(state(&Scene::new(FULL), Layer::Cgroup), LayerState::Missing { .. }) {
        // Nobody can make one here; then nothing is asked of one.
        scene.confinement.limits.memory_bytes = None;
        scene.confinement.limits.processes = None;
    }
    let run = scene.bash("echo ran");
    assert_eq!((run.code, run.stdout.as_str()), (0, "ran\n"), "{}", run.stderr);
}

#[test]
fn off_says_so_for_every_layer() {
    let mut scene = Scene::new(FULL);
    scene.confinement.mode = Mode::Off;
    let report = scene.report();
    assert_eq!(report.len(), 12);
    assert!(report.iter().all(|(_, state)| *state == LayerState::Off), "{report:?}");
}

#[test]
fn the_kernels_own_refusal_of_namespaces_is_told() {
    let scene = Scene::new(FULL);
    scene.report();
    let orders = scene.text("orders-report.json");
    let script = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces && exec {} {orders}",
        env!("CARGO_BIN_EXE_hermes-confined")
    );
    let helper = Helper::new("/usr/bin/unshare").args(["-Ur", "/bin/bash", "-c", &script]);
    let outcome = helper.run().unwrap();
    let text = outcome.standard_output.text();
    assert!(text.contains("making namespaces: No space left on device"), "{text}");
    assert!(text.contains(r#""layer":"landlock","state":"proven""#), "{text}");
}

/// Connects to a server of the host, then to one of its own.
const TALK: &str = r"import socket, sys
def attempt(port):
    try:
        socket.create_connection(('127.0.0.1', port), 2).close(); return 'yes'
    except OSError: return 'no'
try:
    own = socket.create_server(('127.0.0.1', 0)); inside = attempt(own.getsockname()[1])
except OSError: inside = 'no'
print('host', attempt(int(sys.argv[1])), 'inside', inside)
";

#[test]
fn the_network_is_as_configured() {
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = host.local_addr().unwrap().port().to_string();
    for variant in variants() {
        let talk = |network| {
            let mut scene = Scene::new(variant);
            scene.confinement.network = network;
            let run = scene.run(&["/usr/bin/python3", "-c", TALK, &port]);
            (run.code, run.stdout.trim().to_owned(), run.stderr)
        };
        let (_, said, error) = talk(Network::On);
        assert_eq!(said, "host yes inside yes", "{variant:?} {error}");
        let (_, said, error) = talk(Network::Off);
        assert_eq!(said, "host no inside no", "{variant:?} {error}");
        let (code, said, error) = talk(Network::Loopback);
        match variant.namespaces {
            Namespaces::There => assert_eq!(said, "host no inside yes", "{variant:?} {error}"),
            Namespaces::Refused => {
                assert_eq!(code, NOT_CONFINED);
                assert!(error.contains("network loopback: cannot be enforced here"), "{error}");
            }
        }
    }
}

#[test]
fn what_is_missing_is_told_and_the_rest_still_holds() {
    let mut scene = Scene::new(WITHOUT_NAMESPACES);
    scene.unavailable.push(Layer::Landlock);
    for (layer, state) in scene.report() {
        let holds = [Layer::NoNewPrivileges, Layer::Seccomp, Layer::ResourceLimits, Layer::ControlSockets];
        match layer {
            Layer::Network => assert_eq!(state, LayerState::Off),
            _ if holds.contains(&layer) => assert!(is_proven(&state), "{layer:?} {state:?}"),
            _ => assert!(matches!(state, LayerState::Missing { .. }), "{layer:?} {state:?}"),
        }
    }
}

#[test]
fn a_hidden_folder_inside_the_workspace_stays_where_it_is() {
    for variant in variants() {
        let mut scene = Scene::new(variant);
        let secret = scene.path("user/project/.config/gcloud");
        fs::create_dir_all(&secret).unwrap();
        fs::write(secret.join("token"), "secret").unwrap();
        scene.confinement.hidden.push(secret);
        let run =
            scene.bash("cd ~/project; cat .config/gcloud/token; mv .config away; mv .config/gcloud away; cat away/*");
        assert_eq!(run.stdout, "", "{variant:?}");
        assert!(scene.path("user/project/.config/gcloud/token").exists(), "{variant:?}: {}", run.stderr);
    }
}

#[test]
fn folders_for_agents_are_reachable_inside_the_hidden_home() {
    for variant in variants() {
        let scene = Scene::new(variant);
        let home = scene.text("home");
        let run = scene.bash(&format!(
            "cat {home}/skills/one && echo work > {home}/workspace/made && echo project > ~/project/made && cat ~/file"
        ));
        assert_eq!((run.code, run.stdout.as_str()), (0, "a skillof the user"), "{variant:?} {}", run.stderr);
        assert_eq!(fs::read_to_string(scene.path("home/workspace/made")).unwrap(), "work\n");
        assert_eq!(fs::read_to_string(scene.path("user/project/made")).unwrap(), "project\n");
    }
}
