//! Containers: stopping and removing them, talking to another engine, breaking out.

use super::{Rule, named};
use crate::Class::Ask;
use crate::shell::Simple;

const ENGINES: &[&str] = &["docker", "podman", "nerdctl", "docker-compose", "podman-compose"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "container-engine-redirect",
        description: "sends container commands to another engine",
        class: Ask,
        on: named(ENGINES, |command, _| {
            let own: Vec<&str> = command.texts().take_while(|text| text.starts_with('-') || !is_verb(text)).collect();
            let flagged = own.iter().any(|text| {
                matches!(*text, "-H" | "--host" | "-c" | "--context" | "--url" | "--connection" | "-r" | "--remote")
                    || text.starts_with("--host=")
                    || text.starts_with("-H")
                    || text.starts_with("--context=")
            });
            let set = command
                .variables
                .iter()
                .any(|(name, _)| matches!(name.as_str(), "DOCKER_HOST" | "DOCKER_CONTEXT" | "CONTAINER_HOST"));
            flagged || set || matches!((words(command).next(), words(command).nth(1)), (Some("context"), Some("use")))
        }),
        hits: &[
            "docker -H tcp://h:2375 ps",
            "DOCKER_HOST=ssh://h docker ps",
            "docker --context prod ps",
            "docker context use prod",
        ],
        misses: &["docker ps", "docker context ls", "docker run -h name alpine", "docker exec -it x ps -H"],
    },
    Rule {
        key: "container-host-access",
        description: "starts a container that can reach the host",
        class: Ask,
        on: named(ENGINES, |command, _| {
            matches!(words(command).next(), Some("run" | "create")) && reaches_host(command)
        }),
        hits: &[
            "docker run --privileged alpine",
            "docker run -v /:/host alpine",
            "docker run --pid=host x",
            "docker run -v /var/run/docker.sock:/var/run/docker.sock x",
        ],
        misses: &["docker run --rm -v \"$PWD\":/src alpine", "docker run -p 80:80 nginx", "docker run -v data:/data x"],
    },
    Rule {
        key: "container-stop",
        description: "stops or restarts containers",
        class: Ask,
        on: named(ENGINES, |command, _| {
            verbs(command, &["stop", "restart", "kill", "pause"], &["stop", "restart", "kill", "down", "pause"])
        }),
        hits: &[
            "docker stop web",
            "docker compose down",
            "docker-compose restart",
            "podman kill x",
            "docker compose -f a.yml stop",
            "docker container stop x",
        ],
        misses: &["docker compose up -d", "docker start web", "docker logs stop", "docker compose ps"],
    },
    Rule {
        key: "container-remove",
        description: "removes containers, images, volumes or networks",
        class: Ask,
        on: named(ENGINES, |command, _| verbs(command, &["rm", "rmi", "prune", "remove"], &["rm"])),
        hits: &[
            "docker rm -f web",
            "docker rmi x",
            "docker system prune -af",
            "docker volume rm data",
            "docker compose rm",
            "docker image prune",
        ],
        misses: &["docker run --rm x", "docker images", "docker volume ls"],
    },
];

const GROUPS: &[&str] = &[
    "container",
    "image",
    "volume",
    "network",
    "system",
    "builder",
    "buildx",
    "pod",
    "machine",
    "swarm",
    "node",
    "stack",
    "service",
    "secret",
    "config",
];

fn is_verb(text: &str) -> bool {
    matches!(
        text,
        "run"
            | "exec"
            | "ps"
            | "build"
            | "logs"
            | "compose"
            | "images"
            | "pull"
            | "push"
            | "start"
            | "stop"
            | "rm"
            | "context"
            | "create"
            | "cp"
            | "inspect"
    ) || GROUPS.contains(&text)
}

/// Words that are neither options nor the values of the engine's own options.
fn words(command: &Simple) -> impl Iterator<Item = &str> {
    let mut skip = false;
    command.texts().filter(move |text| {
        if std::mem::take(&mut skip) {
            return false;
        }
        if text.starts_with('-') {
            skip = matches!(
                *text,
                "-f" | "--file"
                    | "-p"
                    | "--project-name"
                    | "--profile"
                    | "--env-file"
                    | "--context"
                    | "-H"
                    | "--host"
                    | "--project-directory"
            );
            return false;
        }
        true
    })
}

fn verbs(command: &Simple, plain: &[&str], compose: &[&str]) -> bool {
    let mut words = words(command);
    let first = words.next();
    if command.name.ends_with("-compose") {
        return first.is_some_and(|verb| compose.contains(&verb));
    }
    match first {
        Some("compose") => words.next().is_some_and(|verb| compose.contains(&verb)),
        Some(group) if GROUPS.contains(&group) => words.next().is_some_and(|verb| plain.contains(&verb)),
        Some(verb) => plain.contains(&verb),
        None => false,
    }
}

fn reaches_host(command: &Simple) -> bool {
    let texts: Vec<&str> = command.texts().collect();
    texts.iter().enumerate().any(|(at, text)| {
        let next = texts.get(at + 1).copied().unwrap_or_default();
        let (flag, value) = text.split_once('=').unwrap_or((text, next));
        match flag {
            "--privileged" | "--device" => true,
            "--pid" | "--ipc" | "--uts" | "--userns" | "--cgroupns" => value == "host",
            "--cap-add" => matches!(value, "ALL" | "SYS_ADMIN" | "SYS_PTRACE" | "SYS_MODULE"),
            "--security-opt" => value.contains("unconfined"),
            "-v" | "--volume" | "--mount" => is_of_host(value),
            _ => text.strip_prefix("-v").is_some_and(is_of_host),
        }
    })
}

/// A bind of the host's own folders, or of the engine's socket.
fn is_of_host(bind: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "/",
        "/etc",
        "/root",
        "/home",
        "/var",
        "/usr",
        "/boot",
        "/dev",
        "/proc",
        "/sys",
        "/run",
        "/var/run",
        "/var/lib/docker",
    ];
    let source = bind.split(',').find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
    let path = source.unwrap_or_else(|| bind.split(':').next().unwrap_or_default());
    FOLDERS.contains(&path) || path.ends_with("docker.sock") || path.ends_with("podman.sock")
}
