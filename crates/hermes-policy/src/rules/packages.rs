//! Removal of installed software.

use super::{Rule, named};
use crate::Class::Ask;
use crate::shell::Simple;

pub(super) const RULES: &[Rule] = &[Rule {
    key: "package-remove",
    description: "removes installed packages",
    class: Ask,
    on: named(
        &[
            "npm", "pnpm", "yarn", "pip", "pipx", "uv", "brew", "apt", "apt-get", "aptitude", "dpkg", "yum", "dnf",
            "rpm", "pacman", "yay", "apk", "zypper", "snap", "flatpak", "gem", "cargo", "conda", "mamba", "port",
            "winget", "choco", "bun",
        ],
        |command, _| removes(command),
    ),
    hits: &[
        "npm uninstall lodash",
        "pip uninstall -y requests",
        "sudo apt-get purge nginx",
        "brew uninstall node",
        "pacman -Rns x",
        "apt autoremove",
        "dpkg -r x",
        "uv pip uninstall x",
        "yarn global remove x",
        "pip3 uninstall x",
    ],
    misses: &[
        "npm install",
        "pip install x",
        "apt-get update",
        "npm run remove",
        "cargo rm serde",
        "pacman -Q",
        "apt list",
    ],
}];

fn removes(command: &Simple) -> bool {
    const VERBS: &[&str] = &["uninstall", "remove", "purge", "autoremove", "erase", "unlink"];
    let first = command.operand(0).unwrap_or_default();
    let second = command.operand(1).unwrap_or_default();
    match command.name.as_str() {
        "dpkg" => {
            command.has_letter('r')
                || command.has_letter('P')
                || command.has_long("--remove", 5)
                || command.has_long("--purge", 4)
        }
        "rpm" => command.has_letter('e') || command.has_long("--erase", 5),
        "pacman" | "yay" => command.texts().any(|text| text.starts_with("-R") || text == "--remove"),
        "apk" => first == "del",
        "zypper" => matches!(first, "rm" | "remove"),
        "npm" | "pnpm" | "bun" => matches!(first, "uninstall" | "remove" | "rm" | "un" | "r" | "prune"),
        "yarn" => first == "remove" || (first == "global" && second == "remove"),
        "uv" => (first == "pip" || first == "tool") && second == "uninstall",
        "cargo" => first == "uninstall",
        _ => VERBS.contains(&first) && first != "unlink" || first == "untap",
    }
}
