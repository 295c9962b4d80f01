//! Users, groups, passwords, and what runs on a schedule.

use super::{Rule, named};
use crate::Class::Ask;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "accounts",
        description: "changes users, groups or passwords of the machine",
        class: Ask,
        on: named(
            &[
                "useradd",
                "adduser",
                "userdel",
                "deluser",
                "usermod",
                "groupadd",
                "addgroup",
                "groupdel",
                "delgroup",
                "groupmod",
                "gpasswd",
                "passwd",
                "chpasswd",
                "visudo",
                "vipw",
                "vigr",
                "chsh",
                "chage",
                "newusers",
                "dscl",
                "sysadminctl",
            ],
            |command, _| {
                !command.has(&["--help", "--version", "-S", "--status", "-l", "-list", "-read", "-c"])
                    || command.name == "useradd"
            },
        ),
        hits: &[
            "useradd eve",
            "sudo passwd root",
            "usermod -aG sudo ann",
            "visudo",
            "echo a:b | chpasswd",
            "chsh -s /bin/zsh",
        ],
        misses: &["id ann", "getent passwd", "passwd --status ann", "grep ann /etc/passwd"],
    },
    Rule {
        key: "crontab",
        description: "changes what runs on a schedule",
        class: Ask,
        on: named(&["crontab", "at", "batch", "atrm"], |command, _| match command.name.as_str() {
            "crontab" => !command.has_letter('l'),
            "at" => !command.has_letter('l') && !command.has_letter('V'),
            _ => true,
        }),
        hits: &[
            "crontab -r",
            "crontab jobs.txt",
            "echo '* * * * * x' | crontab -",
            "crontab -e",
            "at now + 1 hour < x",
        ],
        misses: &["crontab -l", "crontab -u ann -l", "at -l"],
    },
];
