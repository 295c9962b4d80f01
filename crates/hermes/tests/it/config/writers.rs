//! Several processes that change the configuration at once.

use crate::support::{Sandbox, finish};

#[test]
fn eight_writers_at_once_lose_nothing() {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 5;
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "# mine\nshared:\n  first: 0\n");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    sandbox.ok(["config", "set", &format!("shared.k{writer}_{round}"), &format!("v{writer} {round}")]);
                    sandbox.ok(["config", "set", &format!("W{writer}_{round}_API_KEY"), &format!("s{writer} {round}")]);
                }
            });
        }
    });
    let config = sandbox.read("config.yaml");
    assert!(config.starts_with("# mine\nshared:\n  first: 0\n"), "{config}");
    assert_eq!(config.lines().count(), 3 + WRITERS * ROUNDS, "{config}");
    for writer in 0..WRITERS {
        for round in 0..ROUNDS {
            let setting = sandbox.ok(["config", "get", &format!("shared.k{writer}_{round}")]);
            let secret = sandbox.ok(["config", "get", &format!("W{writer}_{round}_API_KEY")]);
            assert_eq!((setting, secret), (format!("v{writer} {round}\n"), format!("s{writer} {round}\n")));
        }
    }
}

#[test]
fn a_reader_never_sees_half_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "a: x\n");
    let writer = sandbox.command(["config", "set", "b", &"long ".repeat(2000)]).spawn().unwrap();
    for _ in 0..10 {
        assert_eq!(sandbox.ok(["config", "get", "a"]), "x\n");
    }
    assert_eq!(finish(writer).code, 0);
}
