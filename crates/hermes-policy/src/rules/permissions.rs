//! Permissions and owners.

use super::removal::{is_root, is_system};
use super::{Rule, named};
use crate::Class::{Ask, Floor};
use crate::SudoPassword;
use crate::shell::{Place, Simple};
use crate::sudo;

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "permissions-of-system",
        description: "changes the permissions or owner of everything in the system",
        class: Floor,
        on: named(&["chmod", "chown", "chgrp", "setfacl", "chattr"], |command, place| {
            recursive(command) && paths(command, place).any(|path| is_root(&path) || is_system(&path))
        }),
        hits: &[
            "chmod -R 777 /",
            "chmod 000 -R /etc",
            "sudo chown -R ann /usr",
            "chmod --recursive a-x /*",
            "chgrp -R x /",
        ],
        misses: &["chmod -R 755 dist", "chown -R ann ./data", "chmod 755 /etc"],
    },
    Rule {
        key: "open-permissions",
        description: "lets everybody write",
        class: Ask,
        on: named(&["chmod"], |command, _| command.operands().next().is_some_and(|mode| opens(&mode.text))),
        hits: &[
            "chmod 777 run.sh",
            "chmod -R 0777 data",
            "chmod o+w x",
            "chmod a+rwx x",
            "chmod 666 f",
            "chmod +w,o=rw x",
        ],
        misses: &["chmod 755 x", "chmod +x x", "chmod g+w x", "chmod 600 key"],
    },
    Rule {
        key: "setuid",
        description: "lets a program run with its owner's rights",
        class: Ask,
        on: named(&["chmod", "setcap"], |command, _| {
            command.name == "setcap" || command.operands().next().is_some_and(|mode| gives_owner(&mode.text))
        }),
        hits: &["chmod u+s tool", "chmod 4755 tool", "chmod +s tool", "setcap cap_net_admin+ep x"],
        misses: &["chmod 755 s", "chmod u+x s", "chmod 1777 x"],
    },
    Rule {
        key: "chown-recursive-root",
        description: "gives a whole folder to root",
        class: Ask,
        on: named(&["chown"], |command, _| {
            let owner = command.operands().next().map(|field| field.text.split([':', '.']).next().unwrap_or_default());
            recursive(command) && matches!(owner, Some("root" | "0"))
        }),
        hits: &["chown -R root:root .", "sudo chown --recursive root src"],
        misses: &["chown -R ann:ann .", "chown root file"],
    },
    Rule {
        key: "immutable",
        description: "changes file attributes that guard against change",
        class: Ask,
        on: named(&["chattr", "chflags"], |command, _| command.operands().next().is_some()),
        hits: &["chattr -i file", "chattr +i /data/x"],
        misses: &["lsattr file"],
    },
    Rule {
        key: "sudo-stdin",
        description: "feeds sudo a password, and none was configured: it would be guessed",
        class: Floor,
        on: named(&["sudo"], |command, place| {
            place.sudo_password() == SudoPassword::Missing && sudo::reads_password(command)
        }),
        hits: &["echo pw | sudo -S ls", "sudo -nS ls", "sudo --stdin ls", "sudo -u ann -S ls <<< pw", "sudo --std ls"],
        misses: &["sudo ls -S", "sudo apt update", "sudo -u -S ls", "sudo -- -S", "echo sudo -S", "sudo -p -S ls"],
    },
    Rule {
        key: "sudo-password",
        description: "runs sudo with a piped password, a helper program or a shell",
        class: Ask,
        on: named(&["sudo"], |command, _| sudo::asks_otherwise(command)),
        hits: &["sudo -s", "sudo -A ls", "sudo --askpass ls", "sudo -i", "sudo --login"],
        misses: &["sudo ls -S", "sudo apt update", "sudo -u ann ls -s"],
    },
    Rule {
        key: "root-shell",
        description: "becomes another user in a shell of theirs",
        class: Ask,
        on: named(&["su", "runuser", "pkexec"], |command, _| command.name != "pkexec" || command.arguments.is_empty()),
        hits: &["su -", "sudo su", "su - postgres -c 'ls'"],
        misses: &["sum file"],
    },
];

fn recursive(command: &Simple) -> bool {
    command.has_letter('R') || command.has_long("--recursive", 4)
}

fn paths(command: &Simple, place: &Place) -> impl Iterator<Item = String> {
    command.operands().map(move |field| place.resolve(field, command))
}

/// Octal with write for others, or symbolic `o+w`, `a+w`, `o=rw`.
fn opens(mode: &str) -> bool {
    if !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return mode.bytes().last().is_some_and(|last| matches!(last, b'2' | b'3' | b'6' | b'7'));
    }
    mode.split(',').any(|part| {
        let Some(at) = part.find(['+', '=']) else { return false };
        let (who, what) = part.split_at(at);
        what.contains('w') && who.contains(['o', 'a'])
    })
}

fn gives_owner(mode: &str) -> bool {
    if mode.len() == 4 && mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return matches!(mode.as_bytes()[0], b'2' | b'4' | b'6' | b'3' | b'5' | b'7');
    }
    mode.split(',').any(|part| part.find(['+', '=']).is_some_and(|at| part[at..].contains('s')))
}
