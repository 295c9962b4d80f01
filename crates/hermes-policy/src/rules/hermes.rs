//! Hermes itself: its gateway and its own update.

use super::{Rule, named};
use crate::Class::Ask;
use crate::shell::Simple;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "hermes-gateway-stop",
        description: "stops or restarts the gateway that this session runs in",
        class: Ask,
        on: named(&["hermes"], |command, _| {
            word(command, 0) == Some("gateway") && matches!(word(command, 1), Some("stop" | "restart" | "uninstall"))
        }),
        hits: &["hermes gateway stop", "hermes -v gateway restart", "hermes gate\"way\" st''op"],
        misses: &["hermes gateway status", "hermes doctor"],
    },
    Rule {
        key: "hermes-update",
        description: "replaces the Hermes program",
        class: Ask,
        on: named(&["hermes"], |command, _| matches!(word(command, 0), Some("update" | "uninstall" | "upgrade"))),
        hits: &["hermes update", "hermes uninstall"],
        misses: &["hermes config get update"],
    },
    Rule {
        key: "hermes-gateway-background",
        description: "starts a second gateway that outlives this session",
        class: Ask,
        on: named(&["hermes"], |command, _| {
            let away = command.background
                || command.through.iter().any(|by| matches!(*by, "nohup" | "setsid" | "systemd-run"));
            away && word(command, 0) == Some("gateway") && matches!(word(command, 1), Some("run" | "start"))
        }),
        hits: &["hermes gateway run &", "nohup hermes gateway run", "setsid hermes gateway run"],
        misses: &["hermes gateway run", "hermes gateway status &"],
    },
    Rule {
        key: "hermes-approvals",
        description: "changes what Hermes asks about",
        class: Ask,
        on: named(&["hermes"], |command, _| {
            let setting =
                word(command, 0) == Some("config") && matches!(word(command, 1), Some("set" | "unset" | "edit"));
            let yolo = command.has(&["--yolo"]);
            yolo || setting
                || (word(command, 0) == Some("approvals") && word(command, 1) == Some("revoke"))
                || (word(command, 0) == Some("auth")
                    && word(command, 1) != Some("list")
                    && word(command, 1) != Some("status"))
        }),
        hits: &["hermes config set approvals.mode off", "hermes --yolo chat", "hermes auth remove x"],
        misses: &["hermes config get model.default", "hermes auth list", "hermes approvals rules"],
    },
];

/// The n-th word that is neither an option nor the value of `-p`.
fn word(command: &Simple, index: usize) -> Option<&str> {
    let mut value = false;
    let mut words = command.texts().filter(move |text| {
        let skip = std::mem::replace(&mut value, matches!(*text, "-p" | "--profile"));
        !skip && !text.starts_with('-')
    });
    words.nth(index)
}
