//! What a command must not reach: credentials, the home, and the sessions of others.

use super::{Place, Server};

const SECRET: &str = "sk-unreachable-0123456789abcdef";

fn with_credentials() -> Place {
    let place = Place::new();
    place.sandbox.write(".env", format!("OPENROUTER_API_KEY={SECRET}\n"));
    place.sandbox.write("auth.json", format!(r#"{{"version":1,"providers":{{"x":{{"api_key":"{SECRET}"}}}}}}"#));
    place
}

#[test]
fn credentials_of_the_home_cannot_be_read() {
    let place = with_credentials();
    let _server = Server::start(&place);
    std::os::unix::fs::symlink(place.sandbox.home(), place.workspace().join("link")).unwrap();
    std::os::unix::fs::symlink(place.sandbox.file(".env"), place.workspace().join("env-link")).unwrap();
    let home = place.sandbox.home();
    let home = home.display();
    let attempts = [
        format!("cat {home}/.env {home}/auth.json"),
        "cat link/.env link/auth.json env-link".to_owned(),
        format!("for p in /proc/[0-9]*; do cat $p/root{home}/.env $p/root{home}/auth.json; done"),
        format!(
            "for p in /proc/[0-9]*; do cat $p/cwd/../home/.env; cat $p/fd/*{home}/.env; tr '\\0' '\\n' < $p/environ; done"
        ),
        format!("ln {home}/.env hard && cat hard; cp -r {home} copy && cat copy/.env copy/auth.json"),
        format!("cd {home} && cat .env; find {home} -type f -exec cat {{}} +; env"),
    ];
    for text in attempts {
        for session in [&[][..], &["--session", "thief"]] {
            let run = place.run(&[session, &["-c", &format!("{{ {text}; }} 2>&1")]].concat());
            assert!(!run.stdout.contains(SECRET), "{text}: {run:?}");
        }
    }
}

#[test]
fn the_home_is_hidden_and_its_workspace_is_not() {
    let place = with_credentials();
    let workspace = place.sandbox.file("workspace");
    std::fs::create_dir(&workspace).unwrap();
    let home = place.sandbox.home();
    let text = format!(
        "cd {home}/workspace && echo made > file && cat file && ls -A {home} | sort | tr '\\n' ' '",
        home = home.display()
    );
    let run = place.run(&["-c", &format!("{text}; true")]);
    assert!(run.stdout.starts_with("made\n"), "{run:?}");
    assert!(!run.stdout.contains(".env") && !run.stdout.contains("auth.json"), "{run:?}");
    assert_eq!(std::fs::read_to_string(workspace.join("file")).unwrap(), "made\n");
}

/// Whoever could speak to the holder from inside would be in every session, and outside of all.
#[test]
fn a_command_cannot_reach_the_holder() {
    let place = Place::new();
    let _server = Server::start(&place);
    place.in_session("victim", "export COLOUR=blue");
    let socket = place.sandbox.file("exec.sock");
    let program = env!("CARGO_BIN_EXE_hermes");
    std::fs::copy(program, place.workspace().join("hermes")).unwrap();
    let text = format!(
        "export HERMES_HOME={}; ./hermes exec --session victim -c 'echo got $COLOUR' 2>&1; test -S {} && echo there; true",
        place.sandbox.home().display(),
        socket.display()
    );
    let seen = place.in_session("thief", &text);
    assert!(!seen.contains("got blue") && !seen.contains("there"), "{seen}");
}
