//! Ending processes and stopping services.

use super::{Rule, named};
use crate::Class::{Ask, Floor};
use crate::shell::Simple;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "kill-everything",
        description: "ends every process there is",
        class: Floor,
        on: named(&["kill", "killall5"], |command, _| command.name == "killall5" || kills_all(command)),
        hits: &["kill -9 -1", "kill -KILL -1", "kill -- -1", "sudo kill -s TERM -1", "killall5 -9"],
        misses: &["kill -1 4242", "kill -9 4242", "kill -TERM -4242", "kill -l"],
    },
    Rule {
        key: "kill-found",
        description: "ends processes found by a pattern",
        class: Ask,
        on: named(&["kill"], |command, _| {
            let found = |name: &String| matches!(name.as_str(), "pgrep" | "pidof" | "ps" | "lsof" | "fuser");
            command.substituted.iter().any(found) || command.feed.sources().iter().any(found)
        }),
        hits: &[
            "kill $(pgrep -f server)",
            "kill -9 `pidof nginx`",
            "pgrep node | xargs kill",
            "kill $(lsof -ti :3000)",
        ],
        misses: &["kill $!", "kill \"$pid\"", "kill 4242"],
    },
    Rule {
        key: "kill-hermes",
        description: "ends the Hermes program or its gateway",
        class: Ask,
        on: named(&["pkill", "killall"], |command, _| {
            command.operands().any(|field| ["hermes", "gateway", "cli.py"].iter().any(|name| field.text.contains(name)))
        }),
        hits: &["pkill -f hermes", "killall hermes", "pkill -f 'gateway run'"],
        misses: &["pkill -f vite", "killall node"],
    },
    Rule {
        key: "kill-by-name-hard",
        description: "ends processes by name or pattern without letting them finish",
        class: Ask,
        on: named(&["pkill", "killall", "fuser", "xkill", "skill"], |command, _| hard(command)),
        hits: &[
            "pkill -9 node",
            "killall -KILL java",
            "pkill --signal KILL x",
            "killall -r 'py.*'",
            "fuser -k 3000/tcp",
        ],
        misses: &["pkill -f vite", "killall node", "pkill -TERM x"],
    },
    Rule {
        key: "kill-init",
        description: "signals the first process of the system",
        class: Ask,
        on: named(&["kill"], |command, _| command.operands().any(|field| field.text == "1")),
        hits: &["kill -9 1", "sudo kill 1"],
        misses: &["kill -9 11", "kill %1"],
    },
    Rule {
        key: "stop-service",
        description: "stops, restarts or disables a service",
        class: Ask,
        on: named(
            &["systemctl", "service", "rc-service", "sv", "initctl", "launchctl", "s6-svc", "supervisorctl", "brew"],
            stops,
        ),
        hits: &[
            "systemctl stop nginx",
            "sudo systemctl restart postgresql",
            "systemctl --user disable --now x",
            "service nginx stop",
            "launchctl unload ~/x.plist",
            "brew services stop redis",
        ],
        misses: &["systemctl status nginx", "systemctl list-units", "service nginx status", "brew services list"],
    },
];

/// `-1` in the place of a process, not of a signal.
fn kills_all(command: &Simple) -> bool {
    let texts: Vec<&str> = command.texts().collect();
    match texts.as_slice() {
        ["-1"] => true,
        [first, rest @ ..] if first.starts_with('-') => rest.contains(&"-1"),
        _ => texts.contains(&"-1"),
    }
}

fn hard(command: &Simple) -> bool {
    let signal =
        |text: &str| matches!(text.trim_start_matches('-').trim_start_matches("SIG"), "9" | "KILL" | "kill" | "Kill");
    let strong = command.texts().any(|text| text.starts_with('-') && signal(text))
        || ["-s", "--signal", "-n"].iter().any(|option| command.value_of(option).is_some_and(signal));
    match command.name.as_str() {
        "killall" => strong || command.has_letter('r') || command.has_long("--regexp", 5),
        "fuser" => command.has_letter('k') || command.has_long("--kill", 4),
        "xkill" => true,
        _ => strong,
    }
}

fn stops(command: &Simple, _: &crate::shell::Place) -> bool {
    const VERBS: &[&str] =
        &["stop", "restart", "disable", "mask", "kill", "isolate", "try-restart", "reload-or-restart", "revert"];
    match command.name.as_str() {
        "systemctl" | "supervisorctl" | "initctl" => {
            command.operand(0).is_some_and(|verb| VERBS.contains(&verb) || verb == "shutdown")
        }
        "service" | "rc-service" => command.operand(1).is_some_and(|verb| VERBS.contains(&verb)),
        "sv" => command
            .operand(0)
            .is_some_and(|verb| matches!(verb, "down" | "stop" | "restart" | "kill" | "force-stop" | "exit")),
        "launchctl" => command.operand(0).is_some_and(|verb| {
            matches!(verb, "unload" | "bootout" | "remove" | "disable" | "kill" | "stop" | "kickstart")
        }),
        "s6-svc" => command.has_letter('d') || command.has_letter('k') || command.has_letter('r'),
        "brew" => {
            command.operand(0) == Some("services")
                && command.operand(1).is_some_and(|verb| matches!(verb, "stop" | "restart" | "kill" | "cleanup"))
        }
        _ => false,
    }
}
